#include "ops/common/reduce.h"

SAMPAN_OPERATOR(ReduceMin, 1)
SAMPAN_REDUCTION(
    sampan::kAnyType,
    "The smallest element over the axes; NaN if there is one; the largest number of nothing.")
    .infer(sampan::infer_reduce)
    .kernel(sampan::prepare_reduce, sampan::run_reduce<sampan::ReduceOp::kMin>);
