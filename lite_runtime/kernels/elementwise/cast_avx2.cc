// float16 <-> float32 with the F16C instructions.
#include <immintrin.h>

#include "kernels/elementwise/cast.h"

namespace sampan {

void cast_f16_f32_avx2(const void* x_, void* y_, int64_t n) {
  const uint16_t* x = static_cast<const uint16_t*>(x_);
  float* y = static_cast<float*>(y_);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(h));
  }
  for (; i < n; ++i) y[i] = _cvtsh_ss(x[i]);
}

void cast_f32_f16_avx2(const void* x_, void* y_, int64_t n) {
  const float* x = static_cast<const float*>(x_);
  uint16_t* y = static_cast<uint16_t*>(y_);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), h);
  }
  for (; i < n; ++i) y[i] = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
}

}  // namespace sampan
