#include "ops/common/reduce.h"

namespace sampan {
namespace {

enum { kExclusive, kReverse };

Status infer(InferContext& ctx) {
  const DimShape& axis = ctx.shape(1);
  SAMPAN_RULE(ctx.shape(0).rank > 0, "a scalar has no axis to sum along");
  SAMPAN_RULE(axis.rank == 0 || (axis.rank == 1 && ctx.math().equal(axis[0], 1) != Tri::kNo),
              "the axis must be a scalar, got shape %s", ShapeText(axis).c_str());
  Values v = values_of(ctx, 1);
  int ignored = 0;
  if (v.known && v.n == 1 && v[0].known())
    SAMPAN_TRY(normalize_axis(v[0].value, ctx.shape(0).rank, &ignored));
  return same_as_first(ctx);
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  const int rank = x.shape.rank;
  int64_t axis = index_at(ctx.input(1), 0);
  SAMPAN_CHECK(axis >= -rank && axis < rank, Code::kDataError,
               "axis %lld is out of range: x has %d axes", static_cast<long long>(axis), rank);
  if (axis < 0) axis += rank;
  if (x.shape.elements() == 0) return Status();
  const CumSumFn fn = cum_sum_fn(x.dtype);
  if (!fn) return type_not_built(x.dtype);
  const ReduceShape shape = around_axis(x.shape, static_cast<int>(axis));
  const CumSumMode mode = {ctx.attr_bool(kExclusive), ctx.attr_bool(kReverse)};
  run_ranges(ctx, shape, dtype_size(x.dtype),
             [&](const ReduceRange& range) { fn(x.data, ctx.output(0).data, shape, range, mode); });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(CumSum, 1)
    .doc(
        "Running sums along an axis, each with its own element or without (exclusive), from the "
        "start "
        "or from the end (reverse).")
    .input("x", sampan::kNumbers)
    .input("axis", sampan::kIndices)
    .output("y")
    .attr_bool(sampan::kExclusive, "exclusive", false)
    .attr_bool(sampan::kReverse, "reverse", false)
    .infer(sampan::infer)
    .kernel(sampan::run);
