#include <cinttypes>

#include "ops/common/convert.h"
#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAxis };

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  Values depth = values_of(ctx, 1);
  Dim unknown;
  if (!depth.known && ctx.wants_values()) {
    unknown = ctx.math().fresh();
    depth.v = &unknown;
    depth.n = 1;
  } else if (!depth.known) {
    return ctx.need_values(1);
  }
  SAMPAN_RULE(depth.n == 1, "depth must be one number, got %d", depth.n);
  SAMPAN_RULE(!depth[0].known() || depth[0].value >= 0, "depth is %" PRId64 ": expected a size",
              depth[0].value);
  SAMPAN_RULE(x.rank < kMaxRank, "the result would have %d dimensions, at most %d are supported",
              x.rank + 1, kMaxRank);
  SAMPAN_RULE(ctx.shape(2).rank == 1 && ctx.math().equal(ctx.shape(2)[0], 2) != Tri::kNo,
              "values must be [off, on], got shape %s", ShapeText(ctx.shape(2)).c_str());
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.rank + 1, &axis));
  DimShape y;
  y.rank = x.rank + 1;
  for (int i = 0, from = 0; i < y.rank; ++i) y[i] = i == axis ? depth[0] : x[from++];
  ctx.set_output(0, ctx.dtype(2), y);
  return Status();
}

template <class T>
void set_ones(const RunContext& ctx, int64_t outer, int64_t depth, int64_t inner) {
  const Tensor& indices = ctx.input(0);
  Tensor& y = ctx.output(0);
  const char* on = ctx.input(2).as<char>() + dtype_size(y.dtype);
  const int64_t bytes = static_cast<int64_t>(dtype_size(y.dtype));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      // Beyond [-depth, depth) the whole row stays off.
      int64_t k = convert<int64_t>(indices.as<T>()[o * inner + i]);
      if (k < 0) k += depth;
      if (k < 0 || k >= depth) continue;
      char* at = y.as<char>() + ((o * depth + k) * inner + i) * bytes;
      for (int64_t b = 0; b < bytes; ++b) at[b] = on[b];
    }
}

Status run(RunContext& ctx) {
  Tensor& y = ctx.output(0);
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), y.shape.rank, &axis));
  const int64_t depth = y.shape[axis];
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= y.shape[i];
  for (int i = axis + 1; i < y.shape.rank; ++i) inner *= y.shape[i];
  run_fill(ctx, y.data, ctx.input(2).data, dtype_size(y.dtype), y.shape.elements());
  const DType type = ctx.input(0).dtype;
  const bool known = with_type<kNumbers>(
      type, [&](auto tag) { set_ones<typename decltype(tag)::type>(ctx, outer, depth, inner); });
  return known ? Status() : type_not_built(type);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(OneHot, 1)
    .doc(
        "A new axis of size depth that is values[1] at the index and values[0] elsewhere. Negative "
        "indices count from the end; one out of range gives a row without an on.")
    .input("indices", sampan::kNumbers)
    .input("depth", sampan::kIndices)
    .input("values", sampan::kAnyType)
    .output("y")
    .attr_int(sampan::kAxis, "axis", -1, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "where the new axis is in the result")
    .infer(sampan::infer)
    .kernel(sampan::run);
