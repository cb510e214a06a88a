#include "ops/common/unary.h"

SAMPAN_OPERATOR(Reciprocal, 1)
    .doc("1 / x, correctly rounded.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kReciprocal>,
            sampan::run_unary<sampan::UnaryOp::kReciprocal>);
