#include <cinttypes>
#include <cstring>

#include "ops/common/copy.h"
#include "ops/common/indexing.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAxis };

Status set_values(InferContext& ctx, const DimShape& y) {
  int n = 0;
  if (ctx.shape(0).rank != 1 || !can_set_values(ctx, ctx.dtype(0), y, &n)) return Status();
  Values x = values_of(ctx, 0), indices = values_of(ctx, 1);
  if (!x.known || !indices.known || indices.n != n) return Status();
  Dim picked[InferContext::kMaxValues];
  for (int i = 0; i < n; ++i) {
    if (!indices[i].known()) return Status();
    int64_t at = 0;
    SAMPAN_TRY(resolve_index(indices[i].value, x.n, i, &at));
    picked[i] = x[static_cast<int>(at)];
  }
  ctx.set_output_values(0, picked, n);
  return Status();
}

Status infer(InferContext& ctx) {
  const DimShape &x = ctx.shape(0), &indices = ctx.shape(1);
  int axis = 0;
  SAMPAN_RULE(x.rank > 0, "a scalar has no axis to gather from");
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.rank, &axis));
  SAMPAN_RULE(x.rank + indices.rank - 1 <= kMaxRank,
              "the result would have %d dimensions, at most %d are supported",
              x.rank + indices.rank - 1, kMaxRank);
  DimShape y;
  for (int i = 0; i < axis; ++i) y[y.rank++] = x[i];
  for (int i = 0; i < indices.rank; ++i) y[y.rank++] = indices[i];
  for (int i = axis + 1; i < x.rank; ++i) y[y.rank++] = x[i];
  ctx.set_output(0, ctx.dtype(0), y);
  return set_values(ctx, y);
}

Status run(RunContext& ctx) {
  const Tensor &x = ctx.input(0), &indices = ctx.input(1);
  Tensor& y = ctx.output(0);
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.shape.rank, &axis));
  const int64_t size = x.shape[axis], count = indices.shape.elements();
  SAMPAN_TRY(check_indices(indices, size));
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= x.shape[i];
  for (int i = axis + 1; i < x.shape.rank; ++i) inner *= x.shape[i];
  const int64_t bytes = inner * static_cast<int64_t>(dtype_size(x.dtype));
  if (outer * count * bytes == 0) return Status();
  const char* src = x.as<char>();
  char* dst = y.as<char>();
  ctx.parallel_for(outer * count, grain_for(bytes), [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t at = index_at(indices, i % count);
      if (at < 0) at += size;
      std::memcpy(dst + i * bytes, src + (i / count * size + at) * bytes,
                  static_cast<size_t>(bytes));
    }
  });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Gather, 1)
    .doc(
        "Takes slices of x along an axis: y[..., i, ...] = x[..., indices[i], ...]. Negative "
        "indices "
        "count from the end; an index out of range is an error.")
    .input("x", sampan::kAnyType)
    .input("indices", sampan::kIndices)
    .output("y")
    .attr_int(sampan::kAxis, "axis", 0, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "negative counts from the end")
    .infer(sampan::infer)
    .kernel(sampan::run);
