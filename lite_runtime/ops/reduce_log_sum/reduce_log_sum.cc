#include "ops/common/reduce.h"

SAMPAN_OPERATOR(ReduceLogSum, 1)
SAMPAN_REDUCTION(sampan::kNumbers, "The logarithm of the sum over the axes.")
    .infer(sampan::infer_reduce)
    .kernel(sampan::prepare_reduce, sampan::run_reduce<sampan::ReduceOp::kLogSum>);
