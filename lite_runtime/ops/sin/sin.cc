#include "ops/common/unary.h"

SAMPAN_OPERATOR(Sin, 1)
    .doc("The sine of x in radians.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kSin>, sampan::run_unary<sampan::UnaryOp::kSin>);
