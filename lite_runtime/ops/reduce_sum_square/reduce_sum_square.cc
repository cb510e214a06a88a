#include "ops/common/reduce.h"

SAMPAN_OPERATOR(ReduceSumSquare, 1)
SAMPAN_REDUCTION(sampan::kNumbers, "The sum of squares over the axes.")
    .infer(sampan::infer_reduce)
    .kernel(sampan::prepare_reduce, sampan::run_reduce<sampan::ReduceOp::kSumSquare>);
