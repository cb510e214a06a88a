// Functions of two arguments for float32 (those without a vector form), float64, int32, int64 and
// uint64. Narrower types are widened to these.
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/elementwise/types.h"
#include "kernels/math/f64.h"

namespace sampan {
namespace {

template <class T>
T int_power(T x, T y) {
  using U = std::make_unsigned_t<T>;
  if (y < 0) {
    if (x == 1) return 1;
    if (std::is_signed_v<T> && x == static_cast<T>(-1)) return (y & 1) ? x : T{1};
    return 0;
  }
  U result = 1, base = static_cast<U>(x);
  for (U e = static_cast<U>(y); e != 0; e >>= 1) {
    if (e & 1) result *= base;
    base *= base;
  }
  return static_cast<T>(result);
}

template <class T>
T divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
      return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a));
    }
    return a / b;
  }
}

template <class T>
T c_remainder(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
    return math::fmod_f32(a, b);
  } else if constexpr (std::is_same_v<T, double>) {
    return math::fmod_f64(a, b);
  } else {
    if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1))) return 0;
    return a % b;
  }
}

template <class T>
T floor_remainder(T a, T b) {
  const T r = c_remainder(a, b);
  return r != 0 && ((r < 0) != (b < 0)) ? static_cast<T>(r + b) : r;
}

template <class T>
T power(T x, T y) {
  if constexpr (std::is_same_v<T, float>)
    return math::pow_f32(x, y);
  else if constexpr (std::is_same_v<T, double>)
    return math::pow_f64(x, y);
  else
    return int_power(x, y);
}

double atan2_f64(double y, double x) {
  constexpr double kPi = 3.1415926535897931;
  if (x != x || y != y) return x + y;
  const double ay = std::fabs(y), ax = std::fabs(x);
  double a;
  if (ay == 0.0)
    a = 0.0;
  else if (std::isinf(ax) && std::isinf(ay))
    a = kPi / 4;
  else
    a = math::atan_f64(ay / ax);
  if (std::signbit(x)) a = kPi - a;
  return std::copysign(a, y);
}

// Arithmetic that wraps: signed types go through their unsigned form.
template <class T, bool kInt = std::is_integral_v<T>>
struct Wide {
  using type = std::make_unsigned_t<T>;
};
template <class T>
struct Wide<T, false> {
  using type = T;
};

template <class T, BinaryOp O>
inline T value(T a, T b) {
  using U = typename Wide<T>::type;
  constexpr bool kIsInt = std::is_integral_v<T>;
  const U ua = static_cast<U>(a), ub = static_cast<U>(b);
  if constexpr (O == BinaryOp::kAdd)
    return static_cast<T>(ua + ub);
  else if constexpr (O == BinaryOp::kSub)
    return static_cast<T>(ua - ub);
  else if constexpr (O == BinaryOp::kMul)
    return static_cast<T>(ua * ub);
  else if constexpr (O == BinaryOp::kDiv)
    return divide(a, b);
  else if constexpr (O == BinaryOp::kMin)
    return a != a ? a : a < b ? a : b;
  else if constexpr (O == BinaryOp::kMax)
    return a != a ? a : a > b ? a : b;
  else if constexpr (O == BinaryOp::kPow)
    return power(a, b);
  else if constexpr (O == BinaryOp::kMod)
    return floor_remainder(a, b);
  else if constexpr (O == BinaryOp::kFmod)
    return c_remainder(a, b);
  else if constexpr (O == BinaryOp::kPrelu)
    return a < 0 ? static_cast<T>(ua * ub) : a;
  else if constexpr (O == BinaryOp::kSquaredDifference)
    return static_cast<T>((ua - ub) * (ua - ub));
  else if constexpr (kIsInt && O == BinaryOp::kBitwiseAnd)
    return static_cast<T>(ua & ub);
  else if constexpr (kIsInt && O == BinaryOp::kBitwiseOr)
    return static_cast<T>(ua | ub);
  else if constexpr (kIsInt && O == BinaryOp::kBitwiseXor)
    return static_cast<T>(ua ^ ub);
  else if constexpr (kIsInt && O == BinaryOp::kShiftLeft)
    return ub < sizeof(T) * 8 ? static_cast<T>(ua << ub) : T{0};
  else if constexpr (kIsInt && O == BinaryOp::kShiftRight)
    return ub < sizeof(T) * 8 ? static_cast<T>(ua >> ub) : T{0};
  else if constexpr (!kIsInt && O == BinaryOp::kAtan2)
    return static_cast<T>(atan2_f64(a, b));
  else
    return a;
}

template <class T, BinaryOp O>
inline bool compare(T a, T b) {
  if constexpr (O == BinaryOp::kEqual)
    return a == b;
  else if constexpr (O == BinaryOp::kNotEqual)
    return a != b;
  else if constexpr (O == BinaryOp::kLess)
    return a < b;
  else if constexpr (O == BinaryOp::kLessOrEqual)
    return a <= b;
  else if constexpr (O == BinaryOp::kGreater)
    return a > b;
  else
    return a >= b;
}

// Three loops, so that the compiler can vectorise each.
template <class T, class R, class F>
inline void run_loops(const void* a_, int64_t sa, const void* b_, int64_t sb, void* y_, int64_t n,
                      F f) {
  const T* a = static_cast<const T*>(a_);
  const T* b = static_cast<const T*>(b_);
  R* y = static_cast<R*>(y_);
  if (n <= 0) return;
  if (sa != 0 && sb != 0) {
    for (int64_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]);
  } else if (sa != 0) {
    const T b0 = *b;
    for (int64_t i = 0; i < n; ++i) y[i] = f(a[i], b0);
  } else {
    const T a0 = *a;
    for (int64_t i = 0; i < n; ++i) y[i] = f(a0, b[i * sb]);
  }
}
template <class T, BinaryOp O>
void value_array(const void* a, int64_t sa, const void* b, int64_t sb, void* y, int64_t n) {
  run_loops<T, T>(a, sa, b, sb, y, n, [](T u, T v) { return value<T, O>(u, v); });
}
template <class T, BinaryOp O>
void compare_array(const void* a, int64_t sa, const void* b, int64_t sb, void* y, int64_t n) {
  run_loops<T, uint8_t>(a, sa, b, sb, y, n,
                        [](T u, T v) { return static_cast<uint8_t>(compare<T, O>(u, v)); });
}

template <BinaryOp O>
void logical_array(const void* a, int64_t sa, const void* b, int64_t sb, void* y, int64_t n) {
  run_loops<uint8_t, uint8_t>(a, sa, b, sb, y, n, [](uint8_t u, uint8_t v) {
    const bool p = u != 0, q = v != 0;
    return static_cast<uint8_t>(O == BinaryOp::kAnd  ? (p && q)
                                : O == BinaryOp::kOr ? (p || q)
                                                     : p != q);
  });
}

template <class T>
BinaryKernel::TypedFn pick(BinaryOp op) {
  constexpr bool kIsInt = std::is_integral_v<T>;
  switch (op) {
#define VALUE(name)    \
  case BinaryOp::name: \
    return value_array<T, BinaryOp::name>;
#define COMPARE(name)  \
  case BinaryOp::name: \
    return compare_array<T, BinaryOp::name>;
    VALUE(kAdd)
    VALUE(kSub)
    VALUE(kMul)
    VALUE(kDiv)
    VALUE(kMin)
    VALUE(kMax)
    VALUE(kPow)
    VALUE(kMod)
    VALUE(kFmod)
    VALUE(kPrelu)
    VALUE(kSquaredDifference)
    COMPARE(kEqual)
    COMPARE(kNotEqual)
    COMPARE(kLess)
    COMPARE(kLessOrEqual)
    COMPARE(kGreater)
    COMPARE(kGreaterOrEqual)
#undef VALUE
#undef COMPARE
    default:
      break;
  }
  if constexpr (kIsInt) {
    switch (op) {
      case BinaryOp::kBitwiseAnd:
        return value_array<T, BinaryOp::kBitwiseAnd>;
      case BinaryOp::kBitwiseOr:
        return value_array<T, BinaryOp::kBitwiseOr>;
      case BinaryOp::kBitwiseXor:
        return value_array<T, BinaryOp::kBitwiseXor>;
      case BinaryOp::kShiftLeft:
        return value_array<T, BinaryOp::kShiftLeft>;
      case BinaryOp::kShiftRight:
        return value_array<T, BinaryOp::kShiftRight>;
      default:
        break;
    }
  } else if (op == BinaryOp::kAtan2) {
    return value_array<T, BinaryOp::kAtan2>;
  }
  return nullptr;
}

}  // namespace

BinaryKernel::TypedFn binary_typed_fn(BinaryOp op, DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return pick<float>(op);
    case DType::kFloat64:
      return pick<double>(op);
    case DType::kInt32:
      return pick<int32_t>(op);
    case DType::kInt64:
      return pick<int64_t>(op);
    case DType::kUInt64:
      return pick<uint64_t>(op);
    case DType::kBool:
      switch (op) {
        case BinaryOp::kAnd:
          return logical_array<BinaryOp::kAnd>;
        case BinaryOp::kOr:
          return logical_array<BinaryOp::kOr>;
        case BinaryOp::kXor:
          return logical_array<BinaryOp::kXor>;
        default:
          return nullptr;
      }
    default:
      return nullptr;
  }
}

}  // namespace sampan
