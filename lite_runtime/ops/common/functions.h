// The functions of the unary operators; see unary.h.
#pragma once
#include <cmath>

#include "kernels/math/f64.h"
#include "kernels/math/math_impl.h"
#include "ops/common/unary.h"

namespace sampan {

// A float32 block from a float64 function: rare functions are computed there and rounded once.
template <ScalarF64 F>
void block_from_f64(float* x, int64_t n, float p0, float p1) {
  for (int64_t i = 0; i < n; ++i)
    x[i] = static_cast<float>(
        F(static_cast<double>(x[i]), static_cast<double>(p0), static_cast<double>(p1)));
}
// A float32 block from a function over a vector type.
template <class F>
void block_from_vector(float* x, int64_t n, float p0, float p1) {
  using V = simd::F32x1;
  for (int64_t i = 0; i < n; ++i) x[i] = F::template apply<V>({x[i]}, {p0}, {p1}).v;
}

// Functions that have an activation kernel.
#define SAMPAN_ACTIVATION_FUNCTION(Name, kind, expression)                                \
  struct Name##Fn {                                                                       \
    static BlockF32 block(Isa isa) { return activation_fn(isa, Activation::kind); }       \
    static double f64(double x, [[maybe_unused]] double p0, [[maybe_unused]] double p1) { \
      return expression;                                                                  \
    }                                                                                     \
  };
// Functions with a template over vector types.
#define SAMPAN_VECTOR_FUNCTION(Name, vector_expression, expression)                       \
  struct Name##Fn {                                                                       \
    template <class V>                                                                    \
    static V apply(V x, [[maybe_unused]] V p0, [[maybe_unused]] V p1) {                   \
      return vector_expression;                                                           \
    }                                                                                     \
    static BlockF32 block(Isa) { return block_from_vector<Name##Fn>; }                    \
    static double f64(double x, [[maybe_unused]] double p0, [[maybe_unused]] double p1) { \
      return expression;                                                                  \
    }                                                                                     \
  };
// The rest.
#define SAMPAN_DOUBLE_FUNCTION(Name, expression)                                          \
  struct Name##Fn {                                                                       \
    static BlockF32 block(Isa) { return block_from_f64<f64>; }                            \
    static double f64(double x, [[maybe_unused]] double p0, [[maybe_unused]] double p1) { \
      return expression;                                                                  \
    }                                                                                     \
  };

inline double sigmoid_f64(double x) {
  const double e = math::exp_f64(x < 0 ? x : -x);
  return (x < 0 ? e : 1.0) / (1.0 + e);
}
inline double softplus_f64(double x) {
  return (x > 0 ? x : x != x ? x : 0.0) + math::log1p_f64(math::exp_f64(x > 0 ? -x : x));
}
inline double clamp_f64(double x, double low, double high) {
  x = low > x ? low : x;
  return high < x ? high : x;
}
inline double gelu_f64(double x) {
  if (x < -40.0) return -0.0;  // also for -inf, which times 0 would be NaN
  return 0.5 * x * math::erfc_f64(-x * 0.70710678118654752440);
}
inline double gelu_tanh_f64(double x) {
  if (x < -40.0) return -0.0;
  return x * sigmoid_f64(1.5957691216057308 * (x + 0.044715 * x * x * x));
}

SAMPAN_ACTIVATION_FUNCTION(Sigmoid, kSigmoid, sigmoid_f64(x))
SAMPAN_ACTIVATION_FUNCTION(Silu, kSilu, x < -800.0 ? -0.0 : x * sigmoid_f64(x))
SAMPAN_ACTIVATION_FUNCTION(Tanh, kTanh, math::tanh_f64(x))
SAMPAN_ACTIVATION_FUNCTION(Gelu, kGelu, gelu_f64(x))
SAMPAN_ACTIVATION_FUNCTION(GeluTanh, kGeluTanh, gelu_tanh_f64(x))
SAMPAN_ACTIVATION_FUNCTION(Softplus, kSoftplus, softplus_f64(x))
SAMPAN_ACTIVATION_FUNCTION(Mish, kMish, x < -800.0 ? -0.0 : x * math::tanh_f64(softplus_f64(x)))
SAMPAN_ACTIVATION_FUNCTION(HardSwish, kHardSwish, x* clamp_f64(x*(1.0 / 6.0) + 0.5, 0.0, 1.0))
SAMPAN_ACTIVATION_FUNCTION(HardSigmoid, kHardSigmoid, clamp_f64(p0* x + p1, 0.0, 1.0))
SAMPAN_ACTIVATION_FUNCTION(LeakyRelu, kLeakyRelu, x < 0 ? p0 * x : x)
SAMPAN_ACTIVATION_FUNCTION(Elu, kElu, x < 0 ? p0 * math::expm1_f64(x) : x)
SAMPAN_ACTIVATION_FUNCTION(Clip, kClip, clamp_f64(x, p0, p1))

SAMPAN_VECTOR_FUNCTION(Exp, math::exp(x), math::exp_f64(x))
SAMPAN_VECTOR_FUNCTION(Log, math::log(x), math::log_f64(x))
SAMPAN_VECTOR_FUNCTION(Erf, math::erf(x), math::erf_f64(x))
SAMPAN_VECTOR_FUNCTION(Sqrt, V::sqrt(x), std::sqrt(x))
SAMPAN_VECTOR_FUNCTION(Reciprocal, math::reciprocal(x), 1.0 / x)
SAMPAN_VECTOR_FUNCTION(Floor, V::floor(x), std::floor(x))
SAMPAN_VECTOR_FUNCTION(Ceil, V::ceil(x), std::ceil(x))
SAMPAN_VECTOR_FUNCTION(Round, V::round_even(x), std::nearbyint(x))
SAMPAN_VECTOR_FUNCTION(Selu, math::selu(x, p0, p1), p1*(x < 0 ? p0 * math::expm1_f64(x) : x))
SAMPAN_VECTOR_FUNCTION(Celu, math::celu(x, p0), x < 0 ? p0 * math::expm1_f64(x / p0) : x)
SAMPAN_VECTOR_FUNCTION(ThresholdedRelu, V::select(V::le(x, p0), V::zero(), x), x <= p0 ? 0.0 : x)
SAMPAN_VECTOR_FUNCTION(Softsign, V::div(x, V::add(V::set1(1.0f), V::abs(x))),
                       x / (1.0 + std::fabs(x)))
SAMPAN_VECTOR_FUNCTION(Shrink,
                       V::select(V::lt(x, V::neg(p0)), V::add(x, p1),
                                 V::select(V::lt(p0, x), V::sub(x, p1),
                                           V::select(V::is_nan(x), x, V::zero()))),
                       x<-p0 ? x + p1 : x> p0 ? x - p1
                       : x != x               ? x
                                              : 0.0)

SAMPAN_DOUBLE_FUNCTION(Sin, math::sin_f64(x))
SAMPAN_DOUBLE_FUNCTION(Cos, math::cos_f64(x))
SAMPAN_DOUBLE_FUNCTION(Tan, math::tan_f64(x))
SAMPAN_DOUBLE_FUNCTION(Asin, math::asin_f64(x))
SAMPAN_DOUBLE_FUNCTION(Acos, math::acos_f64(x))
SAMPAN_DOUBLE_FUNCTION(Atan, math::atan_f64(x))
SAMPAN_DOUBLE_FUNCTION(Sinh, math::sinh_f64(x))
SAMPAN_DOUBLE_FUNCTION(Cosh, math::cosh_f64(x))
SAMPAN_DOUBLE_FUNCTION(Asinh, math::asinh_f64(x))
SAMPAN_DOUBLE_FUNCTION(Acosh, math::acosh_f64(x))
SAMPAN_DOUBLE_FUNCTION(Atanh, math::atanh_f64(x))

}  // namespace sampan
