// One small float vector type per instruction set, all with the same static interface, so that a
// kernel written once as a template runs the same chain of IEEE operations everywhere.
//
//   F32x1   scalar, any machine (std::fma)
//   F32x8   AVX2 + FMA            (only in translation units compiled with these flags)
//   F32x16  AVX-512 F/BW/DQ/VL    (likewise)
//
// min(a, b) and max(a, b) return b when either operand is NaN or both are zero, as x86 does.
// load(p, n) reads only the first n lanes and sets the rest to +0; store(p, v, n) writes only them.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(SAMPAN_SIMDE)
  // AVX-512 in terms of AVX2, so that those kernels can be checked on machines without it.
  #include "kernels/simd/simde_avx512.h"
#elif defined(__AVX2__)
  // GCC 12 takes the undefined operand of its own AVX-512 headers for a mistake.
  #if defined(__GNUC__) && !defined(__clang__)
    #pragma GCC diagnostic push
    #pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
    #pragma GCC diagnostic ignored "-Wuninitialized"
  #endif
  #include <immintrin.h>
  #if defined(__GNUC__) && !defined(__clang__)
    #pragma GCC diagnostic pop
  #endif
#endif

namespace sampan::simd {
// Vector types differ per translation unit's flags: internal linkage keeps the linker from mixing
// them.
namespace {

struct F32x1 {
  static constexpr int W = 1;
  using Mask = bool;
  float v;
  static F32x1 load(const float* p) { return {*p}; }
  static F32x1 load(const float* p, int n) { return {n > 0 ? *p : 0.0f}; }
  static void store(float* p, F32x1 a) { *p = a.v; }
  static void store(float* p, F32x1 a, int n) {
    if (n > 0) *p = a.v;
  }
  static F32x1 set1(float x) { return {x}; }
  static F32x1 zero() { return {0.0f}; }
  static F32x1 fma(F32x1 a, F32x1 b, F32x1 c) { return {std::fma(a.v, b.v, c.v)}; }  // a * b + c
  static F32x1 add(F32x1 a, F32x1 b) { return {a.v + b.v}; }
  static F32x1 sub(F32x1 a, F32x1 b) { return {a.v - b.v}; }
  static F32x1 mul(F32x1 a, F32x1 b) { return {a.v * b.v}; }
  static F32x1 div(F32x1 a, F32x1 b) { return {a.v / b.v}; }
  static F32x1 sqrt(F32x1 a) { return {std::sqrt(a.v)}; }
  static F32x1 max(F32x1 a, F32x1 b) { return {a.v > b.v ? a.v : b.v}; }
  static F32x1 min(F32x1 a, F32x1 b) { return {a.v < b.v ? a.v : b.v}; }
  static F32x1 abs(F32x1 a) { return {std::fabs(a.v)}; }
  static F32x1 neg(F32x1 a) { return {-a.v}; }
  static F32x1 floor(F32x1 a) { return {std::floor(a.v)}; }
  static F32x1 ceil(F32x1 a) { return {std::ceil(a.v)}; }
  static F32x1 round_even(F32x1 a) { return {std::nearbyint(a.v)}; }
  static Mask lt(F32x1 a, F32x1 b) { return a.v < b.v; }  // false when either is NaN
  static Mask le(F32x1 a, F32x1 b) { return a.v <= b.v; }
  static Mask is_nan(F32x1 a) { return a.v != a.v; }
  static F32x1 select(Mask m, F32x1 yes, F32x1 no) { return m ? yes : no; }
  // 2^n for an integral n in [-126, 127].
  static F32x1 pow2(F32x1 n) {
    uint32_t bits = static_cast<uint32_t>(static_cast<int32_t>(n.v) + 127) << 23;
    F32x1 r;
    std::memcpy(&r.v, &bits, 4);
    return r;
  }
  // n / 2 rounded down, for an integral n.
  static F32x1 half_floor(F32x1 n) { return {static_cast<float>(static_cast<int32_t>(n.v) >> 1)}; }
};

#if defined(__AVX2__) && defined(__FMA__)
struct F32x8 {
  static constexpr int W = 8;
  using Mask = __m256;
  __m256 v;
  static __m256i lanes(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static F32x8 load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static F32x8 load(const float* p, int n) { return {_mm256_maskload_ps(p, lanes(n))}; }
  static void store(float* p, F32x8 a) { _mm256_storeu_ps(p, a.v); }
  // Not a masked store: those take tens of cycles on AMD cores.
  static void store(float* p, F32x8 a, int n) {
    __m128 x = _mm256_castps256_ps128(a.v);
    if (n >= 8) {
      _mm256_storeu_ps(p, a.v);
      return;
    }
    if (n >= 4) {
      _mm_storeu_ps(p, x);
      x = _mm256_extractf128_ps(a.v, 1);
      p += 4;
      n -= 4;
    }
    if (n >= 2) {
      _mm_storel_pi(reinterpret_cast<__m64*>(p), x);
      x = _mm_movehl_ps(x, x);
      p += 2;
      n -= 2;
    }
    if (n > 0) _mm_store_ss(p, x);
  }
  static F32x8 set1(float x) { return {_mm256_set1_ps(x)}; }
  static F32x8 zero() { return {_mm256_setzero_ps()}; }
  static F32x8 fma(F32x8 a, F32x8 b, F32x8 c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  static F32x8 add(F32x8 a, F32x8 b) { return {_mm256_add_ps(a.v, b.v)}; }
  static F32x8 sub(F32x8 a, F32x8 b) { return {_mm256_sub_ps(a.v, b.v)}; }
  static F32x8 mul(F32x8 a, F32x8 b) { return {_mm256_mul_ps(a.v, b.v)}; }
  static F32x8 div(F32x8 a, F32x8 b) { return {_mm256_div_ps(a.v, b.v)}; }
  static F32x8 sqrt(F32x8 a) { return {_mm256_sqrt_ps(a.v)}; }
  static F32x8 max(F32x8 a, F32x8 b) { return {_mm256_max_ps(a.v, b.v)}; }
  static F32x8 min(F32x8 a, F32x8 b) { return {_mm256_min_ps(a.v, b.v)}; }
  static F32x8 abs(F32x8 a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
  static F32x8 neg(F32x8 a) { return {_mm256_xor_ps(_mm256_set1_ps(-0.0f), a.v)}; }
  static F32x8 floor(F32x8 a) { return {_mm256_floor_ps(a.v)}; }
  static F32x8 ceil(F32x8 a) { return {_mm256_ceil_ps(a.v)}; }
  static F32x8 round_even(F32x8 a) {
    return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }
  static Mask lt(F32x8 a, F32x8 b) { return _mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ); }
  static Mask le(F32x8 a, F32x8 b) { return _mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ); }
  static Mask is_nan(F32x8 a) { return _mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q); }
  static F32x8 select(Mask m, F32x8 yes, F32x8 no) { return {_mm256_blendv_ps(no.v, yes.v, m)}; }
  static F32x8 pow2(F32x8 n) {
    __m256i i = _mm256_add_epi32(_mm256_cvttps_epi32(n.v), _mm256_set1_epi32(127));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(i, 23))};
  }
  static F32x8 half_floor(F32x8 n) {
    return {_mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_cvttps_epi32(n.v), 1))};
  }
};
#endif

#if (defined(__AVX512F__) && defined(__AVX512DQ__)) || defined(SAMPAN_SIMDE)
struct F32x16 {
  static constexpr int W = 16;
  using Mask = __mmask16;
  __m512 v;
  static __mmask16 lanes(int n) {
    return static_cast<__mmask16>(n >= 16 ? 0xFFFFu : n <= 0 ? 0u : (1u << n) - 1u);
  }
  static F32x16 load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static F32x16 load(const float* p, int n) { return {_mm512_maskz_loadu_ps(lanes(n), p)}; }
  static void store(float* p, F32x16 a, int n) { _mm512_mask_storeu_ps(p, lanes(n), a.v); }
  static void store(float* p, F32x16 a) { _mm512_storeu_ps(p, a.v); }
  static F32x16 set1(float x) { return {_mm512_set1_ps(x)}; }
  static F32x16 zero() { return {_mm512_setzero_ps()}; }
  static F32x16 fma(F32x16 a, F32x16 b, F32x16 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  static F32x16 add(F32x16 a, F32x16 b) { return {_mm512_add_ps(a.v, b.v)}; }
  static F32x16 sub(F32x16 a, F32x16 b) { return {_mm512_sub_ps(a.v, b.v)}; }
  static F32x16 mul(F32x16 a, F32x16 b) { return {_mm512_mul_ps(a.v, b.v)}; }
  static F32x16 div(F32x16 a, F32x16 b) { return {_mm512_div_ps(a.v, b.v)}; }
  static F32x16 sqrt(F32x16 a) { return {_mm512_sqrt_ps(a.v)}; }
  static F32x16 max(F32x16 a, F32x16 b) { return {_mm512_max_ps(a.v, b.v)}; }
  static F32x16 min(F32x16 a, F32x16 b) { return {_mm512_min_ps(a.v, b.v)}; }
  static F32x16 abs(F32x16 a) { return {_mm512_andnot_ps(_mm512_set1_ps(-0.0f), a.v)}; }
  static F32x16 neg(F32x16 a) { return {_mm512_xor_ps(_mm512_set1_ps(-0.0f), a.v)}; }
  static F32x16 floor(F32x16 a) {
    return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
  }
  static F32x16 ceil(F32x16 a) {
    return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)};
  }
  static F32x16 round_even(F32x16 a) {
    return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }
  static Mask lt(F32x16 a, F32x16 b) { return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ); }
  static Mask le(F32x16 a, F32x16 b) { return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ); }
  static Mask is_nan(F32x16 a) { return _mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q); }
  static F32x16 select(Mask m, F32x16 yes, F32x16 no) {
    return {_mm512_mask_blend_ps(m, no.v, yes.v)};
  }
  static F32x16 pow2(F32x16 n) {
    __m512i i = _mm512_add_epi32(_mm512_cvttps_epi32(n.v), _mm512_set1_epi32(127));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(i, 23))};
  }
  static F32x16 half_floor(F32x16 n) {
    return {_mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_cvttps_epi32(n.v), 1))};
  }
};
#endif

// Integer companions: the same number of 32-bit lanes, for taking floats apart. Shifts take the
// count as a template argument; arithmetic wraps.
struct I32x1 {
  static constexpr int W = 1;
  int32_t v;
  static I32x1 set1(int32_t x) { return {x}; }
  static I32x1 bits(F32x1 a) {
    I32x1 r;
    std::memcpy(&r.v, &a.v, 4);
    return r;
  }
  static F32x1 as_float(I32x1 a) {
    F32x1 r;
    std::memcpy(&r.v, &a.v, 4);
    return r;
  }
  static F32x1 to_float(I32x1 a) { return {static_cast<float>(a.v)}; }
  static I32x1 add(I32x1 a, I32x1 b) { return wrap(unsign(a) + unsign(b)); }
  static I32x1 sub(I32x1 a, I32x1 b) { return wrap(unsign(a) - unsign(b)); }
  static I32x1 and_(I32x1 a, I32x1 b) { return {a.v & b.v}; }
  static I32x1 or_(I32x1 a, I32x1 b) { return {a.v | b.v}; }
  static I32x1 xor_(I32x1 a, I32x1 b) { return {a.v ^ b.v}; }
  template <int N>
  static I32x1 shl(I32x1 a) {
    return wrap(unsign(a) << N);
  }
  template <int N>
  static I32x1 shr(I32x1 a) {
    return wrap(unsign(a) >> N);
  }
  template <int N>
  static I32x1 sar(I32x1 a) {
    return {a.v >> N};
  }

 private:
  static uint32_t unsign(I32x1 a) { return static_cast<uint32_t>(a.v); }
  static I32x1 wrap(uint32_t x) { return {static_cast<int32_t>(x)}; }
};

#if defined(__AVX2__) && defined(__FMA__)
struct I32x8 {
  static constexpr int W = 8;
  __m256i v;
  static I32x8 set1(int32_t x) { return {_mm256_set1_epi32(x)}; }
  static I32x8 bits(F32x8 a) { return {_mm256_castps_si256(a.v)}; }
  static F32x8 as_float(I32x8 a) { return {_mm256_castsi256_ps(a.v)}; }
  static F32x8 to_float(I32x8 a) { return {_mm256_cvtepi32_ps(a.v)}; }
  static I32x8 add(I32x8 a, I32x8 b) { return {_mm256_add_epi32(a.v, b.v)}; }
  static I32x8 sub(I32x8 a, I32x8 b) { return {_mm256_sub_epi32(a.v, b.v)}; }
  static I32x8 and_(I32x8 a, I32x8 b) { return {_mm256_and_si256(a.v, b.v)}; }
  static I32x8 or_(I32x8 a, I32x8 b) { return {_mm256_or_si256(a.v, b.v)}; }
  static I32x8 xor_(I32x8 a, I32x8 b) { return {_mm256_xor_si256(a.v, b.v)}; }
  template <int N>
  static I32x8 shl(I32x8 a) {
    return {_mm256_slli_epi32(a.v, N)};
  }
  template <int N>
  static I32x8 shr(I32x8 a) {
    return {_mm256_srli_epi32(a.v, N)};
  }
  template <int N>
  static I32x8 sar(I32x8 a) {
    return {_mm256_srai_epi32(a.v, N)};
  }
};
#endif

#if (defined(__AVX512F__) && defined(__AVX512DQ__)) || defined(SAMPAN_SIMDE)
struct I32x16 {
  static constexpr int W = 16;
  __m512i v;
  static I32x16 set1(int32_t x) { return {_mm512_set1_epi32(x)}; }
  static I32x16 bits(F32x16 a) { return {_mm512_castps_si512(a.v)}; }
  static F32x16 as_float(I32x16 a) { return {_mm512_castsi512_ps(a.v)}; }
  static F32x16 to_float(I32x16 a) { return {_mm512_cvtepi32_ps(a.v)}; }
  static I32x16 add(I32x16 a, I32x16 b) { return {_mm512_add_epi32(a.v, b.v)}; }
  static I32x16 sub(I32x16 a, I32x16 b) { return {_mm512_sub_epi32(a.v, b.v)}; }
  static I32x16 and_(I32x16 a, I32x16 b) { return {_mm512_and_si512(a.v, b.v)}; }
  static I32x16 or_(I32x16 a, I32x16 b) { return {_mm512_or_si512(a.v, b.v)}; }
  static I32x16 xor_(I32x16 a, I32x16 b) { return {_mm512_xor_si512(a.v, b.v)}; }
  template <int N>
  static I32x16 shl(I32x16 a) {
    return {_mm512_slli_epi32(a.v, N)};
  }
  template <int N>
  static I32x16 shr(I32x16 a) {
    return {_mm512_srli_epi32(a.v, N)};
  }
  template <int N>
  static I32x16 sar(I32x16 a) {
    return {_mm512_srai_epi32(a.v, N)};
  }
};
#endif

template <class V>
struct IntOf;
template <>
struct IntOf<F32x1> {
  using type = I32x1;
};
#if defined(__AVX2__) && defined(__FMA__)
template <>
struct IntOf<F32x8> {
  using type = I32x8;
};
#endif
#if (defined(__AVX512F__) && defined(__AVX512DQ__)) || defined(SAMPAN_SIMDE)
template <>
struct IntOf<F32x16> {
  using type = I32x16;
};
#endif

}  // namespace
}  // namespace sampan::simd
