#include "ops/common/binary.h"

#include <cinttypes>

namespace sampan {

Broadcast2 broadcast_plan(const Shape& y, const Shape& a, const Shape& b) {
  int64_t sa[kMaxRank], sb[kMaxRank];
  row_major_strides(a, sa);
  row_major_strides(b, sb);
  Broadcast2 p;
  p.rank = 0;
  for (int i = 0; i < y.rank; ++i) {
    if (y[i] == 1) continue;
    const int ia = i - (y.rank - a.rank), ib = i - (y.rank - b.rank);
    const int64_t ta = ia < 0 || a[ia] == 1 ? 0 : sa[ia];
    const int64_t tb = ib < 0 || b[ib] == 1 ? 0 : sb[ib];
    const int last = p.rank - 1;
    // One stride walks two dimensions if both tensors agree.
    if (last >= 0 && p.a_strides[last] == ta * y[i] && p.b_strides[last] == tb * y[i]) {
      p.dims[last] *= y[i];
      p.a_strides[last] = ta;
      p.b_strides[last] = tb;
    } else {
      p.dims[p.rank] = y[i];
      p.a_strides[p.rank] = ta;
      p.b_strides[p.rank] = tb;
      ++p.rank;
    }
  }
  if (p.rank == 0) {
    p.rank = 1;
    p.dims[0] = 1;
    p.a_strides[0] = p.b_strides[0] = 0;
  }
  return p;
}

void run_rows(const RunContext& ctx, const Broadcast2& p, BinaryRow row, const void* arg) {
  const Tensor &ta = ctx.input(0), &tb = ctx.input(1), &ty = ctx.output(0);
  if (ty.shape.elements() == 0) return;
  const auto* a = static_cast<const char*>(ta.data);
  const auto* b = static_cast<const char*>(tb.data);
  auto* y = static_cast<char*>(ty.data);
  const auto size_a = static_cast<int64_t>(dtype_size(ta.dtype));
  const auto size_b = static_cast<int64_t>(dtype_size(tb.dtype));
  const auto size_y = static_cast<int64_t>(dtype_size(ty.dtype));
  const int inner = p.rank - 1;
  const int64_t n = p.dims[inner], step_a = p.a_strides[inner], step_b = p.b_strides[inner];
  if (inner == 0) {
    ctx.parallel_for(n, grain_for(size_a), [&](int64_t begin, int64_t end, int) {
      row(arg, a + begin * step_a * size_a, step_a, b + begin * step_b * size_b, step_b,
          y + begin * size_y, end - begin);
    });
    return;
  }
  int64_t rows = 1;
  for (int i = 0; i < inner; ++i) rows *= p.dims[i];
  ctx.parallel_for(rows, grain_for(n * size_a), [&](int64_t begin, int64_t end, int) {
    int64_t index[kMaxRank] = {};
    int64_t at_a = 0, at_b = 0, rest = begin;
    for (int i = inner - 1; i >= 0; --i) {
      index[i] = rest % p.dims[i];
      rest /= p.dims[i];
      at_a += index[i] * p.a_strides[i];
      at_b += index[i] * p.b_strides[i];
    }
    for (int64_t r = begin; r < end; ++r) {
      row(arg, a + at_a * size_a, step_a, b + at_b * size_b, step_b, y + r * n * size_y, n);
      for (int i = inner - 1; i >= 0; --i) {
        at_a += p.a_strides[i];
        at_b += p.b_strides[i];
        if (++index[i] < p.dims[i]) break;
        index[i] = 0;
        at_a -= p.dims[i] * p.a_strides[i];
        at_b -= p.dims[i] * p.b_strides[i];
      }
    }
  });
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

Status run_binary_op(RunContext& ctx, BinaryOp op) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  const BinaryKernel kernel = binary_kernel(ctx.isa(), op, a.dtype);
  if (!kernel) return type_not_built(a.dtype);
  run_rows(
      ctx, broadcast_plan(ctx.output(0).shape, a.shape, b.shape),
      [](const void* arg, const void* pa, int64_t sa, const void* pb, int64_t sb, void* y,
         int64_t n) { static_cast<const BinaryKernel*>(arg)->run(pa, sa, pb, sb, y, n); },
      &kernel);
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
  const Broadcast2 p =
      broadcast_plan(y.concrete(), ctx.shape(0).concrete(), ctx.shape(1).concrete());
  Dim out[InferContext::kMaxValues];
  bool any = false;
  for (int i = 0; i < n; ++i) {
    int64_t rest = i, at_a = 0, at_b = 0;
    for (int d = p.rank - 1; d >= 0; --d) {
      at_a += rest % p.dims[d] * p.a_strides[d];
      at_b += rest % p.dims[d] * p.b_strides[d];
      rest /= p.dims[d];
    }
    if (at_a >= a.n || at_b >= b.n) return Status();
    const bool ok = fn(ctx.math(), a[static_cast<int>(at_a)], b[static_cast<int>(at_b)], &out[i]);
    any = any || ok;
    if (!ok && to_bool) return Status();  // a truth value has no name
    if (!ok) out[i] = ctx.math().fresh();
    if (type == DType::kInt32 && out[i].known() &&
        out[i].value != static_cast<int32_t>(out[i].value))
      return Status();
  }
  if (any || n == 0) ctx.set_output_values(0, out, n);
  return Status();
}

}  // namespace sampan
