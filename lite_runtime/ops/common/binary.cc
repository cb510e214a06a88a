#include "ops/common/binary.h"

#include <cinttypes>

#include "ops/common/kernel_name.h"

namespace sampan {

BroadcastPlan plan_inputs(const TensorContext& ctx, int first, int count) {
  const int64_t* shapes[BroadcastPlan::kMaxOperands];
  int ranks[BroadcastPlan::kMaxOperands];
  for (int i = 0; i < count; ++i) {
    shapes[i] = ctx.input(first + i).shape.dims;
    ranks[i] = ctx.input(first + i).shape.rank;
  }
  BroadcastPlan plan;
  // The shape rule has seen that they do.
  if (!make_broadcast_plan(count, shapes, ranks, &plan)) plan.total = 0;
  return plan;
}

Status check_divisors(const Tensor& b) {
  int64_t at = -1;
  with_type<kInts>(b.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = b.shape.elements();
    for (int64_t i = 0; i < n && at < 0; ++i)
      if (b.as<T>()[i] == 0) at = i;
  });
  SAMPAN_CHECK(at < 0, Code::kDataError,
               "integer division by zero: element %" PRId64 " of the divisor is 0", at);
  return Status();
}

Status prepare_binary_op(PrepareContext& ctx, BinaryOp op) {
  const DType type = ctx.input(0).dtype;
  const ElementwiseF32Table& table = elementwise_f32_table(ctx.isa());
  const bool vector = in_set(kF32 | kHalfs, type) && table.binary[static_cast<int>(op)] != nullptr;
  return name_kernel(ctx, type, vector ? table.isa : "portable");
}

Status run_binary_op(RunContext& ctx, BinaryOp op) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  const BinaryKernel kernel = binary_kernel(ctx.isa(), op, a.dtype);
  if (!kernel) return type_not_built(a.dtype);
  const BroadcastPlan plan = plan_inputs(ctx, 0, 2);
  ctx.parallel_for(plan.total, grain_for(static_cast<int64_t>(dtype_size(a.dtype))),
                   [&](int64_t begin, int64_t end, int) {
                     run_binary(kernel, plan, a.data, b.data, ctx.output(0).data, begin, end);
                   });
  return Status();
}

// ---- elements in shape arithmetic ----------------------------------------------------------

bool dim_add(DimMath& m, Dim a, Dim b, Dim* out) {
  int64_t v = 0;
  if (a.known() && b.known() && !checked_add(a.value, b.value, &v)) return false;
  *out = m.add(a, b);
  return true;
}
bool dim_sub(DimMath& m, Dim a, Dim b, Dim* out) {
  int64_t v = 0;
  if (a.known() && b.known() && !checked_sub(a.value, b.value, &v)) return false;
  *out = m.sub(a, b);
  return true;
}
bool dim_mul(DimMath& m, Dim a, Dim b, Dim* out) {
  int64_t v = 0;
  if (a.known() && b.known() && !checked_mul(a.value, b.value, &v)) return false;
  *out = m.mul(a, b);
  return true;
}
// Integer division truncates; that is floor division only where nothing is negative.
bool dim_div(DimMath& m, Dim a, Dim b, Dim* out) {
  if (m.is(b, 0) || m.is(b, -1)) return false;
  if (a.known() && b.known()) {
    *out = a.value / b.value;
    return true;
  }
  if (m.less(a, 0) != Tri::kNo || m.less(b, 1) != Tri::kNo) return false;
  *out = m.floor_div(a, b);
  return true;
}
bool dim_mod(DimMath& m, Dim a, Dim b, Dim* out) {
  if (m.less(a, 0) != Tri::kNo || m.less(b, 1) != Tri::kNo) return false;
  *out = m.sub(a, m.mul(m.floor_div(a, b), b));
  return true;
}
bool dim_min(DimMath& m, Dim a, Dim b, Dim* out) {
  *out = m.min(a, b);
  return true;
}
bool dim_max(DimMath& m, Dim a, Dim b, Dim* out) {
  *out = m.max(a, b);
  return true;
}

namespace {
bool from_tri(Tri t, bool invert, Dim* out) {
  if (t == Tri::kUnknown) return false;
  *out = (t == Tri::kYes) != invert ? 1 : 0;
  return true;
}
}  // namespace

bool dim_equal(DimMath& m, Dim a, Dim b, Dim* out) { return from_tri(m.equal(a, b), false, out); }
bool dim_less(DimMath& m, Dim a, Dim b, Dim* out) { return from_tri(m.less(a, b), false, out); }
bool dim_greater(DimMath& m, Dim a, Dim b, Dim* out) { return from_tri(m.less(b, a), false, out); }
bool dim_less_or_equal(DimMath& m, Dim a, Dim b, Dim* out) {
  return from_tri(m.less(b, a), true, out);
}
bool dim_greater_or_equal(DimMath& m, Dim a, Dim b, Dim* out) {
  return from_tri(m.less(a, b), true, out);
}
bool dim_and(DimMath& m, Dim a, Dim b, Dim* out) {
  if (m.is(a, 0) || m.is(b, 0)) {
    *out = 0;
    return true;
  }
  *out = 1;
  return m.is(a, 1) && m.is(b, 1);
}
bool dim_or(DimMath& m, Dim a, Dim b, Dim* out) {
  if (m.is(a, 1) || m.is(b, 1)) {
    *out = 1;
    return true;
  }
  *out = 0;
  return m.is(a, 0) && m.is(b, 0);
}

Status infer_broadcast(InferContext& ctx, bool to_bool, BinaryDim fn) {
  DimShape y;
  SAMPAN_TRY(broadcast_shapes(ctx, ctx.shape(0), ctx.shape(1), &y));
  const DType type = to_bool ? DType::kBool : ctx.dtype(0);
  ctx.set_output(0, type, y);
  int n = 0;
  if (!fn || !in_set(kIndices | kBool, ctx.dtype(0)) || !can_set_values(ctx, type, y, &n))
    return Status();
  Values a = values_of(ctx, 0), b = values_of(ctx, 1);
  if (!a.known || !b.known) return Status();
  const Shape sa = ctx.shape(0).concrete(), sb = ctx.shape(1).concrete();
  const int64_t* shapes[] = {sa.dims, sb.dims};
  const int ranks[] = {sa.rank, sb.rank};
  BroadcastPlan plan;
  if (!make_broadcast_plan(2, shapes, ranks, &plan)) return Status();
  Dim out[InferContext::kMaxValues];
  bool any = false, wrong = false;
  for_each_piece(plan, 0, n, [&](const int64_t* at, int64_t begin, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t ia = at[0] + i * plan.strides[0][plan.rank - 1];
      const int64_t ib = at[1] + i * plan.strides[1][plan.rank - 1];
      Dim& y_i = out[begin + i];
      if (ia >= a.n || ib >= b.n) {
        wrong = true;
        return;
      }
      const bool ok = fn(ctx.math(), a[static_cast<int>(ia)], b[static_cast<int>(ib)], &y_i);
      any = any || ok;
      wrong = wrong || (!ok && to_bool);  // a truth value has no name
      if (!ok) y_i = ctx.math().fresh();
      wrong = wrong || (type == DType::kInt32 && y_i.known() &&
                        y_i.value != static_cast<int32_t>(y_i.value));
    }
  });
  if (wrong) return Status();
  if (any || n == 0) ctx.set_output_values(0, out, n);
  return Status();
}

}  // namespace sampan
