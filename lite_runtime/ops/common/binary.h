// Binary operators with numpy's broadcasting, over the kernels of kernels/elementwise.
#pragma once
#include "kernels/elementwise/elementwise.h"
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

// Calls row(a, a_step, b, b_step, y, n) for contiguous pieces of the output: a_step and b_step are
// 0 or 1, pointers are advanced. y may be a's memory.
using BinaryRow = void (*)(const void* arg, const void* a, int64_t a_step, const void* b,
                           int64_t b_step, void* y, int64_t n);
void run_rows(const RunContext& ctx, const Broadcast2& plan, BinaryRow row, const void* arg);

// Integer division by zero has no result: the first zero of an integer tensor is an error.
Status check_divisors(const Tensor& b);

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
