#include "ops/common/unary.h"

SAMPAN_OPERATOR(IsNaN, 1)
    .doc("True where x is not a number.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::bool_like_first)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kIsNan>,
            sampan::run_unary<sampan::UnaryOp::kIsNan>);
