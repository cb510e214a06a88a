// float32 reductions over a vector type; the order is reduce.h's, whatever the width.
#pragma once
#include <limits>

#include "kernels/math/math_impl.h"
#include "kernels/reduce/reduce.h"

namespace sampan {
namespace {

template <class V>
inline V greater(V acc, V x) {
  return V::select(V::is_nan(acc), acc, V::max(acc, x));
}
template <class V>
inline V lesser(V acc, V x) {
  return V::select(V::is_nan(acc), acc, V::min(acc, x));
}

template <class V, ReduceOp O>
struct Step {
  static float start() {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    return O == ReduceOp::kMax    ? -kInf
           : O == ReduceOp::kMin  ? kInf
           : O == ReduceOp::kProd ? 1.0f
                                  : 0.0f;
  }
  // Two partial results.
  static V join(V a, V b) {
    switch (O) {
      case ReduceOp::kMax:
        return greater(a, b);
      case ReduceOp::kMin:
        return lesser(a, b);
      case ReduceOp::kProd:
        return V::mul(a, b);
      default:
        return V::add(a, b);
    }
  }
  static V value(V x, V shift) {
    switch (O) {
      case ReduceOp::kL1:
        return V::abs(x);
      case ReduceOp::kL2:
      case ReduceOp::kSumSquare:
        return V::mul(x, x);
      case ReduceOp::kLogSumExp:
        return math::exp(V::sub(x, shift));
      default:
        return x;
    }
  }
};

template <class V, ReduceOp O>
inline V finish(V v, V shift, float n) {
  switch (O) {
    case ReduceOp::kMean:
      return V::div(v, V::set1(n));
    case ReduceOp::kL2:
      return V::sqrt(v);
    case ReduceOp::kLogSum:
      return math::log(v);
    case ReduceOp::kLogSumExp:
      return V::add(shift, math::log(v));
    default:
      return v;
  }
}

template <class V>
inline V finite_or_zero(V m) {
  return V::select(V::lt(V::abs(m), V::set1(std::numeric_limits<float>::infinity())), m, V::zero());
}

// The 16 lanes of one row, then the tree.
template <class V, ReduceOp O>
inline float fold_row(const float* x, int64_t n, float shift_value) {
  constexpr int P = 16 / V::W;
  using S = Step<V, O>;
  using S1 = Step<simd::F32x1, O>;
  const V shift = V::set1(shift_value);
  V acc[P];
  for (int p = 0; p < P; ++p) acc[p] = V::set1(S::start());
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int p = 0; p < P; ++p)
      acc[p] = S::join(acc[p], S::value(V::load(x + i + p * V::W), shift));
  float lane[16];
  for (int p = 0; p < P; ++p) V::store(lane + p * V::W, acc[p]);
  for (int j = 0; i + j < n; ++j)
    lane[j] = S1::join({lane[j]}, S1::value({x[i + j]}, {shift_value})).v;
  for (int w = 8; w > 0; w /= 2)
    for (int j = 0; j < w; ++j) lane[j] = S1::join({lane[j]}, {lane[j + w]}).v;
  return lane[0];
}

template <class V, ReduceOp O>
inline float reduce_row(const float* x, int64_t n) {
  using F = simd::F32x1;
  F shift{0.0f};
  if (O == ReduceOp::kLogSumExp) shift = finite_or_zero(F{fold_row<V, ReduceOp::kMax>(x, n, 0.0f)});
  return finish<F, O>({fold_row<V, O>(x, n, shift.v)}, shift, static_cast<float>(n)).v;
}

// P vectors of results, `rest` lanes in the last one (V::W: all).
template <class V, ReduceOp O, int P>
inline void fold_columns(const float* x, int64_t n, int64_t stride, int rest, const V* shift,
                         V* acc) {
  using S = Step<V, O>;
  for (int p = 0; p < P; ++p) acc[p] = V::set1(S::start());
  for (int64_t k = 0; k < n;) {
    V chunk[P];
    for (int p = 0; p < P; ++p) chunk[p] = V::set1(S::start());
    const int64_t end = n - k < kReduceChunk ? n : k + kReduceChunk;
    for (; k < end; ++k, x += stride)
      for (int p = 0; p < P; ++p) {
        const float* at = x + p * V::W;
        V v = p + 1 < P || rest == V::W ? V::load(at) : V::load(at, rest);
        chunk[p] = S::join(chunk[p], S::value(v, shift[p]));
      }
    for (int p = 0; p < P; ++p) acc[p] = S::join(acc[p], chunk[p]);
  }
}
template <class V, ReduceOp O, int P>
inline void reduce_columns(const float* x, float* y, int64_t n, int64_t stride, int rest) {
  V shift[P], acc[P];
  for (int p = 0; p < P; ++p) shift[p] = V::zero();
  if (O == ReduceOp::kLogSumExp) {
    fold_columns<V, ReduceOp::kMax, P>(x, n, stride, rest, shift, acc);
    for (int p = 0; p < P; ++p) shift[p] = finite_or_zero(acc[p]);
  }
  fold_columns<V, O, P>(x, n, stride, rest, shift, acc);
  for (int p = 0; p < P; ++p) {
    V v = finish<V, O>(acc[p], shift[p], static_cast<float>(n));
    if (p + 1 < P || rest == V::W)
      V::store(y + p * V::W, v);
    else
      V::store(y + p * V::W, v, rest);
  }
}

template <class V, ReduceOp O>
void reduce_f32(const void* x_, void* y_, const ReduceShape& s, const ReduceRange& r) {
  const float* x = static_cast<const float*>(x_);
  float* y = static_cast<float*>(y_);
  for (int64_t o = r.outer0; o < r.outer1; ++o) {
    const float* from = x + o * s.n * s.inner;
    float* to = y + o * s.inner;
    if (s.inner == 1) {
      if (r.inner0 < r.inner1) *to = reduce_row<V, O>(from, s.n);
      continue;
    }
    int64_t i = r.inner0;
    for (; i + 4 * V::W <= r.inner1; i += 4 * V::W)
      reduce_columns<V, O, 4>(from + i, to + i, s.n, s.inner, V::W);
    for (; i < r.inner1; i += V::W) {
      const int64_t left = r.inner1 - i;
      const int rest = left < V::W ? static_cast<int>(left) : V::W;
      reduce_columns<V, O, 1>(from + i, to + i, s.n, s.inner, rest);
    }
  }
}

#define SAMPAN_REDUCE_TABLE(V)                                                                     \
  {                                                                                                \
    reduce_f32<V, ReduceOp::kSum>, reduce_f32<V, ReduceOp::kMean>, reduce_f32<V, ReduceOp::kProd>, \
        reduce_f32<V, ReduceOp::kMax>, reduce_f32<V, ReduceOp::kMin>,                              \
        reduce_f32<V, ReduceOp::kL1>, reduce_f32<V, ReduceOp::kL2>,                                \
        reduce_f32<V, ReduceOp::kSumSquare>, reduce_f32<V, ReduceOp::kLogSum>,                     \
        reduce_f32<V, ReduceOp::kLogSumExp>                                                        \
  }

}  // namespace
}  // namespace sampan
