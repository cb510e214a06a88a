#include "ops/common/unary.h"

SAMPAN_OPERATOR(Atanh, 1)
    .doc("The inverse hyperbolic tangent; NaN outside [-1, 1].")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kAtanh>,
            sampan::run_unary<sampan::UnaryOp::kAtanh>);
