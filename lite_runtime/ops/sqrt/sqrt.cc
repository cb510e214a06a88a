#include "ops/common/unary.h"

SAMPAN_OPERATOR(Sqrt, 1)
    .doc("The square root, correctly rounded; NaN below 0.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kSqrt>,
            sampan::run_unary<sampan::UnaryOp::kSqrt>);
