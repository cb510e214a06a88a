#include "ops/common/reduce.h"

SAMPAN_OPERATOR(ReduceMax, 1)
SAMPAN_REDUCTION(
    sampan::kAnyType,
    "The largest element over the axes; NaN if there is one; the lowest number of nothing.")
    .infer(sampan::infer_reduce)
    .kernel(sampan::prepare_reduce, sampan::run_reduce<sampan::ReduceOp::kMax>);
