#include "ops/common/unary.h"

SAMPAN_OPERATOR(Erf, 1)
    .doc("The error function.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kErf>, sampan::run_unary<sampan::UnaryOp::kErf>);
