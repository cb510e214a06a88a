#include "ops/common/unary.h"

SAMPAN_OPERATOR(HardSwish, 1)
    .doc("x * min(1, max(0, x / 6 + 1 / 2)).")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kHardSwish>,
            sampan::run_unary<sampan::UnaryOp::kHardSwish>);
