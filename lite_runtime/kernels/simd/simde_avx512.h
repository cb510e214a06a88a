// AVX-512 intrinsics in terms of AVX2, so that those kernels can be tested on machines without
// AVX-512: SIMDe, and here the intrinsics that Debian's SIMDe (0.7.4) lacks. Tests only;
// translation units see it when they are compiled with -DSAMPAN_SIMDE -mavx2 -mfma -mf16c.
#pragma once
// The order matters: names that SIMDe does not alias are GCC's own and need AVX-512 hardware.
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/fma.h>

namespace sampan::simde512 {
namespace {

struct Floats {
  __m256 lo, hi;
};
struct Ints {
  __m256i lo, hi;
};
template <class To, class From>
inline To cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "both are 64 bytes");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

inline __m512i cvttps_epi32(__m512 a) {
  Floats f = cast<Floats>(a);
  return cast<__m512i>(Ints{_mm256_cvttps_epi32(f.lo), _mm256_cvttps_epi32(f.hi)});
}
inline __m512i cvtps_epi32(__m512 a) {
  Floats f = cast<Floats>(a);
  return cast<__m512i>(Ints{_mm256_cvtps_epi32(f.lo), _mm256_cvtps_epi32(f.hi)});
}
inline __m512 cvtepi32_ps(__m512i a) {
  Ints i = cast<Ints>(a);
  return cast<__m512>(Floats{_mm256_cvtepi32_ps(i.lo), _mm256_cvtepi32_ps(i.hi)});
}
// imm as in the instruction: SIMDe's fallback does not round to integers for every mode.
template <int R>
inline __m512 roundscale_ps(__m512 a) {
  Floats f = cast<Floats>(a);
  return cast<__m512>(Floats{_mm256_round_ps(f.lo, R), _mm256_round_ps(f.hi, R)});
}
// SIMDe's own is plain C++ on ints, which must not overflow there.
inline __m512i sub_epi32(__m512i a, __m512i b) {
  Ints i = cast<Ints>(a), j = cast<Ints>(b);
  return cast<__m512i>(Ints{_mm256_sub_epi32(i.lo, j.lo), _mm256_sub_epi32(i.hi, j.hi)});
}
inline __m512i add_epi32(__m512i a, __m512i b) {
  Ints i = cast<Ints>(a), j = cast<Ints>(b);
  return cast<__m512i>(Ints{_mm256_add_epi32(i.lo, j.lo), _mm256_add_epi32(i.hi, j.hi)});
}
inline __m512i srai_epi32(__m512i a, int n) {
  Ints i = cast<Ints>(a);
  return cast<__m512i>(Ints{_mm256_srai_epi32(i.lo, n), _mm256_srai_epi32(i.hi, n)});
}
inline __m256i lanes8(unsigned mask) {
  __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  __m256i set = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), bit);
  return _mm256_cmpeq_epi32(set, bit);
}
inline __m512 maskz_loadu_ps(__mmask16 m, const void* p) {
  const float* f = static_cast<const float*>(p);
  return cast<__m512>(
      Floats{_mm256_maskload_ps(f, lanes8(m & 255u)), _mm256_maskload_ps(f + 8, lanes8(m >> 8))});
}
inline void mask_storeu_ps(void* p, __mmask16 m, __m512 a) {
  float* f = static_cast<float*>(p);
  Floats v = cast<Floats>(a);
  _mm256_maskstore_ps(f, lanes8(m & 255u), v.lo);
  _mm256_maskstore_ps(f + 8, lanes8(m >> 8), v.hi);
}
inline __m512 cvtph_ps(__m256i a) {
  return cast<__m512>(Floats{_mm256_cvtph_ps(_mm256_castsi256_si128(a)),
                             _mm256_cvtph_ps(_mm256_extracti128_si256(a, 1))});
}
template <int R>
inline __m256i cvtps_ph(__m512 a) {
  Floats f = cast<Floats>(a);
  return _mm256_set_m128i(_mm256_cvtps_ph(f.hi, R), _mm256_cvtps_ph(f.lo, R));
}

}  // namespace
}  // namespace sampan::simde512

#define _mm512_cvttps_epi32 ::sampan::simde512::cvttps_epi32
#define _mm512_cvtps_epi32 ::sampan::simde512::cvtps_epi32
#define _mm512_cvtepi32_ps ::sampan::simde512::cvtepi32_ps
#undef _mm512_roundscale_ps
#define _mm512_roundscale_ps(a, r) ::sampan::simde512::roundscale_ps<r>(a)
#undef _mm512_sub_epi32
#define _mm512_sub_epi32 ::sampan::simde512::sub_epi32
#undef _mm512_add_epi32
#define _mm512_add_epi32 ::sampan::simde512::add_epi32
#undef _mm512_srai_epi32
#define _mm512_srai_epi32 ::sampan::simde512::srai_epi32
#define _mm512_maskz_loadu_ps ::sampan::simde512::maskz_loadu_ps
#define _mm512_mask_storeu_ps ::sampan::simde512::mask_storeu_ps
#undef _mm512_cvtph_ps
#define _mm512_cvtph_ps ::sampan::simde512::cvtph_ps
#undef _mm512_cvtps_ph
#define _mm512_cvtps_ph(a, r) ::sampan::simde512::cvtps_ph<r>(a)
