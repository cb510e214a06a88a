#include "ops/common/reduce.h"

namespace sampan {
namespace {

// The elements of a list that shape arithmetic reduces wholly.
Status infer(InferContext& ctx) {
  AxisSet axes;
  SAMPAN_TRY(infer_reduce(ctx, &axes));
  if (!ctx.wants_values() || !in_set(kIndices, ctx.dtype(0)) || ctx.shape(0).rank != 1 ||
      axes.count != 1)
    return Status();
  Values x = values_of(ctx, 0);
  if (!x.known) return Status();
  Dim total = 1;
  for (int i = 0; i < x.n; ++i) {
    int64_t fits = 0;
    if (total.known() && x[i].known() && !checked_mul(total.value, x[i].value, &fits))
      return Status();
    total = ctx.math().mul(total, x[i]);
  }
  ctx.set_output_values(0, &total, 1);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(ReduceProd, 1)
SAMPAN_REDUCTION(sampan::kNumbers, "The product over the axes.")
    .infer(sampan::infer)
    .kernel(sampan::prepare_reduce, sampan::run_reduce<sampan::ReduceOp::kProd>);
