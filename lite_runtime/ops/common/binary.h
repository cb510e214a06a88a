// Binary operators with numpy's broadcasting, over the kernels of kernels/elementwise.
#pragma once
#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/elementwise.h"
#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {

// How `count` inputs, from input `first` on, broadcast together.
BroadcastPlan plan_inputs(const TensorContext& ctx, int first, int count);

// Integer division by zero has no result: the first zero of an integer tensor is an error.
Status check_divisors(const Tensor& b);

// Names the kernel.
Status prepare_binary_op(PrepareContext& ctx, BinaryOp op);
template <BinaryOp O>
Status prepare_binary(PrepareContext& ctx) {
  return prepare_binary_op(ctx, O);
}

// output 0 = f(input 0, input 1).
Status run_binary_op(RunContext& ctx, BinaryOp op);
template <BinaryOp O>
Status run_binary(RunContext& ctx) {
  return run_binary_op(ctx, O);
}
// The same, where division by an integer 0 is an error.
template <BinaryOp O>
Status run_division(RunContext& ctx) {
  SAMPAN_TRY(check_divisors(ctx.input(1)));
  return run_binary_op(ctx, O);
}

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

}  // namespace sampan
