#include "ops/common/reduce.h"

SAMPAN_OPERATOR(ReduceLogSumExp, 1)
SAMPAN_REDUCTION(sampan::kNumbers,
                 "The logarithm of the sum of exponentials over the axes, without overflow.")
    .infer(sampan::infer_reduce)
    .kernel(sampan::prepare_reduce, sampan::run_reduce<sampan::ReduceOp::kLogSumExp>);
