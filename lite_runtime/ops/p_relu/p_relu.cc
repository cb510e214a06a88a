#include "ops/common/binary.h"

namespace sampan {
namespace {

// The slope broadcasts to x, never the other way round.
Status infer(InferContext& ctx) {
  DimShape y;
  SAMPAN_TRY(broadcast_shapes(ctx, ctx.shape(0), ctx.shape(1), &y));
  bool same = y.rank == ctx.shape(0).rank;
  for (int i = 0; same && i < y.rank; ++i)
    same = ctx.math().equal(y[i], ctx.shape(0)[i]) != Tri::kNo;
  SAMPAN_RULE(same, "the slope %s does not broadcast to x %s", ShapeText(ctx.shape(1)).c_str(),
              ShapeText(ctx.shape(0)).c_str());
  return same_as_first(ctx);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(PRelu, 1)
    .doc("x, but slope * x below 0; the slope broadcasts to x.")
    .input("x", sampan::kNumbers)
    .input("slope", sampan::kNumbers, 0, 0)
    .output("y")
    .infer(sampan::infer)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kPrelu>,
            sampan::run_binary<sampan::BinaryOp::kPrelu>);
