#include "ops/common/softmax.h"

#include "ops/common/shape_rules.h"

namespace sampan {

Status infer_softmax(InferContext& ctx) {
  int axis = 0;
  const DimShape& x = ctx.shape(0);
  if (x.rank > 0) SAMPAN_TRY(normalize_axis(ctx.attr_int(0), x.rank, &axis));
  return same_as_first(ctx);
}

Status prepare_softmax(PrepareContext& ctx, const char* name) {
  SoftmaxState* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const Tensor& x = ctx.input(0);
  int axis = 0;
  if (x.shape.rank > 0) SAMPAN_TRY(normalize_axis(ctx.attr_int(0), x.shape.rank, &axis));
  s->rows = rows_of(x.shape, axis);
  WorkspacePlan plan;
  s->wide = plan_wide(x, ctx.output(0), &plan);
  ctx.kernel_name(name);
  return plan.request(ctx);
}

}  // namespace sampan
