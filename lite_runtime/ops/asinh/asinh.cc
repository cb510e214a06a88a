#include "ops/common/unary.h"

SAMPAN_OPERATOR(Asinh, 1)
    .doc("The inverse hyperbolic sine.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kAsinh>,
            sampan::run_unary<sampan::UnaryOp::kAsinh>);
