#include "ops/common/unary.h"

SAMPAN_OPERATOR(BitwiseNot, 1)
    .doc("All bits of x inverted.")
    .input("x", sampan::kInts)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kBitwiseNot>,
            sampan::run_unary<sampan::UnaryOp::kBitwiseNot>);
