#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

Status infer(InferContext& ctx) {
  ctx.set_output(0, DType::kInt64, DimShape());
  if (ctx.wants_values()) {
    const Dim n = ctx.math().product(ctx.shape(0), 0, ctx.shape(0).rank);
    ctx.set_output_values(0, &n, 1);
  }
  return Status();
}

Status run(RunContext& ctx) {
  *ctx.output(0).as<int64_t>() = ctx.input(0).shape.elements();
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Size, 1)
    .doc("The number of elements of x, as an int64 scalar.")
    .input("x", sampan::kAnyType, sampan::kShapeOnly)
    .output("y")
    .infer(sampan::infer)
    .kernel(sampan::run);
