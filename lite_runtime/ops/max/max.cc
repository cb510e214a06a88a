#include "ops/common/binary.h"

SAMPAN_OPERATOR(Max, 1)
    .doc("The larger of a and b, with broadcasting; NaN if either is.")
    .input("a", sampan::kNumbers)
    .input("b", sampan::kNumbers, 0, 0)
    .output("y")
    .infer(sampan::infer_binary<sampan::dim_max>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kMax>,
            sampan::run_binary<sampan::BinaryOp::kMax>);
