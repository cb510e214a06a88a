// float16 and bfloat16 as storage types: arithmetic happens in float32, rounding to nearest even.
#pragma once
#include <cstdint>

#include "kernels/elementwise/half.h"

namespace sampan {

struct Half {
  uint16_t bits;
  operator float() const { return f32_from_f16(bits); }
  static Half from(float f) { return {f16_from_f32(f)}; }
};
struct BFloat16 {
  uint16_t bits;
  operator float() const { return f32_from_bf16(bits); }
  static BFloat16 from(float f) { return {bf16_from_f32(f)}; }
};

// One byte that should be 0 or 1 but came from outside: anything else counts as true.
struct Bool {
  uint8_t byte;
  operator bool() const { return byte != 0; }
  static Bool from(bool b) { return {static_cast<uint8_t>(b)}; }
};

}  // namespace sampan
