// Elementwise operators of one input, over the kernels of kernels/elementwise.
#pragma once
#include "kernels/elementwise/elementwise.h"
#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {

// output 0 = f(input 0; p0, p1), split over threads.
Status run_unary_op(RunContext& ctx, UnaryOp op, float p0, float p1);

// Names the kernel.
Status prepare_unary_op(PrepareContext& ctx, UnaryOp op);
template <UnaryOp O>
Status prepare_unary(PrepareContext& ctx) {
  return prepare_unary_op(ctx, O);
}

template <UnaryOp O>
Status run_unary(RunContext& ctx) {
  return run_unary_op(ctx, O, 0, 0);
}
// The first attribute is p0 (and the second p1).
template <UnaryOp O>
Status run_unary_p(RunContext& ctx) {
  return run_unary_op(ctx, O, ctx.attr_float(0), 0);
}
template <UnaryOp O>
Status run_unary_pp(RunContext& ctx) {
  return run_unary_op(ctx, O, ctx.attr_float(0), ctx.attr_float(1));
}

// Refuses a NaN parameter: no result would follow from it.
inline Status check_parameter(const InferContext& ctx, int attr, const char* name) {
  const float v = ctx.attr_float(attr);
  SAMPAN_RULE(v == v, "%s is NaN: expected a number", name);
  return Status();
}

// Shape rule for operators with float parameters.
inline Status infer_parameters(InferContext& ctx) {
  for (int i = 0; i < ctx.def().num_attrs; ++i)
    if (ctx.def().attrs[i].type == AttrType::kFloat)
      SAMPAN_TRY(check_parameter(ctx, i, "a parameter"));
  return same_as_first(ctx);
}

}  // namespace sampan
