#include "ops/common/unary.h"

SAMPAN_OPERATOR(Cos, 1)
    .doc("The cosine of x in radians.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kCos>, sampan::run_unary<sampan::UnaryOp::kCos>);
