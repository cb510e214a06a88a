// Normalisation of float32 arrays.
//
// Means and variances are taken in two passes, sums in the order of reduce.h, divisions and square
// roots are correctly rounded; d * d is rounded before it is added.
#pragma once
#include <cstdint>

#include "kernels/isa.h"

namespace sampan {

struct LayerNormF32 {
  int64_t n = 0;                 // elements of a row
  const float* scale = nullptr;  // [n] or null
  const float* bias = nullptr;   // [n] or null
  float epsilon = 0.0f;
};

// Rows [begin, end) of x and y: [rows, n]; y may be x.
//   layer: v = ((x - mean) * inverse) * scale + bias, inverse = 1 / sqrt(variance + epsilon)
//   rms:   v = (x * inverse) * scale + bias,          inverse = 1 / sqrt(mean(x * x) + epsilon)
// mean and inverse receive one value per row where they are not null (rms leaves mean alone).
using RowNormF32Fn = void (*)(const LayerNormF32& p, const float* x, float* y, float* mean,
                              float* inverse, int64_t begin, int64_t end);

// y = (x - mean[c]) * factor[c] + bias[c] over rows of `channels`; a null mean or bias is left out.
// Batch, instance and group normalisation of channels-last arrays. x and y may be the same.
using ChannelAffineF32Fn = void (*)(const float* x, float* y, int64_t rows, int64_t channels,
                                    const float* mean, const float* factor, const float* bias);

// sum[c] += x[r][c] over rows r in ascending order (one chain per channel); with mean, the squares
// of x - mean[c] are added instead. x has `stride` floats between rows.
using ChannelSumF32Fn = void (*)(const float* x, int64_t rows, int64_t channels, int64_t stride,
                                 const float* mean, float* sum);

struct NormKernels {
  RowNormF32Fn layer_norm, rms_norm;
  ChannelAffineF32Fn channel_affine;
  ChannelSumF32Fn channel_sum;
  const char* isa;
};
const NormKernels& norm_kernels(Isa isa);

extern const NormKernels kNormPortable, kNormAvx2, kNormAvx512;

// x / max(norm, epsilon) along the middle axis of [outer, n, inner], lines [begin, end) as in
// softmax.h. p is 1 or 2. A portable loop.
void lp_normalize_f32(const float* x, float* y, int64_t n, int64_t inner, int p, float epsilon,
                      int64_t begin, int64_t end);

}  // namespace sampan
