#include "ops/common/binary.h"

SAMPAN_OPERATOR(Min, 1)
    .doc("The smaller of a and b, with broadcasting; NaN if either is.")
    .input("a", sampan::kNumbers)
    .input("b", sampan::kNumbers, 0, 0)
    .output("y")
    .infer(sampan::infer_binary<sampan::dim_min>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kMin>,
            sampan::run_binary<sampan::BinaryOp::kMin>);
