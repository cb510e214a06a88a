#include "ops/common/binary.h"

SAMPAN_OPERATOR(Equal, 1)
    .doc("a == b as bool, with broadcasting.")
    .input("a", sampan::kAnyType)
    .input("b", sampan::kAnyType, 0, 0)
    .output("y")
    .infer(sampan::infer_compare<sampan::dim_equal>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kEqual>,
            sampan::run_binary<sampan::BinaryOp::kEqual>);
