#include "ops/common/unary.h"

SAMPAN_OPERATOR(Exp, 1)
    .doc("e to the power of x.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kExp>, sampan::run_unary<sampan::UnaryOp::kExp>);
