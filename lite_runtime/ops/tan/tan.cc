#include "ops/common/unary.h"

SAMPAN_OPERATOR(Tan, 1)
    .doc("The tangent of x in radians.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kTan>, sampan::run_unary<sampan::UnaryOp::kTan>);
