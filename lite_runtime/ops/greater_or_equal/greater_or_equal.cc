#include "ops/common/binary.h"

SAMPAN_OPERATOR(GreaterOrEqual, 1)
    .doc("a >= b as bool, with broadcasting.")
    .input("a", sampan::kNumbers)
    .input("b", sampan::kNumbers, 0, 0)
    .output("y")
    .infer(sampan::infer_compare<sampan::dim_greater_or_equal>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kGreaterOrEqual>,
            sampan::run_binary<sampan::BinaryOp::kGreaterOrEqual>);
