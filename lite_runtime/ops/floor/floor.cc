#include "ops/common/unary.h"

SAMPAN_OPERATOR(Floor, 1)
    .doc("The largest integer not above x.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kFloor>,
            sampan::run_unary<sampan::UnaryOp::kFloor>);
