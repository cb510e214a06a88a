#include "ops/common/layer_norm.h"

#include "ops/common/conv_common.h"
#include "ops/common/shape_rules.h"

namespace sampan {

Status infer_layer_norm(InferContext& ctx, int64_t axis, float epsilon, int* first) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_RULE(x.rank >= 1, "x is a scalar: there is no axis to normalise");
  SAMPAN_TRY(normalize_axis(axis, x.rank, first));
  SAMPAN_RULE(epsilon >= 0.0f, "epsilon is %g: it must be 0 or more", static_cast<double>(epsilon));
  for (int i = 1; i <= 2; ++i) {
    if (!ctx.has_input(i)) continue;
    const DimShape& p = ctx.shape(i);
    bool same = p.rank == x.rank - *first;
    for (int d = 0; same && d < p.rank; ++d)
      same = ctx.math().equal(p[d], x[*first + d]) != Tri::kNo;
    SAMPAN_RULE(same, "%s has shape %s: expected the axes of x %s from %d on",
                i == 1 ? "scale" : "bias", ShapeText(p).c_str(), ShapeText(x).c_str(), *first);
  }
  ctx.set_output(0, ctx.dtype(0), x);
  return Status();
}

Status prepare_layer_norm(PrepareContext& ctx, int64_t axis, const char* name) {
  LayerNormState* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const Tensor& x = ctx.input(0);
  int first = 0;
  SAMPAN_TRY(normalize_axis(axis, x.shape.rank, &first));
  s->rows = rows_of(x.shape, first);
  s->rows.n *= s->rows.inner;
  s->rows.inner = 1;
  WorkspacePlan plan;
  s->wide = plan_wide(x, ctx.output(0), &plan);
  if (compute_type(x.dtype) != x.dtype) {
    s->at_scale = plan.add(s->rows.n, 4);
    s->at_bias = plan.add(s->rows.n, 4);
  }
  ctx.kernel_name(name);
  return plan.request(ctx);
}

template <>
const float* layer_norm_parameter<float>(const RunContext& ctx, int i, int64_t offset) {
  return ctx.has_input(i) ? as_float(ctx, ctx.input(i), offset) : nullptr;
}
template <>
const double* layer_norm_parameter<double>(const RunContext& ctx, int i, int64_t) {
  return ctx.has_input(i) ? ctx.input(i).as<double>() : nullptr;
}

}  // namespace sampan
