#include "ops/common/arg_reduce.h"

SAMPAN_OPERATOR(ArgMin, 1)
    .doc(
        "The position of the smallest element along an axis, as int64; of several the first, or "
        "the last "
        "if select_last_index is set. A NaN counts as the smallest.")
    .input("x", sampan::kNumbers)
    .output("y")
    .attr_int(sampan::kArgAxis, "axis", 0, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "negative counts from the end")
    .attr_bool(sampan::kArgKeepDims, "keepdims", true)
    .attr_bool(sampan::kArgLast, "select_last_index", false)
    .infer(sampan::infer_arg)
    .kernel(sampan::run_arg<false>);
