#include "ops/common/unary.h"

namespace sampan {
namespace {
enum { kAlpha };
}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(LeakyRelu, 1)
    .doc("x, but alpha * x below 0.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_float(sampan::kAlpha, "alpha", 0.01f)
    .infer(sampan::infer_parameters)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kLeakyRelu>,
            sampan::run_unary_p<sampan::UnaryOp::kLeakyRelu>);
