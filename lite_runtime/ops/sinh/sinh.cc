#include "ops/common/unary.h"

SAMPAN_OPERATOR(Sinh, 1)
    .doc("The hyperbolic sine.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kSinh>,
            sampan::run_unary<sampan::UnaryOp::kSinh>);
