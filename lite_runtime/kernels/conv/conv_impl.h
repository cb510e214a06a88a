// What conv.cc and conv_transpose.cc share. Private to the kernels.
#pragma once
#include "kernels/conv/conv.h"
#include "kernels/gemm/gemm_tile.h"

namespace sampan {

void conv_f32_portable(const ConvF32& c, int64_t m0, int64_t m1, int64_t u0, int64_t u1,
                       void* workspace);
void conv_transpose_f32_portable(const ConvF32& c, int64_t r0, int64_t r1, int64_t u0, int64_t u1,
                                 void* workspace);

int64_t conv_transpose_f32_workspace(const TileSetF32& set, const ConvF32& c);
void conv_transpose_f32_tiles(const TileSetF32& set, const ConvF32& c, int64_t r0, int64_t r1,
                              int64_t u0, int64_t u1, void* workspace);

// Taps of one direction of a transposed convolution that reach the outputs with
// (out + pad) % stride == phase.
inline int64_t phase_taps(int64_t kernel, int64_t dilation, int64_t stride, int64_t phase) {
  int64_t n = 0;
  for (int64_t t = 0; t < kernel; ++t) n += t * dilation % stride == phase;
  return n;
}

inline int64_t round_up_64(int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace sampan
