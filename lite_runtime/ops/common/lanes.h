// Reductions of contiguous elements in the order that all kernels keep: 16 lanes, lane j taking
// elements j, j + 16, ... in ascending order, then the tree 8-4-2-1.
#pragma once
#include <cmath>
#include <cstdint>

#include "kernels/math/f64.h"
#include "kernels/math/math_impl.h"

namespace sampan {

template <class T>
T tree_sum(T (&lane)[16]) {
  for (int w = 8; w > 0; w /= 2)
    for (int j = 0; j < w; ++j) lane[j] += lane[j + w];
  return lane[0];
}

// Sum of f(0) ... f(n - 1).
template <class T, class F>
T lane_sum(int64_t n, F&& f) {
  T lane[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; ++j) lane[j] += f(i + j);
  for (int j = 0; i + j < n; ++j) lane[j] += f(i + j);
  return tree_sum(lane);
}

inline float exp_of(float x) { return math::exp(simd::F32x1{x}).v; }
inline double exp_of(double x) { return math::exp_f64(x); }
inline float log_of(float x) { return math::log(simd::F32x1{x}).v; }
inline double log_of(double x) { return math::log_f64(x); }

}  // namespace sampan
