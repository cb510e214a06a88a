// float32 <-> 8-bit integers.
//
//   quantize     q = clamp(round_half_even(x / scale) + zero_point); NaN gives the zero point
//   dequantize   x = (q - zero_point) * scale
//
// The division is a true one. zero_point lies in the integer type's range.
#pragma once
#include <cstdint>

#include "kernels/isa.h"

namespace sampan {

// y: int8 or uint8 by is_signed.
using QuantizeF32Fn = void (*)(const float* x, void* y, int64_t n, float scale, int32_t zero_point,
                               bool is_signed);
using DequantizeF32Fn = void (*)(const void* x, float* y, int64_t n, float scale,
                                 int32_t zero_point, bool is_signed);

struct QuantizeKernels {
  QuantizeF32Fn quantize;
  DequantizeF32Fn dequantize;
  const char *quantize_name, *dequantize_name;
};
const QuantizeKernels& quantize_kernels(Isa isa);
extern const QuantizeKernels kQuantizePortable, kQuantizeAvx2;

// Per axis: x is [outer, n, inner]; scales[n], and zero_points[n] or null for 0. Slices
// [begin, end) of the outer * n slices.
struct QuantizeAxis {
  int64_t n = 1, inner = 1;
  const float* scales = nullptr;
  const int32_t* zero_points = nullptr;
  bool is_signed = true;
};
void quantize_axis(Isa isa, const QuantizeAxis& p, const float* x, void* y, int64_t begin,
                   int64_t end);
void dequantize_axis(Isa isa, const QuantizeAxis& p, const void* x, float* y, int64_t begin,
                     int64_t end);

// One value, bounded by [low, high]: for the other integer types (int16, uint16, 4 bits).
int32_t quantize_value(float x, float scale, int32_t zero_point, int32_t low, int32_t high);

// Scale and zero point (0..255) that cover [min(0, low), max(0, high)], as DynamicQuantizeLinear
// says: scale = (high - low) / 255 (1 if that is 0), zero_point = round_half_even(-low / scale).
struct DynamicScale {
  float scale;
  uint8_t zero_point;
};
DynamicScale dynamic_scale(float low, float high);

}  // namespace sampan
