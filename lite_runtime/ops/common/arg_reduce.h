// ArgMax and ArgMin: the position of the extreme element along one axis.
#pragma once
#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

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

// A NaN counts as the extreme, as in numpy.
template <class T, bool kMax>
void arg_rows(const RunContext& ctx, int axis, bool last) {
  using W = Wide<T>;
  const Tensor& x = ctx.input(0);
  int64_t outer = 1, inner = 1;
  const int64_t n = x.shape[axis];
  for (int i = 0; i < axis; ++i) outer *= x.shape[i];
  for (int i = axis + 1; i < x.shape.rank; ++i) inner *= x.shape[i];
  int64_t* y = ctx.output(0).as<int64_t>();
  ctx.parallel_for(outer * inner, grain_for(n * static_cast<int64_t>(sizeof(T))),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t r = begin; r < end; ++r) {
                       const T* from = x.as<T>() + r / inner * n * inner + r % inner;
                       W best = static_cast<W>(from[0]);
                       int64_t at = 0;
                       for (int64_t i = 1; i < n; ++i) {
                         const W v = static_cast<W>(from[i * inner]);
                         const bool better = kMax ? v > best : v < best;
                         const bool nan = v != v && best == best;
                         const bool tie = last && (v == best || (v != v && best != best));
                         if (better || nan || tie) {
                           best = v;
                           at = i;
                         }
                       }
                       y[r] = at;
                     }
                   });
}

template <bool kMax>
Status run_arg(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (ctx.output(0).shape.elements() == 0) return Status();
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kArgAxis), x.shape.rank, &axis));
  const bool known = with_type<kNumbers>(x.dtype, [&](auto tag) {
    arg_rows<typename decltype(tag)::type, kMax>(ctx, axis, ctx.attr_bool(kArgLast));
  });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace sampan
