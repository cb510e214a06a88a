// Multiply-add into a register that stays the same: for loops that keep many sums.
#pragma once
#include "kernels/simd/simd.h"

// Left to itself GCC 12 lets sums wander (it prefers the form of the instruction that overwrites a
// factor) and runs out of registers: 10 % of the speed of a 6x16 tile.
#define SAMPAN_INLINE inline __attribute__((always_inline))
#define SAMPAN_NOINLINE __attribute__((noinline))
#define SAMPAN_UNROLL _Pragma("GCC unroll 32")

namespace sampan::simd {
namespace {

// acc = fma(a, b, acc)
template <class V>
SAMPAN_INLINE void accumulate(V& acc, V a, V b) {
  acc = V::fma(a, b, acc);
}
#if defined(__GNUC__) && defined(__AVX2__) && defined(__FMA__)
template <>
SAMPAN_INLINE void accumulate(F32x8& acc, F32x8 a, F32x8 b) {
  #if defined(__AVX512VL__)  // all 32 registers
  asm("vfmadd231ps %2, %1, %0" : "+v"(acc.v) : "v"(a.v), "v"(b.v));
  #else
  asm("vfmadd231ps %2, %1, %0" : "+x"(acc.v) : "x"(a.v), "x"(b.v));
  #endif
}
#endif
#if defined(__GNUC__) && defined(__AVX512F__)
template <>
SAMPAN_INLINE void accumulate(F32x16& acc, F32x16 a, F32x16 b) {
  asm("vfmadd231ps %2, %1, %0" : "+v"(acc.v) : "v"(a.v), "v"(b.v));
}
#endif

}  // namespace
}  // namespace sampan::simd
