#include <immintrin.h>

#include "kernels/quantize/quantize.h"

namespace sampan {
namespace {

struct Limits {
  __m256 scale, least, most;
  __m256i zero_point;
};

// Eight integers, in range. The clamp comes before the conversion, which could not hold the value.
inline __m256i quantize8(__m256 x, const Limits& l) {
  __m256 r =
      _mm256_round_ps(_mm256_div_ps(x, l.scale), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  r = _mm256_and_ps(r, _mm256_cmp_ps(r, r, _CMP_ORD_Q));  // NaN to 0
  r = _mm256_min_ps(l.most, _mm256_max_ps(l.least, r));
  return _mm256_add_epi32(_mm256_cvtps_epi32(r), l.zero_point);
}

void quantize_avx2(const float* x, void* y, int64_t n, float scale, int32_t zero_point,
                   bool is_signed) {
  const int32_t low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
  const Limits l = {_mm256_set1_ps(scale), _mm256_set1_ps(static_cast<float>(low - zero_point)),
                    _mm256_set1_ps(static_cast<float>(high - zero_point)),
                    _mm256_set1_epi32(zero_point)};
  uint8_t* q = static_cast<uint8_t*>(y);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    __m256i a = quantize8(_mm256_loadu_ps(x + i), l), b = quantize8(_mm256_loadu_ps(x + i + 8), l);
    __m256i c = quantize8(_mm256_loadu_ps(x + i + 16), l),
            d = quantize8(_mm256_loadu_ps(x + i + 24), l);
    __m256i ab = _mm256_packs_epi32(a, b), cd = _mm256_packs_epi32(c, d);
    __m256i v = is_signed ? _mm256_packs_epi16(ab, cd) : _mm256_packus_epi16(ab, cd);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(q + i), _mm256_permutevar8x32_epi32(v, order));
  }
  for (; i < n; i += 8) {
    const int64_t left = n - i < 8 ? n - i : 8;
    float in[8] = {};
    int32_t out[8];
    for (int64_t j = 0; j < left; ++j) in[j] = x[i + j];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), quantize8(_mm256_loadu_ps(in), l));
    for (int64_t j = 0; j < left; ++j) q[i + j] = static_cast<uint8_t>(out[j]);
  }
}

void dequantize_avx2(const void* x, float* y, int64_t n, float scale, int32_t zero_point,
                     bool is_signed) {
  const uint8_t* q = static_cast<const uint8_t*>(x);
  const __m256 s = _mm256_set1_ps(scale);
  const __m256i z = _mm256_set1_epi32(zero_point);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(q + i));
    __m256i v = is_signed ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes);
    _mm256_storeu_ps(y + i, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(v, z)), s));
  }
  if (i < n) kQuantizePortable.dequantize(q + i, y + i, n - i, scale, zero_point, is_signed);
}

}  // namespace

const QuantizeKernels kQuantizeAvx2 = {quantize_avx2, dequantize_avx2, "quantize_f32_8_avx2",
                                       "dequantize_8_f32_avx2"};

}  // namespace sampan
