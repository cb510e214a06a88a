#include "ops/common/unary.h"

namespace sampan {
namespace {
enum { kAlpha };
}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Elu, 1)
    .doc("x, but alpha * (exp(x) - 1) below 0.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_float(sampan::kAlpha, "alpha", 1.0f)
    .infer(sampan::infer_parameters)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kElu>,
            sampan::run_unary_p<sampan::UnaryOp::kElu>);
