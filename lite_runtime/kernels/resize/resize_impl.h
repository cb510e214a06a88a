// A resizing pass over a vector type. Innermost runs shorter than a vector (an image with three
// channels, or the last axis of a channels-first one) go element by element.
#pragma once
#include "kernels/resize/resize.h"
#include "kernels/simd/simd.h"

namespace sampan {
namespace {

template <class V, int P>
inline void blend(const ResizePassF32& p, const float* from, const int32_t* index,
                  const float* weight, float* to) {
  V sum[P];
  const float* tap = from + index[0] * p.inner;
  V w = V::set1(weight[0]);
  for (int i = 0; i < P; ++i) sum[i] = V::mul(w, V::load(tap + i * V::W));
  for (int64_t t = 1; t < p.taps; ++t) {
    tap = from + index[t] * p.inner;
    w = V::set1(weight[t]);
    for (int i = 0; i < P; ++i) sum[i] = V::add(sum[i], V::mul(w, V::load(tap + i * V::W)));
  }
  for (int i = 0; i < P; ++i) V::store(to + i * V::W, sum[i]);
}

template <class V>
void resize_pass(const ResizePassF32& p, const float* x, float* y, int64_t begin, int64_t end) {
  using F = simd::F32x1;
  for (int64_t row = begin; row < end; ++row) {
    const float* from = x + row / p.out * p.in * p.inner;
    const int32_t* index = p.index + row % p.out * p.taps;
    const float* weight = p.weight + row % p.out * p.taps;
    float* to = y + row * p.inner;
    int64_t i = 0;
    for (; i + 4 * V::W <= p.inner; i += 4 * V::W) blend<V, 4>(p, from + i, index, weight, to + i);
    for (; i + V::W <= p.inner; i += V::W) blend<V, 1>(p, from + i, index, weight, to + i);
    for (; i < p.inner; ++i) blend<F, 1>(p, from + i, index, weight, to + i);
  }
}

}  // namespace
}  // namespace sampan
