#include "ops/common/unary.h"

namespace sampan {
namespace {
enum { kAlpha, kGamma };
}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Selu, 1)
    .doc("gamma * x, but gamma * alpha * (exp(x) - 1) below 0.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_float(sampan::kAlpha, "alpha", 1.67326319f)
    .attr_float(sampan::kGamma, "gamma", 1.05070102f)
    .infer(sampan::infer_parameters)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kSelu>,
            sampan::run_unary_pp<sampan::UnaryOp::kSelu>);
