#include "ops/common/binary.h"

SAMPAN_OPERATOR(Xor, 1)
    .doc("a differs from b, with broadcasting.")
    .input("a", sampan::kBool)
    .input("b", sampan::kBool, 0, 0)
    .output("y")
    .infer(sampan::infer_binary<nullptr>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kXor>,
            sampan::run_binary<sampan::BinaryOp::kXor>);
