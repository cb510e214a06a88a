// 8 x 8 blocks of 4-byte elements in registers.
#include <immintrin.h>

#include "kernels/transpose/transpose.h"

namespace sampan {
namespace {

inline void transpose_8x8(const float* s, int64_t src_stride, float* d, int64_t dst_stride) {
  __m256 r[8], t[8];
  // Rows i and i + 4 share a register, so that one round of lane crossing is saved.
  for (int i = 0; i < 4; ++i) {
    const float* a = s + i * src_stride;
    const float* b = s + (i + 4) * src_stride;
    r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
    r[i + 4] =
        _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a + 4)), _mm_loadu_ps(b + 4), 1);
  }
  for (int h = 0; h < 8; h += 4) {
    t[h] = _mm256_unpacklo_ps(r[h], r[h + 1]);
    t[h + 1] = _mm256_unpackhi_ps(r[h], r[h + 1]);
    t[h + 2] = _mm256_unpacklo_ps(r[h + 2], r[h + 3]);
    t[h + 3] = _mm256_unpackhi_ps(r[h + 2], r[h + 3]);
  }
  for (int h = 0; h < 8; h += 4) {
    _mm256_storeu_ps(d + h * dst_stride, _mm256_shuffle_ps(t[h], t[h + 2], 0x44));
    _mm256_storeu_ps(d + (h + 1) * dst_stride, _mm256_shuffle_ps(t[h], t[h + 2], 0xEE));
    _mm256_storeu_ps(d + (h + 2) * dst_stride, _mm256_shuffle_ps(t[h + 1], t[h + 3], 0x44));
    _mm256_storeu_ps(d + (h + 3) * dst_stride, _mm256_shuffle_ps(t[h + 1], t[h + 3], 0xEE));
  }
}

}  // namespace

void transpose_x32_8x8_avx2(const uint32_t* src_, int64_t src_stride, uint32_t* dst_,
                            int64_t dst_stride, int64_t rows, int64_t cols) {
  const float* src = reinterpret_cast<const float*>(src_);
  float* dst = reinterpret_cast<float*>(dst_);
  const int64_t r8 = rows / 8 * 8, c8 = cols / 8 * 8;
  // Eight destination rows at a time are written from left to right.
  for (int64_t c = 0; c < c8; c += 8)
    for (int64_t r = 0; r < r8; r += 8)
      transpose_8x8(src + r * src_stride + c, src_stride, dst + c * dst_stride + r, dst_stride);
  for (int64_t r = r8; r < rows; ++r)
    for (int64_t c = 0; c < c8; ++c) dst_[c * dst_stride + r] = src_[r * src_stride + c];
  for (int64_t c = c8; c < cols; ++c)
    for (int64_t r = 0; r < rows; ++r) dst_[c * dst_stride + r] = src_[r * src_stride + c];
}

}  // namespace sampan
