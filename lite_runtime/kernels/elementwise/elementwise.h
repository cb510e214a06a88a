// Element-by-element functions of one and two arrays, selection, and broadcasting.
//
// All kernels are for one contiguous piece; broadcast.h cuts tensors into such pieces. Outputs may
// be the inputs' memory when element sizes agree (in place), but may not overlap them otherwise.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/isa.h"
#include "sampan/tensor.h"

namespace sampan {

// Rules for NaN: functions of floats pass it on; sign(NaN) is NaN; relu, clip and the other
// piecewise activations give NaN.
enum class UnaryOp : uint8_t {
  kAbs,
  kNeg,
  kSign,
  kFloor,
  kCeil,
  kRound,  // round: half to even
  kSquare,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kTanh,
  kSigmoid,
  kErf,
  kRelu,
  kClip,             // min(p1, max(p0, x)); integers: use kMax and kMin with scalars
  kLeakyRelu,        // p0: slope
  kElu,              // p0: alpha
  kSelu,             // p0: alpha, p1: gamma
  kCelu,             // p0: alpha
  kThresholdedRelu,  // x > p0 ? x : 0
  kHardSigmoid,      // p0: alpha, p1: beta
  kHardSwish,
  kSoftplus,
  kSoftsign,
  kSilu,
  kMish,
  kGelu,
  kGeluTanh,
  kShrink,      // x < -p0 ? x + p1 : x > p0 ? x - p1 : 0
  kLogicalNot,  // bool
  kBitwiseNot,  // integers
  kIsNan,       // bool output
  kIsInf,       // bool output; p0, p1: whether -inf, +inf count (0 or 1)
};
constexpr int kUnaryCount = static_cast<int>(UnaryOp::kIsInf) + 1;

// Integers: arithmetic wraps. Division by zero and its remainder give 0; the lowest value divided
// by -1 is itself. Division truncates as in C.
enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMin,
  kMax,    // NaN if either is NaN
  kPow,    // integers: negative exponents give 0 unless |x| is 1
  kMod,    // sign of the divisor
  kFmod,   // sign of the dividend, as in C
  kPrelu,  // a < 0 ? a * b : a
  kSquaredDifference,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,  // bool output
  kAnd,
  kOr,
  kXor,  // bool
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,  // integers
  kShiftLeft,
  kShiftRight,  // unsigned integers; a count of the width or more gives 0
  kAtan2,       // floats
};
constexpr int kBinaryCount = static_cast<int>(BinaryOp::kAtan2) + 1;

using UnaryF32Fn = void (*)(const float* x, float* y, int64_t n, float p0, float p1);
// Strides are 1 or 0 (one value for all).
using BinaryF32Fn = void (*)(const float* a, int64_t sa, const float* b, int64_t sb, float* y,
                             int64_t n);

// A function chosen for an element type. Cheap to copy.
struct UnaryKernel {
  using Fn = void (*)(const UnaryKernel& self, const void* x, void* y, int64_t n);
  Fn fn = nullptr;  // null: there is no such function of this type
  DType dtype = DType::kInvalid;
  DType output = DType::kInvalid;
  UnaryOp op = UnaryOp::kAbs;
  float p0 = 0, p1 = 0;
  UnaryF32Fn f32 = nullptr;

  explicit operator bool() const { return fn != nullptr; }
  void run(const void* x, void* y, int64_t n) const { fn(*this, x, y, n); }
};
UnaryKernel unary_kernel(Isa isa, UnaryOp op, DType dtype, float p0 = 0, float p1 = 0);

struct BinaryKernel {
  using Fn = void (*)(const BinaryKernel& self, const void* a, int64_t sa, const void* b,
                      int64_t sb, void* y, int64_t n);
  using TypedFn = void (*)(const void* a, int64_t sa, const void* b, int64_t sb, void* y,
                           int64_t n);
  Fn fn = nullptr;  // null: there is no such function of this type
  DType dtype = DType::kInvalid;
  DType output = DType::kInvalid;
  TypedFn typed = nullptr;
  BinaryF32Fn f32 = nullptr;

  explicit operator bool() const { return fn != nullptr; }
  // a[i * sa], b[i * sb]; strides are 1 or 0.
  void run(const void* a, int64_t sa, const void* b, int64_t sb, void* y, int64_t n) const {
    fn(*this, a, sa, b, sb, y, n);
  }
};
BinaryKernel binary_kernel(Isa isa, BinaryOp op, DType dtype);

// y[i] = condition[i * sc] ? a[i * sa] : b[i * sb], for elements of 1, 2, 4 or 8 bytes. Any stride.
void select_elements(size_t element_size, const uint8_t* condition, int64_t sc, const void* a,
                     int64_t sa, const void* b, int64_t sb, void* y, int64_t n);

// ---- tables of the float32 kernels, one per instruction set (null entries: none) ---------------

struct ElementwiseF32Table {
  const char* isa;
  UnaryF32Fn unary[kUnaryCount];
  BinaryF32Fn binary[kBinaryCount];
};
extern const ElementwiseF32Table kElementwiseF32Portable;
extern const ElementwiseF32Table kElementwiseF32Avx2;
extern const ElementwiseF32Table kElementwiseF32Avx512;
const ElementwiseF32Table& elementwise_f32_table(Isa isa);

}  // namespace sampan
