#include "ops/common/copy.h"
#include "ops/common/scatter.h"

namespace sampan {
namespace {

enum { kAxis, kReduction };

Status infer(InferContext& ctx) {
  const DimShape &x = ctx.shape(0), &indices = ctx.shape(1), &updates = ctx.shape(2);
  DimMath& m = ctx.math();
  int axis = 0;
  SAMPAN_RULE(x.rank > 0 && x.rank == indices.rank && x.rank == updates.rank,
              "x %s, indices %s and updates %s must have the same rank, at least 1",
              ShapeText(x).c_str(), ShapeText(indices).c_str(), ShapeText(updates).c_str());
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.rank, &axis));
  for (int i = 0; i < x.rank; ++i) {
    SAMPAN_RULE(m.equal(indices[i], updates[i]) != Tri::kNo,
                "indices %s and updates %s must have the same shape", ShapeText(indices).c_str(),
                ShapeText(updates).c_str());
    SAMPAN_RULE(i == axis || m.less(x[i], indices[i]) != Tri::kYes,
                "indices %s reach beyond x %s in axis %d", ShapeText(indices).c_str(),
                ShapeText(x).c_str(), i);
  }
  return same_as_first(ctx);
}

// One after the other in row-major order: with equal indices the order decides.
template <class T>
void scatter(const RunContext& ctx, int axis) {
  const Tensor &indices = ctx.input(1), &updates = ctx.input(2);
  Tensor& y = ctx.output(0);
  const Shape& s = indices.shape;
  const auto reduction = static_cast<ScatterReduction>(ctx.attr_int(kReduction));
  int64_t strides[kMaxRank];
  row_major_strides(y.shape, strides);
  const int64_t n = s.elements();
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = 0, rest = i;
    for (int d = s.rank - 1; d >= 0; --d) {
      if (d != axis) at += rest % s[d] * strides[d];
      rest /= s[d];
    }
    int64_t index = index_at(indices, i);
    if (index < 0) index += y.shape[axis];
    scatter_one(y.as<T>() + at + index * strides[axis], updates.as<T>()[i], reduction);
  }
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.shape.rank, &axis));
  SAMPAN_TRY(check_indices(ctx.input(1), x.shape[axis]));
  if (y.data != x.data) run_copy(ctx, y.data, x.data, x.bytes());
  const bool known = with_type<kAnyType>(
      x.dtype, [&](auto tag) { scatter<typename decltype(tag)::type>(ctx, axis); });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(ScatterElements, 1)
    .doc(
        "x with updates written (or added ...) where indices say along the axis; later updates "
        "come "
        "after earlier ones. An index out of range is an error.")
    .input("x", sampan::kAnyType)
    .input("indices", sampan::kIndices)
    .input("updates", sampan::kAnyType, 0, 0)
    .output("y")
    .attr_int(sampan::kAxis, "axis", 0, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "negative counts from the end")
    .attr_enum(sampan::kReduction, "reduction", sampan::kScatterChoices, 0)
    .infer(sampan::infer)
    .in_place(0)
    .kernel(sampan::run);
