#include "ops/common/unary.h"

SAMPAN_OPERATOR(Ceil, 1)
    .doc("The smallest integer not below x.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kCeil>,
            sampan::run_unary<sampan::UnaryOp::kCeil>);
