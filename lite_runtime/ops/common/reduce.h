// Reductions over any set of axes, over the kernels of kernels/reduce.
#pragma once
#include "kernels/reduce/reduce.h"
#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {

enum ReduceAttr { kReduceAxes, kReduceKeepDims, kReduceNoop };

// The axes to reduce: attribute and input together; none at all means all, unless noop is set.
Status infer_reduce(InferContext& ctx, AxisSet* axes);
Status infer_reduce(InferContext& ctx);

// Room for x in an order in which the reduced axes are neighbours, where they are not.
Status prepare_reduce(PrepareContext& ctx);
Status run_reduce_op(RunContext& ctx, ReduceOp op);
template <ReduceOp O>
Status run_reduce(RunContext& ctx) {
  return run_reduce_op(ctx, O);
}

// Splits [0, outer) x [0, inner) over threads: over outer where that gives every thread a part.
template <class F>
void run_ranges(const RunContext& ctx, const ReduceShape& s, size_t element_size, F&& f) {
  const int64_t bytes = s.n * static_cast<int64_t>(element_size);
  if (s.outer >= ctx.threads() || s.inner == 1) {
    ctx.parallel_for(s.outer, grain_for(bytes * s.inner), [&](int64_t begin, int64_t end, int) {
      f(ReduceRange{begin, end, 0, s.inner});
    });
  } else {
    ctx.parallel_for(s.inner, grain_for(bytes * s.outer), [&](int64_t begin, int64_t end, int) {
      f(ReduceRange{0, s.outer, begin, end});
    });
  }
}

// [outer, n, inner] around one axis.
inline ReduceShape around_axis(const Shape& shape, int axis) {
  ReduceShape s;
  for (int i = 0; i < axis; ++i) s.outer *= shape[i];
  s.n = shape[axis];
  for (int i = axis + 1; i < shape.rank; ++i) s.inner *= shape[i];
  return s;
}

}  // namespace sampan

#define SAMPAN_REDUCTION(types, text)                                                          \
  .doc(text " Without axes: over all, or over none if noop_with_empty_axes is set.")           \
      .input("x", types)                                                                       \
      .input("axes", ::sampan::kIndices, ::sampan::kOptional)                                  \
      .output("y")                                                                             \
      .attr_ints(::sampan::kReduceAxes, "axes", -::sampan::kMaxRank, ::sampan::kMaxRank - 1,   \
                 "negative counts from the end")                                               \
      .attr_bool(::sampan::kReduceKeepDims, "keepdims", true, "reduced axes stay with size 1") \
      .attr_bool(::sampan::kReduceNoop, "noop_with_empty_axes", false)
