#include "ops/common/binary.h"

SAMPAN_OPERATOR(BitwiseAnd, 1)
    .doc("a & b, with broadcasting.")
    .input("a", sampan::kInts)
    .input("b", sampan::kInts, 0, 0)
    .output("y")
    .infer(sampan::infer_binary<nullptr>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kBitwiseAnd>,
            sampan::run_binary<sampan::BinaryOp::kBitwiseAnd>);
