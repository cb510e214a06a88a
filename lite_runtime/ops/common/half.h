// float16 and bfloat16 as storage types: arithmetic happens in float32, rounding to nearest even.
#pragma once
#include <cstdint>
#include <cstring>

namespace sampan {

inline uint32_t float_bits(float f) {
  uint32_t u;
  std::memcpy(&u, &f, 4);
  return u;
}
inline float float_from_bits(uint32_t u) {
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}

inline float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 31u, mantissa = h & 0x3ffu;
  if (exponent == 31) return float_from_bits(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0) return float_from_bits(sign | (exponent + 112) << 23 | mantissa << 13);
  // Subnormal: mantissa * 2^-24, exact and normal in float32.
  return float_from_bits(sign | float_bits(static_cast<float>(mantissa) * 5.9604644775390625e-8f));
}

inline uint16_t float_to_half(float f) {
  const uint32_t u = float_bits(f);
  const uint32_t sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);   // NaN
  if (a >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to infinity
  if (a < 0x38800000u) {                                               // subnormal or zero
    if (a < 0x33000000u) return static_cast<uint16_t>(sign);           // below half the smallest
    const uint32_t shift = 126 - (a >> 23);
    const uint32_t m = (a & 0x7fffffu) | 0x800000u;
    const uint32_t rest = m & ((1u << shift) - 1), half = 1u << (shift - 1);
    uint32_t r = m >> shift;
    r += rest > half || (rest == half && (r & 1));
    return static_cast<uint16_t>(sign | r);
  }
  const uint32_t r = a - 0x38000000u;
  return static_cast<uint16_t>(sign | (r + 0xfffu + ((r >> 13) & 1)) >> 13);
}

inline float bfloat16_to_float(uint16_t h) {
  return float_from_bits(static_cast<uint32_t>(h) << 16);
}
inline uint16_t float_to_bfloat16(float f) {
  const uint32_t u = float_bits(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((u >> 16) | 0x40u);
  return static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1)) >> 16);
}

// double -> float, rounded to odd: a second rounding to a narrower type is then right.
inline float float_round_to_odd(double d) {
  float f = static_cast<float>(d);
  if (static_cast<double>(f) == d || d != d) return f;
  uint32_t u = float_bits(f);
  const double a = d < 0 ? -d : d;
  const double b = f < 0 ? -static_cast<double>(f) : static_cast<double>(f);
  if (b > a) --u;  // towards zero
  return float_from_bits(u | 1u);
}

struct Half {
  uint16_t bits;
  operator float() const { return half_to_float(bits); }
  static Half from(float f) { return {float_to_half(f)}; }
};
struct BFloat16 {
  uint16_t bits;
  operator float() const { return bfloat16_to_float(bits); }
  static BFloat16 from(float f) { return {float_to_bfloat16(f)}; }
};

// One byte that should be 0 or 1 but came from outside: anything else counts as true.
struct Bool {
  uint8_t byte;
  operator bool() const { return byte != 0; }
  static Bool from(bool b) { return {static_cast<uint8_t>(b)}; }
};

}  // namespace sampan
