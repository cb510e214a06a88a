#include "ops/common/unary.h"

SAMPAN_OPERATOR(Softplus, 1)
    .doc("log(1 + exp(x)).")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kSoftplus>,
            sampan::run_unary<sampan::UnaryOp::kSoftplus>);
