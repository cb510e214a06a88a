#include "ops/common/binary.h"

SAMPAN_OPERATOR(Sub, 1)
    .doc("a - b, with broadcasting. Integers wrap.")
    .input("a", sampan::kNumbers)
    .input("b", sampan::kNumbers, 0, 0)
    .output("y")
    .infer(sampan::infer_binary<sampan::dim_sub>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kSub>,
            sampan::run_binary<sampan::BinaryOp::kSub>);
