#include "ops/common/unary.h"

SAMPAN_OPERATOR(Tanh, 1)
    .doc("The hyperbolic tangent.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kTanh>,
            sampan::run_unary<sampan::UnaryOp::kTanh>);
