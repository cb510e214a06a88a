#include <cinttypes>

#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

Status infer(InferContext& ctx) {
  SAMPAN_RULE(ctx.shape(1).rank == 1, "the shape must be a list (rank 1), got rank %d",
              ctx.shape(1).rank);
  Values shape = values_of(ctx, 1);
  if (!shape.known) {
    const int n = list_length(ctx, 1);
    return unknown_sizes(ctx, 1, ctx.dtype(0),
                         n < 0                   ? -1
                         : n > ctx.shape(0).rank ? n
                                                 : ctx.shape(0).rank);
  }
  SAMPAN_RULE(shape.n <= kMaxRank, "the shape has %d dimensions, at most %d are supported", shape.n,
              kMaxRank);
  DimShape want;
  want.rank = shape.n;
  for (int i = 0; i < shape.n; ++i) {
    SAMPAN_RULE(!shape[i].known() || shape[i].value >= 0,
                "dimension %d of the shape is %" PRId64 ": expected a size", i, shape[i].value);
    want[i] = shape[i];
  }
  DimShape y;
  SAMPAN_TRY(broadcast_shapes(ctx, ctx.shape(0), want, &y));
  ctx.set_output(0, ctx.dtype(0), y);
  int n = 0;
  Values x = values_of(ctx, 0);
  if (!x.known || !can_set_values(ctx, ctx.dtype(0), y, &n)) return Status();
  if (x.n == n) {
    ctx.set_output_values(0, x.v, n);
  } else if (x.n == 1) {
    Dim all[InferContext::kMaxValues];
    for (int i = 0; i < n; ++i) all[i] = x[0];
    ctx.set_output_values(0, all, n);
  }
  return Status();
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  int64_t src[kMaxRank], dst[kMaxRank];
  row_major_strides(x.shape, src);
  row_major_strides(y.shape, dst);
  StridedCopy copy;
  const int lead = y.shape.rank - x.shape.rank;
  for (int i = 0; i < y.shape.rank; ++i)
    copy.push(y.shape[i], dst[i], i < lead || x.shape[i - lead] == 1 ? 0 : src[i - lead]);
  run_strided_copy(ctx, copy, y.data, x.data, dtype_size(x.dtype));
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Expand, 1)
    .doc(
        "Repeats x along its axes of size 1 so that it has the broadcast of its shape and the "
        "given one.")
    .input("x", sampan::kAnyType)
    .input("shape", sampan::kIndices)
    .output("y")
    .infer(sampan::infer)
    .kernel(sampan::run);
