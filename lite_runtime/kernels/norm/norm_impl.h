// Normalisation over a vector type.
#pragma once
#include "kernels/norm/norm.h"
#include "kernels/simd/simd.h"

namespace sampan {
namespace {

// Sum of x (kSquares: of (x - mean)^2) in 16 lanes and the tree.
template <class V, bool kSquares>
inline float lane_sum(const float* x, int64_t n, float mean_value) {
  constexpr int P = 16 / V::W;
  const V mean = V::set1(mean_value);
  V sum[P];
  for (int p = 0; p < P; ++p) sum[p] = V::zero();
  auto value = [mean](V v) {
    if (!kSquares) return v;
    V d = V::sub(v, mean);
    return V::mul(d, d);
  };
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int p = 0; p < P; ++p) sum[p] = V::add(sum[p], value(V::load(x + i + p * V::W)));
  float lane[16];
  for (int p = 0; p < P; ++p) V::store(lane + p * V::W, sum[p]);
  for (int j = 0; i + j < n; ++j) {
    const float d = x[i + j] - mean_value;
    lane[j] += kSquares ? d * d : x[i + j];
  }
  for (int w = 8; w > 0; w /= 2)
    for (int j = 0; j < w; ++j) lane[j] += lane[j + w];
  return lane[0];
}

template <class V, bool kRms>
void row_norm(const LayerNormF32& p, const float* x, float* y, float* means, float* inverses,
              int64_t begin, int64_t end) {
  const float count = static_cast<float>(p.n);
  for (int64_t r = begin; r < end; ++r) {
    const float* from = x + r * p.n;
    float* to = y + r * p.n;
    const float mean_value = kRms ? 0.0f : lane_sum<V, false>(from, p.n, 0.0f) / count;
    const float variance = lane_sum<V, true>(from, p.n, mean_value) / count;
    const float inverse_value = 1.0f / simd::F32x1::sqrt(simd::F32x1{variance + p.epsilon}).v;
    const V mean = V::set1(mean_value), inverse = V::set1(inverse_value);
    auto value = [&](V v, V scale, V bias) {
      v = V::mul(kRms ? v : V::sub(v, mean), inverse);
      if (p.scale != nullptr) v = V::mul(v, scale);
      return p.bias != nullptr ? V::add(v, bias) : v;
    };
    int64_t i = 0;
    for (; i + V::W <= p.n; i += V::W) {
      V scale = p.scale != nullptr ? V::load(p.scale + i) : V::zero();
      V bias = p.bias != nullptr ? V::load(p.bias + i) : V::zero();
      V::store(to + i, value(V::load(from + i), scale, bias));
    }
    const int rest = static_cast<int>(p.n - i);
    if (rest > 0) {
      V scale = p.scale != nullptr ? V::load(p.scale + i, rest) : V::zero();
      V bias = p.bias != nullptr ? V::load(p.bias + i, rest) : V::zero();
      V::store(to + i, value(V::load(from + i, rest), scale, bias), rest);
    }
    if (means != nullptr && !kRms) means[r] = mean_value;
    if (inverses != nullptr) inverses[r] = inverse_value;
  }
}

template <class V>
void channel_affine(const float* x, float* y, int64_t rows, int64_t channels, const float* mean,
                    const float* factor, const float* bias) {
  for (int64_t r = 0; r < rows; ++r, x += channels, y += channels) {
    for (int64_t c = 0; c < channels; c += V::W) {
      const int64_t left = channels - c;
      if (left >= V::W) {
        V v = V::load(x + c);
        if (mean != nullptr) v = V::sub(v, V::load(mean + c));
        v = V::mul(v, V::load(factor + c));
        if (bias != nullptr) v = V::add(v, V::load(bias + c));
        V::store(y + c, v);
      } else {
        const int rest = static_cast<int>(left);
        V v = V::load(x + c, rest);
        if (mean != nullptr) v = V::sub(v, V::load(mean + c, rest));
        v = V::mul(v, V::load(factor + c, rest));
        if (bias != nullptr) v = V::add(v, V::load(bias + c, rest));
        V::store(y + c, v, rest);
      }
    }
  }
}

// P vectors of channels; `rest` lanes in the last (V::W: all).
template <class V, int P>
inline void channel_sum_block(const float* x, int64_t rows, int64_t stride, int rest,
                              const float* mean, float* sum) {
  auto load = [rest](const float* p, int i) {
    return i + 1 < P || rest == V::W ? V::load(p + i * V::W) : V::load(p + i * V::W, rest);
  };
  V acc[P], m[P];
  for (int i = 0; i < P; ++i) {
    acc[i] = load(sum, i);
    m[i] = mean != nullptr ? load(mean, i) : V::zero();
  }
  for (int64_t r = 0; r < rows; ++r, x += stride)
    for (int i = 0; i < P; ++i) {
      V v = load(x, i);
      if (mean != nullptr) {
        v = V::sub(v, m[i]);
        v = V::mul(v, v);
      }
      acc[i] = V::add(acc[i], v);
    }
  for (int i = 0; i < P; ++i) {
    if (i + 1 < P || rest == V::W)
      V::store(sum + i * V::W, acc[i]);
    else
      V::store(sum + i * V::W, acc[i], rest);
  }
}

template <class V>
void channel_sum(const float* x, int64_t rows, int64_t channels, int64_t stride, const float* mean,
                 float* sum) {
  int64_t c = 0;
  for (; c + 4 * V::W <= channels; c += 4 * V::W)
    channel_sum_block<V, 4>(x + c, rows, stride, V::W, mean != nullptr ? mean + c : mean, sum + c);
  for (; c < channels; c += V::W) {
    const int64_t left = channels - c;
    const int rest = left < V::W ? static_cast<int>(left) : V::W;
    channel_sum_block<V, 1>(x + c, rows, stride, rest, mean != nullptr ? mean + c : mean, sum + c);
  }
}

}  // namespace
}  // namespace sampan
