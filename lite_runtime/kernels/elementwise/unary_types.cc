// float64 functions and integer functions of one argument.
#include <cmath>
#include <type_traits>

#include "kernels/elementwise/types.h"
#include "kernels/math/f64.h"

namespace sampan {
namespace {

using namespace math;  // NOLINT: *_f64

double sigmoid_f64(double x) {
  const double e = exp_f64(-std::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}
double softplus_f64(double x) { return (x > 0 ? x : 0.0) + log1p_f64(exp_f64(-std::fabs(x))); }
double clamp_f64(double x, double lo, double hi) {
  x = lo > x ? lo : x;
  return hi < x ? hi : x;
}
double hard_sigmoid_f64(double x, double a, double b) { return clamp_f64(a * x + b, 0.0, 1.0); }
double elu_f64(double x, double a) { return x < 0 ? a * expm1_f64(x) : x; }
double sign_f64(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x != x ? x : 0.0; }
double shrink_f64(double x, double lambda, double bias) {
  return x != x ? x : x < -lambda ? x + bias : x > lambda ? x - bias : 0.0;
}
double mish_f64(double x) {
  if (x > 40) return x;
  if (x < -745) return -0.0;
  const double e = exp_f64(x), n = e * (e + 2.0);
  return x * (n / (n + 2.0));
}
double gelu_f64(double x) {
  return x < -40 ? -0.0 : x > 40 ? x : 0.5 * x * erfc_f64(-0.70710678118654752 * x);
}
double gelu_tanh_f64(double x) {
  if (x < -40) return -0.0;
  if (x > 40) return x;
  return x * sigmoid_f64(1.5957691216057308 * (x + 0.044715 * x * x * x));
}
double silu_f64(double x) { return x < -800 ? -0.0 : x * sigmoid_f64(x); }

}  // namespace

F64Fn unary_f64_fn(UnaryOp op) {
#define ONE(expression) [](double x, double, double) -> double { return expression; }
#define TWO(expression) [](double x, double p0, double) -> double { return expression; }
#define THREE(expression) [](double x, double p0, double p1) -> double { return expression; }
  // clang-format off
  switch (op) {
    case UnaryOp::kAbs: return ONE(std::fabs(x));
    case UnaryOp::kNeg: return ONE(-x);
    case UnaryOp::kSign: return ONE(sign_f64(x));
    case UnaryOp::kFloor: return ONE(std::floor(x));
    case UnaryOp::kCeil: return ONE(std::ceil(x));
    case UnaryOp::kRound: return ONE(std::nearbyint(x));
    case UnaryOp::kSquare: return ONE(x * x);
    case UnaryOp::kSqrt: return ONE(std::sqrt(x));
    case UnaryOp::kRsqrt: return ONE(1.0 / std::sqrt(x));
    case UnaryOp::kReciprocal: return ONE(1.0 / x);
    case UnaryOp::kExp: return ONE(exp_f64(x));
    case UnaryOp::kExpm1: return ONE(expm1_f64(x));
    case UnaryOp::kLog: return ONE(log_f64(x));
    case UnaryOp::kLog1p: return ONE(log1p_f64(x));
    case UnaryOp::kSin: return ONE(sin_f64(x));
    case UnaryOp::kCos: return ONE(cos_f64(x));
    case UnaryOp::kTan: return ONE(tan_f64(x));
    case UnaryOp::kAsin: return ONE(asin_f64(x));
    case UnaryOp::kAcos: return ONE(acos_f64(x));
    case UnaryOp::kAtan: return ONE(atan_f64(x));
    case UnaryOp::kSinh: return ONE(sinh_f64(x));
    case UnaryOp::kCosh: return ONE(cosh_f64(x));
    case UnaryOp::kAsinh: return ONE(asinh_f64(x));
    case UnaryOp::kAcosh: return ONE(acosh_f64(x));
    case UnaryOp::kAtanh: return ONE(atanh_f64(x));
    case UnaryOp::kTanh: return ONE(tanh_f64(x));
    case UnaryOp::kSigmoid: return ONE(sigmoid_f64(x));
    case UnaryOp::kErf: return ONE(erf_f64(x));
    case UnaryOp::kRelu: return ONE(x < 0 ? 0.0 : x);
    case UnaryOp::kClip: return THREE(clamp_f64(x, p0, p1));
    case UnaryOp::kLeakyRelu: return TWO(x < 0 ? p0 * x : x);
    case UnaryOp::kElu: return TWO(elu_f64(x, p0));
    case UnaryOp::kSelu: return THREE(p1 * elu_f64(x, p0));
    case UnaryOp::kCelu: return TWO(x < 0 ? p0 * expm1_f64(x / p0) : x);
    case UnaryOp::kThresholdedRelu: return TWO(x <= p0 ? 0.0 : x);
    case UnaryOp::kHardSigmoid: return THREE(hard_sigmoid_f64(x, p0, p1));
    case UnaryOp::kHardSwish: return ONE(x * (clamp_f64(x + 3.0, 0.0, 6.0) / 6.0));
    case UnaryOp::kSoftplus: return ONE(softplus_f64(x));
    case UnaryOp::kSoftsign: return ONE(x / (1.0 + std::fabs(x)));
    case UnaryOp::kSilu: return ONE(silu_f64(x));
    case UnaryOp::kMish: return ONE(mish_f64(x));
    case UnaryOp::kGelu: return ONE(gelu_f64(x));
    case UnaryOp::kGeluTanh: return ONE(gelu_tanh_f64(x));
    case UnaryOp::kShrink: return THREE(shrink_f64(x, p0, p1));
    default:
      return nullptr;
  }
    // clang-format on
#undef ONE
#undef TWO
#undef THREE
}

namespace {

template <class T>
void unary_ints(UnaryOp op, const void* x_, void* y_, int64_t n) {
  using U = std::make_unsigned_t<T>;
  const T* x = static_cast<const T*>(x_);
  T* y = static_cast<T*>(y_);
  auto wrap = [](auto v) { return static_cast<T>(static_cast<U>(v)); };
  for (int64_t i = 0; i < n; ++i) {
    const T v = x[i];
    const U u = static_cast<U>(v);
    switch (op) {
      case UnaryOp::kAbs:
        y[i] = v < 0 ? wrap(U{0} - u) : v;
        break;
      case UnaryOp::kNeg:
        y[i] = wrap(U{0} - u);
        break;
      case UnaryOp::kSign:
        y[i] = static_cast<T>((v > 0) - (v < 0));
        break;
      case UnaryOp::kRelu:
        y[i] = v < 0 ? T{0} : v;
        break;
      case UnaryOp::kSquare:
        y[i] = wrap(static_cast<uint64_t>(u) * u);
        break;
      case UnaryOp::kBitwiseNot:
        y[i] = wrap(~u);
        break;
      default:
        y[i] = v;
        break;
    }
  }
}

}  // namespace

TypedUnaryFn unary_int_fn(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::kAbs:
    case UnaryOp::kNeg:
    case UnaryOp::kSign:
    case UnaryOp::kRelu:
    case UnaryOp::kSquare:
    case UnaryOp::kBitwiseNot:
    // Rounding an integer changes nothing; the operators allow it.
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
      break;
    default:
      return nullptr;
  }
  switch (dtype) {
    case DType::kInt8:
      return unary_ints<int8_t>;
    case DType::kUInt8:
      return unary_ints<uint8_t>;
    case DType::kInt16:
      return unary_ints<int16_t>;
    case DType::kUInt16:
      return unary_ints<uint16_t>;
    case DType::kInt32:
      return unary_ints<int32_t>;
    case DType::kUInt32:
      return unary_ints<uint32_t>;
    case DType::kInt64:
      return unary_ints<int64_t>;
    case DType::kUInt64:
      return unary_ints<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace sampan
