#include "ops/common/unary.h"

SAMPAN_OPERATOR(Silu, 1)
    .doc("x * sigmoid(x).")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kSilu>,
            sampan::run_unary<sampan::UnaryOp::kSilu>);
