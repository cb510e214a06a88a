#include <cinttypes>

#include "ops/common/copy.h"
#include "ops/common/scatter.h"

namespace sampan {
namespace {

enum { kReduction };

Status infer(InferContext& ctx) {
  const DimShape &x = ctx.shape(0), &indices = ctx.shape(1), &updates = ctx.shape(2);
  SAMPAN_RULE(x.rank > 0 && indices.rank > 0, "x and indices must have rank 1 or more");
  const Dim depth = indices[indices.rank - 1];
  if (!depth.known()) return ctx.need_values(1);
  SAMPAN_RULE(depth.value >= 0 && depth.value <= x.rank,
              "each index has %" PRId64 " entries, x %s has %d axes", depth.value,
              ShapeText(x).c_str(), x.rank);
  const int from = static_cast<int>(depth.value), lead = indices.rank - 1;
  bool fits = updates.rank == lead + x.rank - from;
  for (int i = 0; fits && i < updates.rank; ++i)
    fits = ctx.math().equal(updates[i], i < lead ? indices[i] : x[from + i - lead]) != Tri::kNo;
  SAMPAN_RULE(fits,
              "updates %s do not fit: expected indices' %s without its last axis, then x's %s "
              "from axis %d on",
              ShapeText(updates).c_str(), ShapeText(indices).c_str(), ShapeText(x).c_str(), from);
  return same_as_first(ctx);
}

template <class T>
void scatter(const RunContext& ctx, int64_t rows, int64_t depth, int64_t slice) {
  const Tensor &indices = ctx.input(1), &updates = ctx.input(2);
  Tensor& y = ctx.output(0);
  const auto reduction = static_cast<ScatterReduction>(ctx.attr_int(kReduction));
  int64_t strides[kMaxRank];
  row_major_strides(y.shape, strides);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t at = 0;
    for (int64_t k = 0; k < depth; ++k) {
      int64_t index = index_at(indices, r * depth + k);
      if (index < 0) index += y.shape[static_cast<int>(k)];
      at += index * strides[k];
    }
    for (int64_t i = 0; i < slice; ++i)
      scatter_one(y.as<T>() + at + i, updates.as<T>()[r * slice + i], reduction);
  }
}

Status run(RunContext& ctx) {
  const Tensor &x = ctx.input(0), &indices = ctx.input(1);
  Tensor& y = ctx.output(0);
  const int64_t depth = indices.shape[indices.shape.rank - 1];
  int64_t rows = 1, slice = 1, ignored = 0;
  for (int i = 0; i < indices.shape.rank - 1; ++i) rows *= indices.shape[i];
  for (int i = static_cast<int>(depth); i < x.shape.rank; ++i) slice *= x.shape[i];
  for (int64_t i = 0; i < rows * depth; ++i)
    SAMPAN_TRY(
        resolve_index(index_at(indices, i), x.shape[static_cast<int>(i % depth)], i, &ignored));
  if (y.data != x.data) run_copy(ctx, y.data, x.data, x.bytes());
  const bool known = with_type<kAnyType>(
      x.dtype, [&](auto tag) { scatter<typename decltype(tag)::type>(ctx, rows, depth, slice); });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(ScatterND, 1)
    .doc(
        "x with slices of updates written (or added ...) at index tuples, the last axis of "
        "indices; "
        "later updates come after earlier ones. An index out of range is an error.")
    .input("x", sampan::kAnyType)
    .input("indices", sampan::kIndices)
    .input("updates", sampan::kAnyType, 0, 0)
    .output("y")
    .attr_enum(sampan::kReduction, "reduction", sampan::kScatterChoices, 0)
    .infer(sampan::infer)
    .in_place(0)
    .kernel(sampan::run);
