#include <cmath>

#include "kernels/norm/norm.h"

namespace sampan {
namespace {

// value(0) + ... + value(n - 1): 16 lanes and the tree.
template <class F>
float lane_sum(int64_t n, F value) {
  float lane[16] = {};
  for (int64_t i = 0; i < n; ++i) lane[i % 16] += value(i);
  for (int w = 8; w > 0; w /= 2)
    for (int j = 0; j < w; ++j) lane[j] += lane[j + w];
  return lane[0];
}

template <bool kRms>
void row_norm(const LayerNormF32& p, const float* x, float* y, float* means, float* inverses,
              int64_t begin, int64_t end) {
  const float count = static_cast<float>(p.n);
  for (int64_t r = begin; r < end; ++r) {
    const float* from = x + r * p.n;
    float* to = y + r * p.n;
    const float mean = kRms ? 0.0f : lane_sum(p.n, [&](int64_t i) { return from[i]; }) / count;
    const float variance = lane_sum(p.n,
                                    [&](int64_t i) {
                                      const float d = from[i] - mean;
                                      return d * d;
                                    }) /
                           count;
    const float inverse = 1.0f / std::sqrt(variance + p.epsilon);
    for (int64_t i = 0; i < p.n; ++i) {
      float v = (kRms ? from[i] : from[i] - mean) * inverse;
      if (p.scale != nullptr) v = v * p.scale[i];
      to[i] = p.bias != nullptr ? v + p.bias[i] : v;
    }
    if (means != nullptr && !kRms) means[r] = mean;
    if (inverses != nullptr) inverses[r] = inverse;
  }
}

void channel_affine(const float* x, float* y, int64_t rows, int64_t channels, const float* mean,
                    const float* factor, const float* bias) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < channels; ++c) {
      float v = x[r * channels + c];
      if (mean != nullptr) v = v - mean[c];
      v = v * factor[c];
      y[r * channels + c] = bias != nullptr ? v + bias[c] : v;
    }
}

void channel_sum(const float* x, int64_t rows, int64_t channels, int64_t stride, const float* mean,
                 float* sum) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < channels; ++c) {
      const float v = x[r * stride + c];
      const float d = mean != nullptr ? v - mean[c] : v;
      sum[c] += mean != nullptr ? d * d : d;
    }
}

}  // namespace

const NormKernels kNormPortable = {row_norm<false>, row_norm<true>, channel_affine, channel_sum,
                                   "portable"};

const NormKernels& norm_kernels(Isa isa) {
#if SAMPAN_X86
  if (isa == Isa::kAvx512) return kNormAvx512;
  if (isa == Isa::kAvx2) return kNormAvx2;
#endif
  (void)isa;
  return kNormPortable;
}

void lp_normalize_f32(const float* x_, float* y_, int64_t n, int64_t inner, int p, float epsilon,
                      int64_t begin, int64_t end) {
  for (int64_t line = begin; line < end; ++line) {
    const int64_t at = line / inner * n * inner + line % inner;
    const float* x = x_ + at;
    auto value = [&](int64_t i) {
      const float v = x[i * inner];
      return p == 1 ? std::fabs(v) : v * v;
    };
    float norm = 0.0f;
    if (inner == 1)
      norm = lane_sum(n, value);
    else
      for (int64_t i = 0; i < n; ++i) norm += value(i);
    if (p == 2) norm = std::sqrt(norm);
    if (norm < epsilon) norm = epsilon;
    for (int64_t i = 0; i < n; ++i) y_[at + i * inner] = x[i * inner] / norm;
  }
}

}  // namespace sampan
