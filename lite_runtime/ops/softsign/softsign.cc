#include "ops/common/unary.h"

SAMPAN_OPERATOR(Softsign, 1)
    .doc("x / (1 + |x|).")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kSoftsign>,
            sampan::run_unary<sampan::UnaryOp::kSoftsign>);
