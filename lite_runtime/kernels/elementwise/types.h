// Inside the family: kernels of the element types that are computed directly. Other types are
// widened block by block (elementwise.cc).
#pragma once
#include "kernels/elementwise/elementwise.h"

namespace sampan {

// One value of a float function, in double. p0 and p1 as in UnaryOp; null: not a function of
// floats.
using F64Fn = double (*)(double x, double p0, double p1);
F64Fn unary_f64_fn(UnaryOp op);

using TypedUnaryFn = void (*)(UnaryOp op, const void* x, void* y, int64_t n);
// abs, neg, sign, relu, square, bitwise_not of an integer type; null for other ops and types.
TypedUnaryFn unary_int_fn(UnaryOp op, DType dtype);

// float32 functions without a vector form, float64, int32, int64 and uint64; null: none.
BinaryKernel::TypedFn binary_typed_fn(BinaryOp op, DType dtype);

}  // namespace sampan
