#include "ops/common/reduce.h"

#include "ops/common/kernel_name.h"

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

namespace {

// Bit i: axis i is reduced.
Status reduced_axes(const TensorContext& ctx, uint32_t* mask) {
  const Shape& x = ctx.input(0).shape;
  AxisSet axes;
  SAMPAN_TRY(axes_of(ctx.attr_list(kReduceAxes), x.rank, &axes));
  if (ctx.has_input(1)) {
    const int64_t n = ctx.input(1).shape.elements();
    SAMPAN_CHECK(n == 0 || ctx.input(1).data, Code::kInternal,
                 "the axes were not computed while planning");
    for (int64_t i = 0; i < n; ++i) SAMPAN_TRY(add_axis(index_at(ctx.input(1), i), x.rank, &axes));
  }
  const bool all = reduces_all(axes, ctx);
  *mask = 0;
  for (int i = 0; i < x.rank; ++i)
    if (all || axes.has[i]) *mask |= 1u << i;
  return Status();
}

// x with its axes in the order perm, into the workspace.
void permute(const RunContext& ctx, const int* perm) {
  const Tensor& x = ctx.input(0);
  int64_t src[kMaxRank], dst[kMaxRank];
  row_major_strides(x.shape, src);
  Shape y = x.shape;
  for (int i = 0; i < y.rank; ++i) y[i] = x.shape[perm[i]];
  row_major_strides(y, dst);
  StridedCopy copy;
  for (int i = 0; i < y.rank; ++i) copy.push(y[i], dst[i], src[perm[i]]);
  run_strided_copy(ctx, copy, ctx.workspace(), x.data, dtype_size(x.dtype));
}

}  // namespace

Status prepare_reduce(PrepareContext& ctx) {
  const Tensor& x = ctx.input(0);
  uint32_t mask = 0;
  SAMPAN_TRY(reduced_axes(ctx, &mask));
  const bool vector = x.dtype == DType::kFloat32 && ctx.isa() != Isa::kPortable;
  SAMPAN_TRY(name_kernel(ctx, x.dtype, vector ? isa_name(ctx.isa()) : "portable"));
  const ReducePlan plan = make_reduce_plan(x.shape.rank, x.shape.dims, mask);
  return plan.permute ? ctx.workspace(static_cast<int64_t>(x.bytes())) : Status();
}

Status run_reduce_op(RunContext& ctx, ReduceOp op) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  uint32_t mask = 0;
  SAMPAN_TRY(reduced_axes(ctx, &mask));
  const ReducePlan plan = make_reduce_plan(x.shape.rank, x.shape.dims, mask);
  if (y.shape.elements() == 0) return Status();
  const size_t size = dtype_size(x.dtype);
  const bool is_bool = x.dtype == DType::kBool;
  if (is_bool && plan.shape.n == 0) {  // the lowest and the highest value of bool
    const uint8_t nothing = op == ReduceOp::kMin ? 1 : 0;
    run_fill(ctx, y.data, &nothing, 1, y.shape.elements());
    return Status();
  }
  const ReduceFn fn = reduce_fn(ctx.isa(), op, is_bool ? DType::kUInt8 : x.dtype);
  if (!fn) return type_not_built(x.dtype);
  if (plan.permute) permute(ctx, plan.perm);
  const void* from = plan.permute ? ctx.workspace() : x.data;
  run_ranges(ctx, plan.shape, size,
             [&](const ReduceRange& range) { fn(from, y.data, plan.shape, range); });
  return Status();
}

}  // namespace sampan
