#include "ops/common/unary.h"

SAMPAN_OPERATOR(Acosh, 1)
    .doc("The inverse hyperbolic cosine; NaN below 1.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kAcosh>,
            sampan::run_unary<sampan::UnaryOp::kAcosh>);
