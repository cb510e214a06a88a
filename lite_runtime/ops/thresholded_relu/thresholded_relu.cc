#include "ops/common/unary.h"

namespace sampan {
namespace {
enum { kAlpha };
}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(ThresholdedRelu, 1)
    .doc("x above alpha, else 0.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_float(sampan::kAlpha, "alpha", 1.0f)
    .infer(sampan::infer_parameters)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kThresholdedRelu>,
            sampan::run_unary_p<sampan::UnaryOp::kThresholdedRelu>);
