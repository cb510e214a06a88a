#include "ops/common/unary.h"

SAMPAN_OPERATOR(Log, 1)
    .doc("The natural logarithm; -inf for 0, NaN below.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kLog>, sampan::run_unary<sampan::UnaryOp::kLog>);
