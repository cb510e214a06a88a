#include "ops/common/binary.h"

SAMPAN_OPERATOR(Or, 1)
    .doc("a or b, with broadcasting.")
    .input("a", sampan::kBool)
    .input("b", sampan::kBool, 0, 0)
    .output("y")
    .infer(sampan::infer_binary<sampan::dim_or>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kOr>,
            sampan::run_binary<sampan::BinaryOp::kOr>);
