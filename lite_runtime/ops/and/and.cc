#include "ops/common/binary.h"

SAMPAN_OPERATOR(And, 1)
    .doc("a and b, with broadcasting.")
    .input("a", sampan::kBool)
    .input("b", sampan::kBool, 0, 0)
    .output("y")
    .infer(sampan::infer_binary<sampan::dim_and>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kAnd>,
            sampan::run_binary<sampan::BinaryOp::kAnd>);
