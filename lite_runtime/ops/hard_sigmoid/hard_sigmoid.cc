#include "ops/common/unary.h"

namespace sampan {
namespace {
enum { kAlpha, kBeta };
}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(HardSigmoid, 1)
    .doc("min(1, max(0, alpha * x + beta)).")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_float(sampan::kAlpha, "alpha", 0.2f)
    .attr_float(sampan::kBeta, "beta", 0.5f)
    .infer(sampan::infer_parameters)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kHardSigmoid>,
            sampan::run_unary_pp<sampan::UnaryOp::kHardSigmoid>);
