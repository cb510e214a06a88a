// The oracle: every type, in plain loops.
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/elementwise/half.h"
#include "kernels/math/f64.h"
#include "kernels/math/math_impl.h"
#include "kernels/reduce/reduce.h"

namespace sampan {
namespace {

struct F16 {
  uint16_t bits;
  using Acc = float;
  static float get(F16 v) { return f32_from_f16(v.bits); }
  static F16 put(float v) { return {f16_from_f32(v)}; }
};
struct BF16 {
  uint16_t bits;
  using Acc = float;
  static float get(BF16 v) { return f32_from_bf16(v.bits); }
  static BF16 put(float v) { return {bf16_from_f32(v)}; }
};
// Integers are summed in 64 bits, unsigned, so that wrapping is defined.
template <class T>
struct Plain {
  using Acc = std::conditional_t<std::is_floating_point_v<T>, T,
                                 std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  static Acc get(T v) { return static_cast<Acc>(v); }
  static T put(Acc v) { return static_cast<T>(v); }
};
template <class T>
struct Access : Plain<T> {};
template <>
struct Access<F16> : F16 {};
template <>
struct Access<BF16> : BF16 {};

float exp_of(float x) { return math::exp(simd::F32x1{x}).v; }
double exp_of(double x) { return math::exp_f64(x); }
float log_of(float x) { return math::log(simd::F32x1{x}).v; }
double log_of(double x) { return math::log_f64(x); }

template <class A>
A add(A a, A b) {
  if constexpr (std::is_floating_point_v<A>)
    return a + b;
  else
    return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <class A>
A mul(A a, A b) {
  if constexpr (std::is_floating_point_v<A>)
    return a * b;
  else
    return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <class A>
A greater(A a, A b) {
  return a != a ? a : a > b ? a : b;
}
template <class A>
A lesser(A a, A b) {
  return a != a ? a : a < b ? a : b;
}
template <class A>
constexpr A lowest() {
  if constexpr (std::is_floating_point_v<A>)
    return -std::numeric_limits<A>::infinity();
  else
    return std::numeric_limits<A>::lowest();
}
template <class A>
constexpr A highest() {
  if constexpr (std::is_floating_point_v<A>)
    return std::numeric_limits<A>::infinity();
  else
    return std::numeric_limits<A>::max();
}

// get(0) ... get(n - 1) joined by f, in lanes or in chunks.
template <class A, class Get, class F>
A fold(int64_t n, bool lanes, A start, Get get, F f) {
  if (!lanes) {
    A total = start;
    for (int64_t i = 0; i < n;) {
      A chunk = start;
      const int64_t end = n - i < kReduceChunk ? n : i + kReduceChunk;
      for (; i < end; ++i) chunk = f(chunk, get(i));
      total = f(total, chunk);
    }
    return total;
  }
  A lane[16];
  for (A& l : lane) l = start;
  for (int64_t i = 0; i < n; i += 16)
    for (int64_t j = 0; j < 16 && i + j < n; ++j) lane[j] = f(lane[j], get(i + j));
  for (int w = 8; w > 0; w /= 2)
    for (int j = 0; j < w; ++j) lane[j] = f(lane[j], lane[j + w]);
  return lane[0];
}

template <class A>
A mean_of(A sum, int64_t n) {
  if constexpr (std::is_floating_point_v<A>)
    return sum / static_cast<A>(n);
  else
    return n == 0 ? A{0} : static_cast<A>(sum / static_cast<A>(n));
}
// A float function of an integer sum is computed in double and truncated.
template <class A>
A sqrt_of(A v) {
  if constexpr (std::is_floating_point_v<A>)
    return std::sqrt(v);
  else
    return static_cast<A>(std::sqrt(static_cast<double>(v)));
}
template <class A>
A log_truncated(A v) {
  if constexpr (std::is_floating_point_v<A>)
    return log_of(v);
  else
    return v <= 0 ? A{0} : static_cast<A>(math::log_f64(static_cast<double>(v)));
}

template <class A, class Get>
A log_sum_exp(int64_t n, bool lanes, Get get) {
  if constexpr (std::is_floating_point_v<A>) {
    const A m = fold<A>(n, lanes, lowest<A>(), get, greater<A>);
    const A shift = std::fabs(m) < highest<A>() ? m : A{0};
    const A sum = fold<A>(
        n, lanes, A{0}, [&](int64_t i) { return exp_of(get(i) - shift); }, add<A>);
    return shift + log_of(sum);
  } else {
    const double v =
        log_sum_exp<double>(n, lanes, [&](int64_t i) { return static_cast<double>(get(i)); });
    return v > 0 ? static_cast<A>(v) : A{0};
  }
}

template <class A, class Get>
A reduce_line(ReduceOp op, int64_t n, bool lanes, Get get) {
  auto sum = [&](auto value) { return fold<A>(n, lanes, A{0}, value, add<A>); };
  auto square = [&](int64_t i) { return mul<A>(get(i), get(i)); };
  auto absolute = [&](int64_t i) {
    const A v = get(i);
    if constexpr (std::is_floating_point_v<A>)
      return std::fabs(v);
    else
      return v < 0 ? static_cast<A>(uint64_t{0} - static_cast<uint64_t>(v)) : v;
  };
  switch (op) {
    case ReduceOp::kSum:
      return sum(get);
    case ReduceOp::kMean:
      return mean_of(sum(get), n);
    case ReduceOp::kProd:
      return fold<A>(n, lanes, A{1}, get, mul<A>);
    case ReduceOp::kMax:
      return fold<A>(n, lanes, lowest<A>(), get, greater<A>);
    case ReduceOp::kMin:
      return fold<A>(n, lanes, highest<A>(), get, lesser<A>);
    case ReduceOp::kL1:
      return sum(absolute);
    case ReduceOp::kL2:
      return sqrt_of(sum(square));
    case ReduceOp::kSumSquare:
      return sum(square);
    case ReduceOp::kLogSum:
      return log_truncated(sum(get));
    case ReduceOp::kLogSumExp:
      return log_sum_exp<A>(n, lanes, get);
  }
  return A{};
}

template <class T>
void reduce_array(ReduceOp op, const void* x_, void* y_, const ReduceShape& s,
                  const ReduceRange& r) {
  using A = typename Access<T>::Acc;
  const T* x = static_cast<const T*>(x_);
  T* y = static_cast<T*>(y_);
  for (int64_t o = r.outer0; o < r.outer1; ++o) {
    for (int64_t i = r.inner0; i < r.inner1; ++i) {
      const T* from = x + o * s.n * s.inner + i;
      auto get = [&](int64_t k) { return Access<T>::get(from[k * s.inner]); };
      A v = reduce_line<A>(op, s.n, s.inner == 1, get);
      // Nothing to reduce: the limits are the element type's own.
      if (s.n == 0 && std::is_integral_v<A>) {
        if constexpr (std::is_integral_v<T>) {
          if (op == ReduceOp::kMax) v = static_cast<A>(std::numeric_limits<T>::lowest());
          if (op == ReduceOp::kMin) v = static_cast<A>(std::numeric_limits<T>::max());
        }
      }
      y[o * s.inner + i] = Access<T>::put(v);
    }
  }
}

template <class T, ReduceOp O>
void reduce_entry(const void* x, void* y, const ReduceShape& s, const ReduceRange& r) {
  reduce_array<T>(O, x, y, s, r);
}

template <class T>
ReduceFn pick(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return reduce_entry<T, ReduceOp::kSum>;
    case ReduceOp::kMean:
      return reduce_entry<T, ReduceOp::kMean>;
    case ReduceOp::kProd:
      return reduce_entry<T, ReduceOp::kProd>;
    case ReduceOp::kMax:
      return reduce_entry<T, ReduceOp::kMax>;
    case ReduceOp::kMin:
      return reduce_entry<T, ReduceOp::kMin>;
    case ReduceOp::kL1:
      return reduce_entry<T, ReduceOp::kL1>;
    case ReduceOp::kL2:
      return reduce_entry<T, ReduceOp::kL2>;
    case ReduceOp::kSumSquare:
      return reduce_entry<T, ReduceOp::kSumSquare>;
    case ReduceOp::kLogSum:
      return reduce_entry<T, ReduceOp::kLogSum>;
    case ReduceOp::kLogSumExp:
      return reduce_entry<T, ReduceOp::kLogSumExp>;
  }
  return nullptr;
}

template <class T, bool kGreatest>
void arg_reduce(const void* x_, int64_t* y, const ReduceShape& s, const ReduceRange& r, bool last) {
  using A = typename Access<T>::Acc;
  const T* x = static_cast<const T*>(x_);
  for (int64_t o = r.outer0; o < r.outer1; ++o) {
    for (int64_t i = r.inner0; i < r.inner1; ++i) {
      const T* from = x + o * s.n * s.inner + i;
      A best = Access<T>::get(*from);
      int64_t at = 0;
      for (int64_t k = 1; k < s.n; ++k) {
        const A v = Access<T>::get(from[k * s.inner]);
        bool better = kGreatest ? v > best : v < best;
        if (v != v)
          better = best == best || last;
        else if (best != best)
          better = false;
        else if (last && v == best)
          better = true;
        if (better) {
          best = v;
          at = k;
        }
      }
      y[o * s.inner + i] = at;
    }
  }
}

template <class T>
void cum_sum(const void* x_, void* y_, const ReduceShape& s, const ReduceRange& r,
             CumSumMode mode) {
  using A = typename Access<T>::Acc;
  const T* x = static_cast<const T*>(x_);
  T* y = static_cast<T*>(y_);
  for (int64_t o = r.outer0; o < r.outer1; ++o) {
    for (int64_t i = r.inner0; i < r.inner1; ++i) {
      const int64_t base = o * s.n * s.inner + i;
      A sum = 0;
      for (int64_t k = 0; k < s.n; ++k) {
        const int64_t at = base + (mode.reverse ? s.n - 1 - k : k) * s.inner;
        const A v = Access<T>::get(x[at]);  // y may be x
        if (mode.exclusive) y[at] = Access<T>::put(sum);
        sum = add(sum, v);
        if (!mode.exclusive) y[at] = Access<T>::put(sum);
      }
    }
  }
}

}  // namespace

// Calls CASE(DType, T) for every type that has arithmetic.
#define SAMPAN_NUMBER_TYPES(CASE) \
  CASE(kFloat32, float)           \
  CASE(kFloat64, double)          \
  CASE(kFloat16, F16)             \
  CASE(kBFloat16, BF16)           \
  CASE(kInt8, int8_t)             \
  CASE(kUInt8, uint8_t)           \
  CASE(kInt16, int16_t)           \
  CASE(kUInt16, uint16_t)         \
  CASE(kInt32, int32_t) CASE(kUInt32, uint32_t) CASE(kInt64, int64_t) CASE(kUInt64, uint64_t)

ReduceFn reduce_fn(Isa isa, ReduceOp op, DType dtype) {
#if SAMPAN_X86
  if (dtype == DType::kFloat32) {
    if (isa == Isa::kAvx512) return kReduceF32Avx512[static_cast<int>(op)];
    if (isa == Isa::kAvx2) return kReduceF32Avx2[static_cast<int>(op)];
  }
#endif
  (void)isa;
  switch (dtype) {
#define CASE(name, T) \
  case DType::name:   \
    return pick<T>(op);
    SAMPAN_NUMBER_TYPES(CASE)
#undef CASE
    default:
      return nullptr;
  }
}

ArgReduceFn arg_max_fn(DType dtype) {
  switch (dtype) {
#define CASE(name, T) \
  case DType::name:   \
    return arg_reduce<T, true>;
    SAMPAN_NUMBER_TYPES(CASE)
#undef CASE
    default:
      return nullptr;
  }
}

ArgReduceFn arg_min_fn(DType dtype) {
  switch (dtype) {
#define CASE(name, T) \
  case DType::name:   \
    return arg_reduce<T, false>;
    SAMPAN_NUMBER_TYPES(CASE)
#undef CASE
    default:
      return nullptr;
  }
}

CumSumFn cum_sum_fn(DType dtype) {
  switch (dtype) {
#define CASE(name, T) \
  case DType::name:   \
    return cum_sum<T>;
    SAMPAN_NUMBER_TYPES(CASE)
#undef CASE
    default:
      return nullptr;
  }
}

ReducePlan make_reduce_plan(int rank, const int64_t* dims, uint32_t mask) {
  ReducePlan plan;
  int first = -1;
  bool gap = false;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] == 1) continue;
    if ((mask >> i) & 1u) {
      if (first < 0)
        first = i;
      else if (gap)
        plan.permute = true;
    } else if (first >= 0) {
      gap = true;
    }
  }
  int at = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < rank; ++i)
      if (static_cast<int>((mask >> i) & 1u) == pass) plan.perm[at++] = i;
  for (int i = 0; i < rank; ++i) {
    if ((mask >> i) & 1u)
      plan.shape.n *= dims[i];
    else if (plan.permute || first < 0 || i < first)
      plan.shape.outer *= dims[i];
    else
      plan.shape.inner *= dims[i];
  }
  return plan;
}

}  // namespace sampan
