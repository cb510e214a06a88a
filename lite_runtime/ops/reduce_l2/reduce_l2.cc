#include "ops/common/reduce.h"

SAMPAN_OPERATOR(ReduceL2, 1)
SAMPAN_REDUCTION(sampan::kNumbers, "The square root of the sum of squares over the axes.")
    .infer(sampan::infer_reduce)
    .kernel(sampan::prepare_reduce, sampan::run_reduce<sampan::ReduceOp::kL2>);
