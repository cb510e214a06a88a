#include "kernels/gemm/gemm_impl.h"

namespace sampan {
namespace {

using simd::F32x8;

template <int MR, int NV>
constexpr TileFnF32 tile() {
  return &Tile<F32x8, F32x8, MR, NV, false>::run;
}

// Eight columns' worth of eight k, read along k and stored across.
SAMPAN_INLINE void transpose_8x8(const float* b, int64_t stride_n, float* out) {
  __m256 r[8], s[8];
  SAMPAN_UNROLL for (int j = 0; j < 8; ++j) r[j] = _mm256_loadu_ps(b + j * stride_n);
  SAMPAN_UNROLL for (int j = 0; j < 8; j += 2) {
    s[j] = _mm256_unpacklo_ps(r[j], r[j + 1]);
    s[j + 1] = _mm256_unpackhi_ps(r[j], r[j + 1]);
  }
  SAMPAN_UNROLL for (int j = 0; j < 8; j += 4) {
    r[j] = _mm256_shuffle_ps(s[j], s[j + 2], 0x44);
    r[j + 1] = _mm256_shuffle_ps(s[j], s[j + 2], 0xee);
    r[j + 2] = _mm256_shuffle_ps(s[j + 1], s[j + 3], 0x44);
    r[j + 3] = _mm256_shuffle_ps(s[j + 1], s[j + 3], 0xee);
  }
  SAMPAN_UNROLL for (int j = 0; j < 4; ++j) {
    _mm256_storeu_ps(out + j * kPanelWidth, _mm256_permute2f128_ps(r[j], r[j + 4], 0x20));
    _mm256_storeu_ps(out + (j + 4) * kPanelWidth, _mm256_permute2f128_ps(r[j], r[j + 4], 0x31));
  }
}

}  // namespace

// 6x16 is the main tile: 12 sums, 8 loads for 12 multiplications. 4x24 takes a last panel of 8
// columns along; a lone one needs more rows to have enough independent sums. The wide ones are for
// few rows, where several panels at a time give the sums and the memory streams that one cannot.
const TileSetF32& tiles_f32_avx2() {
  static constexpr TileSetF32 set = {
      {{},
       {nullptr, tile<1, 1>(), tile<2, 1>(), tile<3, 1>(), tile<4, 1>(), tile<5, 1>(), tile<6, 1>(),
        tile<7, 1>(), tile<8, 1>(), tile<9, 1>(), tile<10, 1>(), tile<11, 1>(), tile<12, 1>()},
       {nullptr, tile<1, 2>(), tile<2, 2>(), tile<3, 2>(), tile<4, 2>(), tile<5, 2>(),
        tile<6, 2>()},
       {nullptr, tile<1, 3>(), tile<2, 3>(), tile<3, 3>(), tile<4, 3>()},
       {nullptr, tile<1, 4>(), tile<2, 4>(), tile<3, 4>()},
       {},
       {},
       {},
       {nullptr, tile<1, 8>()}},
      {0, 12, 6, 4, 3, 0, 0, 0, 1},
      2,
      8};
  return set;
}

void pack_f32_avx2(const float* b, int64_t k, int64_t n, int64_t stride_k, int64_t stride_n,
                   int64_t p0, int64_t p1, float* out) {
  for (int64_t p = p0; p < p1; ++p) {
    const float* src = b + p * kPanelWidth * stride_n;
    float* dst = out + p * k * kPanelWidth;
    const bool whole = n >= (p + 1) * kPanelWidth;
    if (stride_n == 1) {
      const int left = whole ? 16 : static_cast<int>(n - p * kPanelWidth);
      for (int64_t i = 0; i < k; ++i, src += stride_k, dst += kPanelWidth) {
        F32x8::store(dst, whole ? F32x8::load(src) : F32x8::load(src, left));
        if (left > 8) {
          F32x8::store(dst + 8, whole ? F32x8::load(src + 8) : F32x8::load(src + 8, left - 8));
        } else {
          F32x8::store(dst + 8, F32x8::zero());
        }
      }
    } else if (stride_k == 1 && whole) {
      int64_t i = 0;
      for (; i + 8 <= k; i += 8) {
        transpose_8x8(src + i, stride_n, dst + i * kPanelWidth);
        transpose_8x8(src + i + 8 * stride_n, stride_n, dst + i * kPanelWidth + 8);
      }
      for (; i < k; ++i) {
        for (int64_t j = 0; j < kPanelWidth; ++j) dst[i * kPanelWidth + j] = src[i + j * stride_n];
      }
    } else {
      pack_f32_portable(b, k, n, stride_k, stride_n, p, p + 1, out);
    }
  }
}

}  // namespace sampan
