// ArgMax and ArgMin: the position of the extreme element along one axis.
#pragma once
#include "ops/common/reduce.h"

namespace sampan {

enum ArgAttr { kArgAxis, kArgKeepDims, kArgLast };

inline Status infer_arg(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  int axis = 0;
  SAMPAN_RULE(x.rank > 0, "a scalar has no axis");
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kArgAxis), x.rank, &axis));
  SAMPAN_RULE(!ctx.math().is(x[axis], 0), "axis %d of %s is empty: there is no extreme element",
              axis, ShapeText(x).c_str());
  DimShape y;
  for (int i = 0; i < x.rank; ++i)
    if (i != axis)
      y[y.rank++] = x[i];
    else if (ctx.attr_bool(kArgKeepDims))
      y[y.rank++] = 1;
  ctx.set_output(0, DType::kInt64, y);
  return Status();
}

template <bool kMax>
Status run_arg(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  if (y.shape.elements() == 0) return Status();
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kArgAxis), x.shape.rank, &axis));
  const ArgReduceFn fn = kMax ? arg_max_fn(x.dtype) : arg_min_fn(x.dtype);
  if (!fn) return type_not_built(x.dtype);
  const ReduceShape shape = around_axis(x.shape, axis);
  run_ranges(ctx, shape, dtype_size(x.dtype), [&](const ReduceRange& range) {
    fn(x.data, y.as<int64_t>(), shape, range, ctx.attr_bool(kArgLast));
  });
  return Status();
}

}  // namespace sampan
