#include "ops/common/reduce.h"

namespace sampan {
namespace {

bool reduces_all(const AxisSet& axes, const NodeView& node) {
  return axes.count == 0 && !node.attr_bool(kReduceNoop);
}

}  // namespace

Status infer_reduce(InferContext& ctx, AxisSet* axes) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_TRY(axes_of(ctx.attr_list(kReduceAxes), x.rank, axes));
  if (ctx.has_input(1)) {
    if (!values_of(ctx, 1).known) {
      const int n = list_length(ctx, 1);
      return unknown_sizes(ctx, 1, ctx.dtype(0),
                           ctx.attr_bool(kReduceKeepDims) ? x.rank
                           : n < 1                        ? -1
                                                          : x.rank - n);
    }
    SAMPAN_TRY(axes_of_input(ctx, 1, x.rank, axes));
  }
  if (reduces_all(*axes, ctx)) {
    for (int i = 0; i < x.rank; ++i) axes->has[i] = true;
    axes->count = x.rank;
  }
  DimShape y;
  for (int i = 0; i < x.rank; ++i) {
    if (!axes->has[i])
      y[y.rank++] = x[i];
    else if (ctx.attr_bool(kReduceKeepDims))
      y[y.rank++] = 1;
  }
  ctx.set_output(0, ctx.dtype(0), y);
  return Status();
}

Status infer_reduce(InferContext& ctx) {
  AxisSet axes;
  return infer_reduce(ctx, &axes);
}

Status reduce_plan(const TensorContext& ctx, ReducePlan* plan) {
  const Shape& x = ctx.input(0).shape;
  AxisSet axes;
  SAMPAN_TRY(axes_of(ctx.attr_list(kReduceAxes), x.rank, &axes));
  if (ctx.has_input(1)) {
    const int64_t n = ctx.input(1).shape.elements();
    for (int64_t i = 0; i < n; ++i) SAMPAN_TRY(add_axis(index_at(ctx.input(1), i), x.rank, &axes));
  }
  const bool all = reduces_all(axes, ctx);
  plan->reduced = 1;
  plan->count = 0;
  // From the innermost group outwards; `inner` counts the kept elements passed so far.
  int64_t inner = 1;
  for (int i = x.rank - 1; i >= 0;) {
    const bool reduce = all || axes.has[i];
    int64_t group = 1;
    for (; i >= 0 && (all || axes.has[i]) == reduce; --i) group *= x[i];
    if (!reduce) {
      inner *= group;
      continue;
    }
    plan->reduced *= group;
    int64_t outer = 1;
    for (int k = 0; k <= i; ++k) outer *= x[k];
    plan->passes[plan->count++] = {outer, group, inner};
  }
  return Status();
}

Status prepare_reduce(PrepareContext& ctx) {
  SAMPAN_CHECK(!ctx.has_input(1) || ctx.input(1).data, Code::kInternal,
               "the axes were not computed while planning");
  ReducePlan plan;
  SAMPAN_TRY(reduce_plan(ctx, &plan));
  int64_t results = 0;
  for (int i = 0; i < plan.count; ++i) results += plan.passes[i].outer * plan.passes[i].inner;
  int64_t bytes = 0;
  SAMPAN_CHECK(checked_mul(results, 8, &bytes), Code::kLimit,
               "the workspace of the reduction is too large");
  return ctx.workspace(bytes);
}

}  // namespace sampan
