#include <cinttypes>

#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_RULE(ctx.shape(1).rank == 1, "the repeats must be a list (rank 1), got rank %d",
              ctx.shape(1).rank);
  Values repeats = values_of(ctx, 1);
  if (!repeats.known) return unknown_sizes(ctx, 1, ctx.dtype(0), x.rank);
  SAMPAN_RULE(repeats.n == x.rank, "%d repeats are given for %d axes: one for each is needed",
              repeats.n, x.rank);
  DimShape y = x;
  for (int i = 0; i < x.rank; ++i) {
    SAMPAN_RULE(!repeats[i].known() || repeats[i].value >= 0, "repeat %d is negative: %" PRId64, i,
                repeats[i].value);
    y[i] = ctx.math().mul(x[i], repeats[i]);
  }
  ctx.set_output(0, ctx.dtype(0), y);
  int n = 0;
  Values v = values_of(ctx, 0);
  if (x.rank != 1 || !v.known || v.n == 0 || !can_set_values(ctx, ctx.dtype(0), y, &n))
    return Status();
  Dim all[InferContext::kMaxValues];
  for (int i = 0; i < n; ++i) all[i] = v[i % v.n];
  ctx.set_output_values(0, all, n);
  return Status();
}

// An axis of y counts repeat and position: twice as many axes, joined where nothing repeats.
Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  if (y.shape.elements() == 0) return Status();
  // Whole repeated blocks, one axis after the other from the innermost, within y itself: block
  // sizes grow, so most of the work is long copies.
  const size_t size = dtype_size(x.dtype);
  const int rank = x.shape.rank;
  int64_t src[kMaxRank], dst[kMaxRank];
  row_major_strides(x.shape, src);
  row_major_strides(y.shape, dst);
  StridedCopy copy;
  for (int i = 0; i < rank; ++i) copy.push(x.shape[i], dst[i], src[i]);
  run_strided_copy(ctx, copy, y.data, x.data, size);
  for (int axis = rank - 1; axis >= 0; --axis) {
    const int64_t times = y.shape[axis] / x.shape[axis];
    if (times == 1) continue;
    // The first copy of this axis is complete for all inner axes; outer axes hold only x's part.
    StridedCopy fill;
    for (int i = 0; i < axis; ++i) fill.push(x.shape[i], dst[i], dst[i]);
    const int64_t block = x.shape[axis] * dst[axis];
    fill.push(times - 1, block, 0);
    fill.push(block, 1, 1);
    run_strided_copy(ctx, fill, y.as<char>() + static_cast<size_t>(block) * size, y.data, size);
  }
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Tile, 1)
    .doc("Repeats x the given number of times along each axis.")
    .input("x", sampan::kAnyType)
    .input("repeats", sampan::kIndices)
    .output("y")
    .infer(sampan::infer)
    .kernel(sampan::run);
