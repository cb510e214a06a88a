#include <cmath>

#include "kernels/quantize/quantize.h"

namespace sampan {
namespace {

struct Range {
  int32_t low, high;
};
Range range_of(bool is_signed) { return is_signed ? Range{-128, 127} : Range{0, 255}; }

void quantize_portable(const float* x, void* y, int64_t n, float scale, int32_t zero_point,
                       bool is_signed) {
  const Range r = range_of(is_signed);
  uint8_t* q = static_cast<uint8_t*>(y);
  for (int64_t i = 0; i < n; ++i)
    q[i] = static_cast<uint8_t>(quantize_value(x[i], scale, zero_point, r.low, r.high));
}

void dequantize_portable(const void* x, float* y, int64_t n, float scale, int32_t zero_point,
                         bool is_signed) {
  const int8_t* s = static_cast<const int8_t*>(x);
  const uint8_t* u = static_cast<const uint8_t*>(x);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t q = is_signed ? int32_t{s[i]} : int32_t{u[i]};
    y[i] = static_cast<float>(q - zero_point) * scale;
  }
}

}  // namespace

int32_t quantize_value(float x, float scale, int32_t zero_point, int32_t low, int32_t high) {
  const float r = std::nearbyint(x / scale);
  if (r != r) return zero_point;
  const float least = static_cast<float>(low - zero_point),
              most = static_cast<float>(high - zero_point);
  if (r <= least) return low;
  if (r >= most) return high;
  return static_cast<int32_t>(r) + zero_point;
}

const QuantizeKernels kQuantizePortable = {quantize_portable, dequantize_portable,
                                           "quantize_f32_8_portable", "dequantize_8_f32_portable"};

const QuantizeKernels& quantize_kernels(Isa isa) {
#if SAMPAN_X86
  if (isa != Isa::kPortable) return kQuantizeAvx2;
#endif
  (void)isa;
  return kQuantizePortable;
}

void quantize_axis(Isa isa, const QuantizeAxis& p, const float* x, void* y, int64_t begin,
                   int64_t end) {
  const QuantizeF32Fn fn = quantize_kernels(isa).quantize;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t c = i % p.n, at = i * p.inner;
    fn(x + at, static_cast<uint8_t*>(y) + at, p.inner, p.scales[c],
       p.zero_points != nullptr ? p.zero_points[c] : 0, p.is_signed);
  }
}

void dequantize_axis(Isa isa, const QuantizeAxis& p, const void* x, float* y, int64_t begin,
                     int64_t end) {
  const DequantizeF32Fn fn = quantize_kernels(isa).dequantize;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t c = i % p.n, at = i * p.inner;
    fn(static_cast<const uint8_t*>(x) + at, y + at, p.inner, p.scales[c],
       p.zero_points != nullptr ? p.zero_points[c] : 0, p.is_signed);
  }
}

DynamicScale dynamic_scale(float low, float high) {
  low = low < 0.0f ? low : 0.0f;
  high = high > 0.0f ? high : 0.0f;
  DynamicScale d;
  d.scale = (high - low) / 255.0f;
  if (d.scale == 0.0f) d.scale = 1.0f;
  d.zero_point = static_cast<uint8_t>(quantize_value(0.0f - low, d.scale, 0, 0, 255));
  return d;
}

}  // namespace sampan
