#include "ops/common/unary.h"

SAMPAN_OPERATOR(Abs, 1)
    .doc("The absolute value. The lowest integer stays itself.")
    .input("x", sampan::kNumbers)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kAbs>, sampan::run_unary<sampan::UnaryOp::kAbs>);
