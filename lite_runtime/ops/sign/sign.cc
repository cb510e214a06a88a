#include "ops/common/unary.h"

SAMPAN_OPERATOR(Sign, 1)
    .doc("-1, 0 or 1; NaN for NaN.")
    .input("x", sampan::kNumbers)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kSign>,
            sampan::run_unary<sampan::UnaryOp::kSign>);
