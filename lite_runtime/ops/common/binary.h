// Binary operators with numpy's broadcasting. An operator names its function object and its types;
// everything else is here.
//
//   struct AddOp {
//     static constexpr DTypeSet kTypes = kNumbers;
//     template <class T> static T apply(T a, T b);   // T: float, double, integers, bool
//   };
#pragma once
#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {

// The broadcast of two tensors with as few dimensions as possible. Strides are in elements; the
// innermost ones are 0 or 1.
struct Broadcast2 {
  int rank = 1;
  int64_t dims[kMaxRank] = {1};
  int64_t a_strides[kMaxRank] = {0};
  int64_t b_strides[kMaxRank] = {0};
};
Broadcast2 broadcast_plan(const Shape& y, const Shape& a, const Shape& b);

// y[i] = f(a[i * a_step], b[i * b_step]) for i in [0, n); steps are 0 or 1. y may be a.
using BinaryRow = void (*)(const void* a, int64_t a_step, const void* b, int64_t b_step, void* y,
                           int64_t n);
void run_rows(const RunContext& ctx, const Broadcast2& plan, BinaryRow row);

// How the elements of two small integer tensors combine in shape arithmetic; false: not known.
using BinaryDim = bool (*)(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_add(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_sub(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_mul(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_div(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_mod(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_min(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_max(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_equal(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_less(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_less_or_equal(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_greater(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_greater_or_equal(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_and(DimMath& m, Dim a, Dim b, Dim* out);
bool dim_or(DimMath& m, Dim a, Dim b, Dim* out);

// Output 0: the broadcast shape, of input 0's type or bool; its elements when `fn` is given.
Status infer_broadcast(InferContext& ctx, bool to_bool, BinaryDim fn);
template <BinaryDim Fn>
Status infer_binary(InferContext& ctx) {
  return infer_broadcast(ctx, false, Fn);
}
template <BinaryDim Fn>
Status infer_compare(InferContext& ctx) {
  return infer_broadcast(ctx, true, Fn);
}

// ---- the loops -----------------------------------------------------------------------------

template <class T, class Op>
void binary_row(const void* pa, int64_t a_step, const void* pb, int64_t b_step, void* py,
                int64_t n) {
  using W = Wide<T>;
  using R = decltype(Op::template apply<W>(W(), W()));
  using Y = std::conditional_t<std::is_same<R, bool>::value, Bool, T>;
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  Y* y = static_cast<Y*>(py);
  auto f = [](T u, T v) {
    return narrow<Y>(Op::template apply<W>(static_cast<W>(u), static_cast<W>(v)));
  };
  if (a_step && b_step) {
    for (int64_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]);
  } else if (a_step) {
    const T v = *b;
    for (int64_t i = 0; i < n; ++i) y[i] = f(a[i], v);
  } else {
    const T u = *a;
    for (int64_t i = 0; i < n; ++i) y[i] = f(u, b[b_step * i]);
  }
}

// The row function of an element type; null if the operator has none.
template <class Op>
BinaryRow binary_row_of(DType t) {
  BinaryRow row = nullptr;
  with_type<Op::kTypes>(t, [&](auto tag) { row = binary_row<typename decltype(tag)::type, Op>; });
  return row;
}

template <class Op>
Status run_binary(RunContext& ctx) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  const BinaryRow row = binary_row_of<Op>(a.dtype);
  if (!row) return type_not_built(a.dtype);
  run_rows(ctx, broadcast_plan(ctx.output(0).shape, a.shape, b.shape), row);
  return Status();
}

}  // namespace sampan
