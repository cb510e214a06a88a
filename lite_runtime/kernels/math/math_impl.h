// float32 functions as templates over the vector types of simd.h: the same expression, and so the
// same bits, for one lane and for sixteen. Formulas, ranges and errors: docs/numerics.md.
//
// Coefficients are minimax fits made for this file (Lawson iteration on the relative error, then
// rounded to float32 one after the other, the rest refitted).
//
// Every function passes NaN on. V::min(hi, x) and V::max(lo, x) keep a NaN in x.
#pragma once
#include <cstdint>
#include <limits>

#include "kernels/simd/simd.h"

namespace sampan::math {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLog2e = 1.44269504f;
// ln 2 in two parts; the first has 9 bits, so that n * kLn2Hi is exact for |n| < 2^15.
constexpr float kLn2Hi = 0.693359375f;
constexpr float kLn2Lo = -2.12194440e-4f;

// c[0] + x * (c[1] + x * (...)), fused, from the highest coefficient down.
template <class V, int N>
inline V polynomial(V x, const float (&c)[N]) {
  V p = V::set1(c[N - 1]);
  for (int i = N - 2; i >= 0; --i) p = V::fma(p, x, V::set1(c[i]));
  return p;
}

// x with the sign of s (x >= 0).
template <class V>
inline V with_sign(V x, V s) {
  using I = typename simd::IntOf<V>::type;
  return I::as_float(I::or_(I::bits(x), I::and_(I::bits(s), I::set1(INT32_MIN))));
}

// x = n ln 2 + r, n integral, |r| <= ln 2 / 2 (a little more through rounding); |x| < 2^14.
template <class V>
struct ExpParts {
  V n, r;
};
template <class V>
inline ExpParts<V> split_exp(V x) {
  V n = V::round_even(V::mul(x, V::set1(kLog2e)));
  V r = V::fma(n, V::set1(-kLn2Hi), x);
  return {n, V::fma(n, V::set1(-kLn2Lo), r)};
}

// (exp(r) - 1 - r) / r^2
template <class V>
inline V exp_tail(V r) {
  constexpr float c[] = {0.49999994f, 0.166665211f, 0.0416682698f, 0.00836867746f, 0.00138204114f};
  return polynomial(r, c);
}

// p * 2^n for n in [-252, 254], in two factors: the result rounds once below the normal range.
template <class V>
inline V scale(V p, V n) {
  V half = V::half_floor(n);
  return V::mul(V::mul(p, V::pow2(half)), V::pow2(V::sub(n, half)));
}

// exp(x) = (p + lo) 2^n, for x in [-140, 89]; p in [0.7, 1.42]. lo is what rounding p lost: callers
// that go on multiplying and dividing may use it to stay within their error limit.
template <class V>
struct Scaled {
  V p, lo, n;
};
template <class V>
inline Scaled<V> exp_unscaled(ExpParts<V> e) {
  V s = V::fma(V::mul(exp_tail(e.r), e.r), e.r, e.r);
  V p = V::add(V::set1(1.0f), s);
  return {p, V::sub(s, V::sub(p, V::set1(1.0f))), e.n};
}
template <class V>
inline Scaled<V> exp_unscaled(V x) {
  return exp_unscaled(split_exp(x));
}
// exp(x + x_lo), |x_lo| an ULP or so of x.
template <class V>
inline Scaled<V> exp_unscaled(V x, V x_lo) {
  ExpParts<V> e = split_exp(x);
  e.r = V::add(e.r, x_lo);
  return exp_unscaled(e);
}

template <class V>
inline V exp(V x) {
  x = V::min(V::set1(89.0f), V::max(V::set1(-104.0f), x));  // exp(-104) = 0, exp(89) = inf
  Scaled<V> e = exp_unscaled(x);
  return scale(e.p, e.n);
}

// exp(x) - 1 without cancellation near 0.
template <class V>
inline V expm1(V x) {
  V y = V::min(V::set1(89.0f), V::max(V::set1(-18.0f), x));  // exp(-18) - 1 rounds to -1
  ExpParts<V> e = split_exp(y);
  V p = V::fma(V::mul(exp_tail(e.r), e.r), e.r, e.r);
  // 2^n p + (2^n - 1); for large n the 1 is lost anyway, and 2^128 needs two factors.
  V top = V::set1(127.0f);
  V n = V::min(top, e.n);
  V s = V::pow2(n);
  V near = V::fma(p, s, V::sub(s, V::set1(1.0f)));
  V far = V::mul(V::fma(p, s, s), V::pow2(V::sub(e.n, n)));
  V r = V::select(V::lt(V::set1(64.0f), e.n), far, near);
  return V::select(V::le(V::abs(x), V::set1(1e-30f)), x, r);  // keeps -0 and tiny values
}

// log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1], plus n ln 2.
template <class V>
inline V log_core(V f, V n) {
  constexpr float c[] = {0.333333135f,  -0.250000089f, 0.20002073f,   -0.166679963f, 0.142203271f,
                         -0.124060318f, 0.11883568f,   -0.116714492f, 0.0675095618f};
  V f2 = V::mul(f, f);
  V tail = V::mul(V::mul(f2, f), polynomial(f, c));
  tail = V::fma(n, V::set1(kLn2Lo), tail);
  tail = V::fma(f2, V::set1(-0.5f), tail);
  return V::fma(n, V::set1(kLn2Hi), V::add(f, tail));
}

template <class V>
struct LogParts {
  V m, n;  // x = m 2^n, m in [sqrt(1/2), sqrt(2))
};
template <class V>
inline LogParts<V> split_log(V x) {
  using I = typename simd::IntOf<V>::type;
  constexpr int32_t kSqrtHalf = 0x3f3504f3;
  I i = I::sub(I::bits(x), I::set1(kSqrtHalf));
  I m = I::add(I::and_(i, I::set1(0x007fffff)), I::set1(kSqrtHalf));
  return {I::as_float(m), I::to_float(I::template sar<23>(i))};
}

// log(0) = -inf, log(x < 0) = NaN. Subnormals count as what they are, unless flushed.
template <class V>
inline V log(V x) {
  auto small = V::lt(x, V::set1(1.17549435e-38f));
  V scaled = V::select(small, V::mul(x, V::set1(8388608.0f)), x);
  LogParts<V> p = split_log(scaled);
  V n = V::select(small, V::sub(p.n, V::set1(23.0f)), p.n);
  V r = log_core(V::sub(p.m, V::set1(1.0f)), n);
  r = V::select(V::lt(x, V::set1(kInf)), r, x);                // inf and NaN
  r = V::select(V::le(scaled, V::zero()), V::set1(-kInf), r);  // zeros
  return V::select(V::lt(scaled, V::zero()), V::set1(kNan), r);
}

template <class V>
inline V log1p(V x) {
  V u = V::add(V::set1(1.0f), x);
  LogParts<V> p = split_log(u);
  // 2^-n (1 + x) - 1 without the rounding of 1 + x; beyond 2^24 that rounding does not matter.
  auto big = V::lt(V::set1(16777216.0f), x);
  V s = V::pow2(V::select(big, V::zero(), V::neg(p.n)));
  V f = V::select(big, V::sub(p.m, V::set1(1.0f)), V::fma(x, s, V::sub(s, V::set1(1.0f))));
  V r = log_core(f, p.n);
  r = V::select(V::lt(x, V::set1(kInf)), r, x);
  r = V::select(V::le(V::abs(x), V::set1(1e-30f)), x, r);
  r = V::select(V::le(u, V::zero()), V::set1(-kInf), r);
  return V::select(V::lt(u, V::zero()), V::set1(kNan), r);
}

template <class V>
inline V tanh(V x) {
  constexpr float c[] = {-0.333333313f, 0.133332208f,    -0.0539481826f,
                         0.0217069369f, -0.00819016993f, 0.00215286738f};
  V a = V::abs(x);
  V z = V::mul(x, x);
  V small = V::fma(V::mul(polynomial(z, c), z), x, x);
  V e = exp(V::add(a, a));
  V large = V::sub(V::set1(1.0f), V::div(V::set1(2.0f), V::add(e, V::set1(1.0f))));
  return V::select(V::lt(a, V::set1(0.625f)), small, with_sign(large, x));
}

// (num + num_lo) / (1 + e), e in [0, 1], with the rounding errors of the division and the sum put
// back.
template <class V>
inline V divide_by_one_plus(V num, V num_lo, V e) {
  V den = V::add(V::set1(1.0f), e);
  V den_lo = V::sub(e, V::sub(den, V::set1(1.0f)));
  V inv = V::div(V::set1(1.0f), den);
  V q = V::mul(num, inv);
  V rest = V::add(V::fma(V::neg(q), den, num), V::fma(V::neg(q), den_lo, num_lo));
  return V::fma(rest, inv, q);
}

// 1 / (1 + exp(-x)), never through a small difference.
template <class V>
inline V sigmoid(V x) {
  V a = V::min(V::set1(104.0f), V::abs(x));
  Scaled<V> e = exp_unscaled(V::neg(a));
  auto left = V::lt(x, V::zero());
  V q = divide_by_one_plus(V::select(left, e.p, V::set1(1.0f)), V::select(left, e.lo, V::zero()),
                           scale(e.p, e.n));
  return V::select(left, scale(q, e.n), q);
}

template <class V>
inline V erf(V x) {
  constexpr float kSplit = 0.921875f;
  constexpr float small_c[] = {0.128379166f,   -0.376126289f,    0.112836257f,   -0.0268557239f,
                               0.00519235898f, -0.000804888317f, 7.99127229e-05f};
  // log(erfc(x)) / x on [0.921875, 4]
  constexpr float large_c[] = {-1.12855268f,    -0.635621011f,   -0.105270907f,   0.0226827245f,
                               -0.00293542445f, 5.14804815e-05f, 4.52117092e-05f, -4.90804132e-06f};
  V a = V::abs(x);
  V small = V::fma(polynomial(V::mul(x, x), small_c), x, x);
  V b = V::min(V::set1(4.0f), a);
  V large = V::sub(V::set1(1.0f), exp(V::mul(polynomial(b, large_c), b)));
  return V::select(V::lt(a, V::set1(kSplit)), small, with_sign(large, x));
}

// The gated activations below are x times something exponentially small on their left side. There
// x is multiplied in before the power of two, so that an underflow of the factor alone does no
// harm.

// x * Phi(x). For |x| < 1, Phi(x) = 1/2 + x R(x^2). Beyond, Phi(-a) = exp(-a^2 / 2) G(a), where
// G(a) (a + 4) is a polynomial in (a - 4) / (a + 4); the rounding errors of the square and of the
// exponential's factors are put back, so that the left tail keeps its relative accuracy.
template <class V>
inline V gelu(V x) {
  constexpr float small_c[] = {0.398942292f,    -0.0664905384f, 0.00997416396f,
                               -0.00118802383f, 0.00011502397f, -8.17179534e-06f};
  constexpr float tail_c[] = {0.755285144f,    -0.607896626f,  0.387136757f,
                              -0.186523497f,   0.0604021326f,  -0.0075121643f,
                              -0.00349676493f, 0.00148764998f, 0.000150973865f};
  V near = V::mul(x, V::fma(x, polynomial(V::mul(x, x), small_c), V::set1(0.5f)));
  V a = V::min(V::set1(15.0f), V::abs(x));  // 15 Phi(-15) is 0
  V h = V::mul(V::set1(-0.5f), V::mul(a, a));
  V h_error = V::fma(V::mul(V::set1(-0.5f), a), a, V::neg(h));
  Scaled<V> e = exp_unscaled(h, h_error);
  V den = V::add(a, V::set1(4.0f));
  V inv = V::div(V::set1(1.0f), den);
  V inv_error = V::fma(V::neg(inv), den, V::set1(1.0f));  // relative
  V poly = polynomial(V::mul(V::sub(a, V::set1(4.0f)), inv), tail_c);
  V ai = V::mul(a, inv);
  V g = V::mul(ai, poly);
  V g_lo = V::fma(g, inv_error, V::fma(ai, poly, V::neg(g)));
  V tail = scale(V::fma(e.p, g, V::fma(e.p, g_lo, V::mul(e.lo, g))), e.n);  // a Phi(-a)
  V right = V::sub(x, tail);                                                // x (1 - Phi(-x))
  right = V::select(V::lt(V::set1(15.0f), x), x, right);                    // and inf
  V far = V::select(V::lt(x, V::zero()), V::neg(tail), right);              // -inf gives -0
  return V::select(V::lt(V::abs(x), V::set1(1.0f)), near, far);
}

// x / (1 + e) for x >= 0 and x e / (1 + e) for x < 0; a = |x|, limited.
template <class V>
inline V gate(V x, V a, Scaled<V> e) {
  auto left = V::lt(x, V::zero());
  V ap = V::mul(a, e.p);
  V ap_lo = V::fma(a, e.lo, V::fma(a, e.p, V::neg(ap)));
  V q = divide_by_one_plus(V::select(left, ap, V::set1(1.0f)), V::select(left, ap_lo, V::zero()),
                           scale(e.p, e.n));
  return V::select(left, V::neg(scale(q, e.n)), V::mul(x, q));
}

// x * sigmoid(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3), which is the tanh form. 2 u is kept in two
// parts: its error would be magnified by the exponential.
template <class V>
inline V gelu_tanh(V x) {
  // 2 sqrt(2 / pi) and 2 sqrt(2 / pi) 0.044715, each as a sum of two floats.
  constexpr float kA = 1.59576917f, kALo = -4.53406804e-08f;
  constexpr float kB = 0.0713548139f, kBLo = 2.3988324e-09f;
  V a = V::min(V::set1(11.5f), V::abs(x));
  V z = V::mul(a, a);
  V z_error = V::fma(a, a, V::neg(z));
  // kA or the product may be the larger one: the exact error needs both halves of a two-sum.
  V product = V::mul(z, V::set1(kB));
  V product_error = V::fma(z, V::set1(kB), V::neg(product));
  V w = V::add(V::set1(kA), product);
  V part = V::sub(w, V::set1(kA));
  V lost = V::add(V::sub(V::set1(kA), V::sub(w, part)), V::sub(product, part));
  V w_error = V::add(V::add(lost, product_error),
                     V::fma(z_error, V::set1(kB), V::fma(z, V::set1(kBLo), V::set1(kALo))));
  V u = V::mul(a, w);
  V u_error = V::fma(a, w_error, V::fma(a, w, V::neg(u)));
  Scaled<V> e = exp_unscaled(V::neg(u), V::neg(u_error));
  return gate(x, a, e);
}

template <class V>
inline V silu(V x) {
  V a = V::min(V::set1(115.0f), V::abs(x));
  Scaled<V> e = exp_unscaled(V::neg(a));
  return gate(x, a, e);
}

// log(1 + exp(x))
template <class V>
inline V softplus(V x) {
  return V::add(V::max(V::zero(), x), log1p(exp(V::neg(V::abs(x)))));
}

// x * tanh(softplus(x)) = x n / (n + 2), n = e (e + 2), e = exp(x).
template <class V>
inline V mish(V x) {
  V y = V::min(V::set1(20.0f), V::max(V::set1(-115.0f), x));
  Scaled<V> s = exp_unscaled(y);
  V e = scale(s.p, s.n);
  V e2 = V::add(e, V::set1(2.0f));
  V t = V::div(e2, V::fma(e, e2, V::set1(2.0f)));
  V yp = V::mul(y, s.p);
  V yp_lo = V::fma(y, s.lo, V::fma(y, s.p, V::neg(yp)));
  V r = scale(V::fma(yp, t, V::mul(yp_lo, t)), s.n);
  return V::select(V::lt(V::set1(20.0f), x), x, r);
}

template <class V>
inline V hard_sigmoid(V x, V alpha, V beta) {
  return V::min(V::set1(1.0f), V::max(V::zero(), V::fma(alpha, x, beta)));
}
template <class V>
inline V hard_swish(V x) {
  // min(6, max(0, x + 3)) is exact near -3, where x / 6 + 1/2 would cancel.
  V six = V::min(V::set1(6.0f), V::max(V::zero(), V::add(x, V::set1(3.0f))));
  return V::mul(V::max(V::set1(-3.0f), x), V::mul(six, V::set1(0.166666672f)));  // -inf gives -0
}
template <class V>
inline V leaky_relu(V x, V alpha) {
  return V::select(V::lt(x, V::zero()), V::mul(alpha, x), x);
}
template <class V>
inline V elu(V x, V alpha) {
  return V::select(V::lt(x, V::zero()), V::mul(alpha, expm1(x)), x);
}
// gamma * elu(x, alpha)
template <class V>
inline V selu(V x, V alpha, V gamma) {
  return V::mul(gamma, V::select(V::lt(x, V::zero()), V::mul(alpha, expm1(x)), x));
}
template <class V>
inline V celu(V x, V alpha) {
  return V::select(V::lt(x, V::zero()), V::mul(alpha, expm1(V::div(x, alpha))), x);
}
template <class V>
inline V reciprocal(V x) {
  return V::div(V::set1(1.0f), x);
}
template <class V>
inline V rsqrt(V x) {
  return V::div(V::set1(1.0f), V::sqrt(x));
}

}  // namespace sampan::math
