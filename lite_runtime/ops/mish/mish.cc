#include "ops/common/unary.h"

SAMPAN_OPERATOR(Mish, 1)
    .doc("x * tanh(softplus(x)).")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kMish>,
            sampan::run_unary<sampan::UnaryOp::kMish>);
