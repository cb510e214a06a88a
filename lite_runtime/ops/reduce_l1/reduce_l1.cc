#include "ops/common/reduce.h"

SAMPAN_OPERATOR(ReduceL1, 1)
SAMPAN_REDUCTION(sampan::kNumbers, "The sum of the absolute values over the axes.")
    .infer(sampan::infer_reduce)
    .kernel(sampan::prepare_reduce, sampan::run_reduce<sampan::ReduceOp::kL1>);
