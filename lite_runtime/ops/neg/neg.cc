#include "ops/common/unary.h"

namespace sampan {
namespace {

Status infer(InferContext& ctx) {
  SAMPAN_TRY(same_as_first(ctx));
  int n = 0;
  if (!can_set_values(ctx, ctx.dtype(0), ctx.shape(0), &n)) return Status();
  Values x = values_of(ctx, 0);
  if (!x.known || x.n != n) return Status();
  Dim y[InferContext::kMaxValues];
  for (int i = 0; i < n; ++i) {
    if (x[i].known() && x[i].value == INT64_MIN) return Status();
    y[i] = ctx.math().sub(0, x[i]);
  }
  ctx.set_output_values(0, y, n);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Neg, 1)
    .doc("-x. The lowest integer stays itself.")
    .input("x", sampan::kFloats | sampan::kSigned)
    .output("y")
    .infer(sampan::infer)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kNeg>, sampan::run_unary<sampan::UnaryOp::kNeg>);
