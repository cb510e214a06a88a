// What the tests of the matrix-like kernels share.
#pragma once
#include "check.h"
#include "kernels/activation.h"

namespace sampan::test {

inline bool coin(Random& r) { return r.integer(0, 1) == 1; }

inline Guarded<float>::Where side(Random& r) {
  return coin(r) ? Guarded<float>::kAtEnd : Guarded<float>::kAtStart;
}

// Now and then a value that is not an ordinary number.
inline void sprinkle(Random& r, Guarded<float>& b) {
  if (r.integer(0, 3) != 0 || b.size() == 0) return;
  const float special[] = {INFINITY, -INFINITY, NAN, -0.0f, 3e38f, -3e38f};
  for (int i = 0; i < 3; ++i) b[r.integer(0, b.size() - 1)] = special[r.integer(0, 5)];
}

// Puts back what a new buffer holds.
inline void spoil(Guarded<float>& b) {
  std::memset(b.data(), 0xA5, static_cast<size_t>(b.size()) * 4);
}

inline void halve_and_shift(float* x, int64_t n, float p0, float p1) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] * p0 + p1;
}

inline sampan::EpilogueF32 random_epilogue(Random& r, const float* bias, const float* residual,
                                           int64_t residual_stride) {
  sampan::EpilogueF32 ep;
  if (coin(r)) ep.bias = bias;
  if (r.integer(0, 2) == 0) ep.residual = residual;
  ep.residual_stride = residual_stride;
  const int64_t kind = r.integer(0, 2);
  if (kind == 1) {
    ep.act = sampan::Activation::kClip;
    ep.p0 = -0.3f;
    ep.p1 = coin(r) ? 0.8f : INFINITY;
  } else if (kind == 2) {
    ep.act = sampan::Activation::kSilu;  // any function will do
    ep.act_fn = halve_and_shift;
    ep.p0 = 0.5f;
    ep.p1 = 0.1f;
  }
  return ep;
}

}  // namespace sampan::test
