// Softmax over a vector type; the order of sums is softmax.h's, whatever the width.
#pragma once
#include "kernels/math/math_impl.h"
#include "kernels/softmax/softmax.h"

namespace sampan {
namespace {

// Which result of the maximum wins among NaNs and zeros of both signs does not matter: the sum of a
// line with a NaN is NaN, and x - m is the same for both zeros but for its own sign, which exp
// drops.
template <class V>
inline float max_of_row(const float* x, int64_t n) {
  V m = V::set1(x[0]);
  int64_t i = 0;
  for (; i + V::W <= n; i += V::W) m = V::max(m, V::load(x + i));
  float lane[V::W];
  V::store(lane, m);
  float best = lane[0];
  for (int j = 1; j < V::W; ++j) best = best > lane[j] ? best : lane[j];
  for (; i < n; ++i) best = best > x[i] ? best : x[i];
  return best;
}

// sum(exp(x - m)) in 16 lanes; with kStore the exponentials go to y.
template <class V, bool kStore>
inline float exp_sum_of_row(const float* x, float* y, int64_t n, float m_value) {
  constexpr int P = 16 / V::W;
  const V m = V::set1(m_value);
  V sum[P];
  for (int p = 0; p < P; ++p) sum[p] = V::zero();
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int p = 0; p < P; ++p) {
      V e = math::exp(V::sub(V::load(x + i + p * V::W), m));
      if (kStore) V::store(y + i + p * V::W, e);
      sum[p] = V::add(sum[p], e);
    }
  float lane[16];
  for (int p = 0; p < P; ++p) V::store(lane + p * V::W, sum[p]);
  if (i < n) {
    float rest[16];
    for (int p = 0; p < P; ++p) {
      const int64_t left = n - i - p * V::W;
      if (left <= 0) break;
      const int count = left < V::W ? static_cast<int>(left) : V::W;
      V e = math::exp(V::sub(V::load(x + i + p * V::W, count), m));
      V::store(rest + p * V::W, e);
      if (kStore) V::store(y + i + p * V::W, e, count);
    }
    for (int j = 0; i + j < n; ++j) lane[j] += rest[j];
  }
  for (int w = 8; w > 0; w /= 2)
    for (int j = 0; j < w; ++j) lane[j] += lane[j + w];
  return lane[0];
}

template <class V>
void softmax_row(const float* x, float* y, int64_t n) {
  const float m = max_of_row<V>(x, n);
  const V sum = V::set1(exp_sum_of_row<V, true>(x, y, n, m));
  int64_t i = 0;
  for (; i + V::W <= n; i += V::W) V::store(y + i, V::div(V::load(y + i), sum));
  const int rest = static_cast<int>(n - i);
  if (rest > 0) V::store(y + i, V::div(V::load(y + i, rest), sum), rest);
}

template <class V>
void log_softmax_row(const float* x, float* y, int64_t n) {
  const float m_value = max_of_row<V>(x, n);
  const float s = exp_sum_of_row<V, false>(x, y, n, m_value);
  const V m = V::set1(m_value), log_sum = V::set1(math::log(simd::F32x1{s}).v);
  int64_t i = 0;
  for (; i + V::W <= n; i += V::W) V::store(y + i, V::sub(V::sub(V::load(x + i), m), log_sum));
  const int rest = static_cast<int>(n - i);
  if (rest > 0) V::store(y + i, V::sub(V::sub(V::load(x + i, rest), m), log_sum), rest);
}

// V::W lines side by side (count of them real), `stride` floats between their elements.
template <class V, bool kLog>
void softmax_columns(const float* x, float* y, int64_t n, int64_t stride, int count) {
  auto load = [count](const float* p) { return count == V::W ? V::load(p) : V::load(p, count); };
  auto store = [count](float* p, V v) {
    if (count == V::W)
      V::store(p, v);
    else
      V::store(p, v, count);
  };
  V m = load(x);
  for (int64_t k = 1; k < n; ++k) m = V::max(m, load(x + k * stride));
  V sum = V::zero();
  for (int64_t k = 0; k < n; ++k) {
    V e = math::exp(V::sub(load(x + k * stride), m));
    if (!kLog) store(y + k * stride, e);
    sum = V::add(sum, e);
  }
  if (kLog) {
    const V log_sum = math::log(sum);
    for (int64_t k = 0; k < n; ++k)
      store(y + k * stride, V::sub(V::sub(load(x + k * stride), m), log_sum));
  } else {
    for (int64_t k = 0; k < n; ++k) store(y + k * stride, V::div(load(y + k * stride), sum));
  }
}

template <class V, bool kLog>
void softmax_lines(const float* x, float* y, int64_t n, int64_t inner, int64_t begin, int64_t end) {
  if (n <= 0) return;
  if (inner == 1) {
    for (int64_t i = begin; i < end; ++i) {
      if (kLog)
        log_softmax_row<V>(x + i * n, y + i * n, n);
      else
        softmax_row<V>(x + i * n, y + i * n, n);
    }
    return;
  }
  for (int64_t i = begin; i < end;) {
    const int64_t o = i / inner, at = i % inner;
    int64_t count = inner - at < end - i ? inner - at : end - i;
    if (count > V::W) count = V::W;
    const int64_t offset = o * n * inner + at;
    softmax_columns<V, kLog>(x + offset, y + offset, n, inner, static_cast<int>(count));
    i += count;
  }
}

}  // namespace
}  // namespace sampan
