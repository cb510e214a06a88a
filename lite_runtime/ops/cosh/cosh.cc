#include "ops/common/unary.h"

SAMPAN_OPERATOR(Cosh, 1)
    .doc("The hyperbolic cosine.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kCosh>,
            sampan::run_unary<sampan::UnaryOp::kCosh>);
