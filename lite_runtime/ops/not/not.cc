#include "ops/common/unary.h"

SAMPAN_OPERATOR(Not, 1)
    .doc("True where x is false.")
    .input("x", sampan::kBool)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kLogicalNot>,
            sampan::run_unary<sampan::UnaryOp::kLogicalNot>);
