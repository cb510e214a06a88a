#include "ops/common/unary.h"

SAMPAN_OPERATOR(Acos, 1)
    .doc("The arccosine; NaN outside [-1, 1].")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kAcos>,
            sampan::run_unary<sampan::UnaryOp::kAcos>);
