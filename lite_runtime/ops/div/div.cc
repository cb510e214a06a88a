#include "ops/common/binary.h"

SAMPAN_OPERATOR(Div, 1)
    .doc(
        "a / b, with broadcasting. Integers truncate towards zero; division by 0 is an error for "
        "them.")
    .input("a", sampan::kNumbers)
    .input("b", sampan::kNumbers, 0, 0)
    .output("y")
    .infer(sampan::infer_binary<sampan::dim_div>)
    .in_place(0)
    .kernel(sampan::prepare_binary<sampan::BinaryOp::kDiv>,
            sampan::run_division<sampan::BinaryOp::kDiv>);
