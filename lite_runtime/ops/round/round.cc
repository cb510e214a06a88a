#include "ops/common/unary.h"

SAMPAN_OPERATOR(Round, 1)
    .doc("The nearest integer, halves to even.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kRound>,
            sampan::run_unary<sampan::UnaryOp::kRound>);
