// float16 and bfloat16 <-> float32 in integer arithmetic: round to nearest even, the same bits as
// F16C and the ARM instructions give, whatever the flush-to-zero mode.
#pragma once
#include <cstdint>
#include <cstring>

namespace sampan {

inline float f32_from_bits(uint32_t b) {
  float f;
  std::memcpy(&f, &b, 4);
  return f;
}
inline uint32_t f32_bits(float f) {
  uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}

inline float f32_from_f16(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  uint32_t exponent = (h >> 10) & 31u, mantissa = h & 0x3ffu;
  if (exponent == 31) {
    const uint32_t quiet = mantissa != 0 ? 0x00400000u : 0u;
    return f32_from_bits(sign | 0x7f800000u | quiet | (mantissa << 13));
  }
  if (exponent == 0) {
    if (mantissa == 0) return f32_from_bits(sign);
    int shift = 0;  // a subnormal half is a normal float
    for (; (mantissa & 0x400u) == 0; ++shift) mantissa <<= 1;
    return f32_from_bits(sign | (static_cast<uint32_t>(113 - shift) << 23) |
                         ((mantissa & 0x3ffu) << 13));
  }
  return f32_from_bits(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

inline uint16_t f16_from_f32(float f) {
  const uint32_t b = f32_bits(f), a = b & 0x7fffffffu;
  const uint32_t sign = (b >> 16) & 0x8000u;
  if (a > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((a >> 13) & 0x1ffu));
  if (a >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and above, inf
  if (a < 0x38800000u) {  // below 2^-14: count units of 2^-24
    if (a < 0x33000000u) return static_cast<uint16_t>(sign);
    const uint32_t mantissa = (a & 0x007fffffu) | 0x00800000u;
    const int shift = 126 - static_cast<int>(a >> 23);  // 14 .. 24
    const uint32_t half = 1u << (shift - 1), rest = mantissa & ((1u << shift) - 1);
    uint32_t q = mantissa >> shift;
    q += rest > half || (rest == half && (q & 1u));
    return static_cast<uint16_t>(sign | q);
  }
  const uint32_t rounded = a + 0x0fffu + ((a >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

inline float f32_from_bf16(uint16_t h) { return f32_from_bits(static_cast<uint32_t>(h) << 16); }

inline uint16_t bf16_from_f32(float f) {
  const uint32_t b = f32_bits(f);
  if ((b & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((b >> 16) | 0x40u);
  return static_cast<uint16_t>((b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
}

// From double without rounding twice: the double is first rounded to odd in float32.
inline float f32_round_to_odd(double d) {
  float f = static_cast<float>(d);
  const double back = f;
  uint32_t b = f32_bits(f);
  if (back != d && d == d && (b & 0x7fffffffu) < 0x7f800000u) {
    const bool away = (back > d) == (d > 0);  // |f| > |d|
    if (away) --b;
    b |= 1u;
    return f32_from_bits(b);
  }
  return f;
}
inline uint16_t f16_from_f64(double d) { return f16_from_f32(f32_round_to_odd(d)); }
inline uint16_t bf16_from_f64(double d) { return bf16_from_f32(f32_round_to_odd(d)); }

}  // namespace sampan
