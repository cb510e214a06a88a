#include "ops/common/unary.h"

SAMPAN_OPERATOR(Atan, 1)
    .doc("The arctangent.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kAtan>,
            sampan::run_unary<sampan::UnaryOp::kAtan>);
