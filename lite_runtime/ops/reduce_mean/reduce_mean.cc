#include "ops/common/reduce.h"

SAMPAN_OPERATOR(ReduceMean, 1)
SAMPAN_REDUCTION(sampan::kNumbers, "The mean over the axes; integers truncate.")
    .infer(sampan::infer_reduce)
    .kernel(sampan::prepare_reduce, sampan::run_reduce<sampan::ReduceOp::kMean>);
