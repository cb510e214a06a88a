// Conversion between element types.
//
// float -> integer truncates and saturates; NaN gives 0. Integer -> integer keeps the low bits.
// Anything -> bool is x != 0 (NaN is true); bool is 0 or 1. Conversions to float16, bfloat16 and
// float32 round to nearest even, once; overflow gives infinity. 64-bit integers become float16 and
// bfloat16 by way of double.
#pragma once
#include <cstdint>

#include "kernels/isa.h"
#include "sampan/tensor.h"

namespace sampan {

using CastFn = void (*)(const void* x, void* y, int64_t n);

// Null when either type is invalid. x and y must not overlap.
CastFn cast_fn(Isa isa, DType from, DType to);

// Used by cast_fn on x86.
void cast_f16_f32_avx2(const void* x, void* y, int64_t n);
void cast_f32_f16_avx2(const void* x, void* y, int64_t n);

}  // namespace sampan
