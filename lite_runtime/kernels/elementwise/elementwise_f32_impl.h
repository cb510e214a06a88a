// float32 element-wise loops over a vector type; one translation unit per instruction set.
#pragma once
#include <utility>

#include "kernels/elementwise/elementwise.h"
#include "kernels/math/math_impl.h"

namespace sampan {
namespace {

constexpr bool has_vector_form(UnaryOp op) {
  switch (op) {
    case UnaryOp::kSin:
    case UnaryOp::kCos:
    case UnaryOp::kTan:
    case UnaryOp::kAsin:
    case UnaryOp::kAcos:
    case UnaryOp::kAtan:
    case UnaryOp::kSinh:
    case UnaryOp::kCosh:
    case UnaryOp::kAsinh:
    case UnaryOp::kAcosh:
    case UnaryOp::kAtanh:
    case UnaryOp::kLogicalNot:
    case UnaryOp::kBitwiseNot:
    case UnaryOp::kIsNan:
    case UnaryOp::kIsInf:
      return false;
    default:
      return true;
  }
}
constexpr bool has_vector_form(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kPrelu:
    case BinaryOp::kSquaredDifference:
      return true;
    default:
      return false;
  }
}

template <class V>
inline V sign_of(V x) {
  V one = math::with_sign(V::set1(1.0f), x);
  V r = V::select(V::lt(V::zero(), V::abs(x)), one, V::zero());
  return V::select(V::is_nan(x), x, r);
}
template <class V>
inline V shrink(V x, V lambda, V bias) {
  V r = V::select(V::lt(lambda, x), V::sub(x, bias), V::zero());
  r = V::select(V::lt(x, V::neg(lambda)), V::add(x, bias), r);
  return V::select(V::is_nan(x), x, r);
}

template <class V, UnaryOp O>
inline V unary_value(V x, V p0, V p1) {
  switch (O) {
    case UnaryOp::kAbs:
      return V::abs(x);
    case UnaryOp::kNeg:
      return V::neg(x);
    case UnaryOp::kSign:
      return sign_of(x);
    case UnaryOp::kFloor:
      return V::floor(x);
    case UnaryOp::kCeil:
      return V::ceil(x);
    case UnaryOp::kRound:
      return V::round_even(x);
    case UnaryOp::kSquare:
      return V::mul(x, x);
    case UnaryOp::kSqrt:
      return V::sqrt(x);
    case UnaryOp::kRsqrt:
      return math::rsqrt(x);
    case UnaryOp::kReciprocal:
      return math::reciprocal(x);
    case UnaryOp::kExp:
      return math::exp(x);
    case UnaryOp::kExpm1:
      return math::expm1(x);
    case UnaryOp::kLog:
      return math::log(x);
    case UnaryOp::kLog1p:
      return math::log1p(x);
    case UnaryOp::kTanh:
      return math::tanh(x);
    case UnaryOp::kSigmoid:
      return math::sigmoid(x);
    case UnaryOp::kErf:
      return math::erf(x);
    case UnaryOp::kRelu:
      return V::max(V::zero(), x);
    case UnaryOp::kClip:
      return V::min(p1, V::max(p0, x));
    case UnaryOp::kLeakyRelu:
      return math::leaky_relu(x, p0);
    case UnaryOp::kElu:
      return math::elu(x, p0);
    case UnaryOp::kSelu:
      return math::selu(x, p0, p1);
    case UnaryOp::kCelu:
      return math::celu(x, p0);
    case UnaryOp::kThresholdedRelu:
      return V::select(V::is_nan(x), x, V::select(V::lt(p0, x), x, V::zero()));
    case UnaryOp::kHardSigmoid:
      return math::hard_sigmoid(x, p0, p1);
    case UnaryOp::kHardSwish:
      return math::hard_swish(x);
    case UnaryOp::kSoftplus:
      return math::softplus(x);
    case UnaryOp::kSoftsign:
      return V::div(x, V::add(V::set1(1.0f), V::abs(x)));
    case UnaryOp::kSilu:
      return math::silu(x);
    case UnaryOp::kMish:
      return math::mish(x);
    case UnaryOp::kGelu:
      return math::gelu(x);
    case UnaryOp::kGeluTanh:
      return math::gelu_tanh(x);
    case UnaryOp::kShrink:
      return shrink(x, p0, p1);
    default:
      return x;
  }
}

template <class V, BinaryOp O>
inline V binary_value(V a, V b) {
  switch (O) {
    case BinaryOp::kAdd:
      return V::add(a, b);
    case BinaryOp::kSub:
      return V::sub(a, b);
    case BinaryOp::kMul:
      return V::mul(a, b);
    case BinaryOp::kDiv:
      return V::div(a, b);
    case BinaryOp::kMin:
      return V::select(V::is_nan(a), a, V::min(a, b));
    case BinaryOp::kMax:
      return V::select(V::is_nan(a), a, V::max(a, b));
    case BinaryOp::kPrelu:
      return V::select(V::lt(a, V::zero()), V::mul(a, b), a);
    case BinaryOp::kSquaredDifference: {
      V d = V::sub(a, b);
      return V::mul(d, d);
    }
    default:
      return a;
  }
}

template <class V, UnaryOp O>
void unary_array(const float* x, float* y, int64_t n, float p0, float p1) {
  const V v0 = V::set1(p0), v1 = V::set1(p1);
  int64_t i = 0;
  for (; i + V::W <= n; i += V::W) V::store(y + i, unary_value<V, O>(V::load(x + i), v0, v1));
  if (i < n) {
    const int rest = static_cast<int>(n - i);
    V::store(y + i, unary_value<V, O>(V::load(x + i, rest), v0, v1), rest);
  }
}

// Which operands are vectors: the others are one value.
template <class V, BinaryOp O, bool A, bool B>
void binary_loop(const float* a, const float* b, float* y, int64_t n) {
  const V a1 = V::set1(*a), b1 = V::set1(*b);
  int64_t i = 0;
  for (; i + V::W <= n; i += V::W)
    V::store(y + i, binary_value<V, O>(A ? V::load(a + i) : a1, B ? V::load(b + i) : b1));
  if (i < n) {
    const int rest = static_cast<int>(n - i);
    V va = A ? V::load(a + i, rest) : a1, vb = B ? V::load(b + i, rest) : b1;
    V::store(y + i, binary_value<V, O>(va, vb), rest);
  }
}
template <class V, BinaryOp O>
void binary_array(const float* a, int64_t sa, const float* b, int64_t sb, float* y, int64_t n) {
  if (n <= 0) return;
  if (sa != 0 && sb != 0)
    binary_loop<V, O, true, true>(a, b, y, n);
  else if (sa != 0)
    binary_loop<V, O, true, false>(a, b, y, n);
  else if (sb != 0)
    binary_loop<V, O, false, true>(a, b, y, n);
  else
    binary_loop<V, O, false, false>(a, b, y, n);
}

template <class V, int O>
constexpr UnaryF32Fn unary_entry() {
  if constexpr (has_vector_form(static_cast<UnaryOp>(O)))
    return unary_array<V, static_cast<UnaryOp>(O)>;
  else
    return nullptr;
}
template <class V, int O>
constexpr BinaryF32Fn binary_entry() {
  if constexpr (has_vector_form(static_cast<BinaryOp>(O)))
    return binary_array<V, static_cast<BinaryOp>(O)>;
  else
    return nullptr;
}
template <class V, int... U, int... B>
constexpr ElementwiseF32Table make_table(const char* isa, std::integer_sequence<int, U...>,
                                         std::integer_sequence<int, B...>) {
  return {isa, {unary_entry<V, U>()...}, {binary_entry<V, B>()...}};
}
template <class V>
constexpr ElementwiseF32Table make_table(const char* isa) {
  return make_table<V>(isa, std::make_integer_sequence<int, kUnaryCount>(),
                       std::make_integer_sequence<int, kBinaryCount>());
}

}  // namespace
}  // namespace sampan
