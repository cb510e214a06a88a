// The oracle: plain loops, one output element after the other.
#include <cmath>

#include "kernels/depthwise/depthwise.h"

namespace sampan {

void depthwise_f32_portable(const DepthwiseF32& d, int64_t y0, int64_t y1, int64_t c0, int64_t c1) {
  for (int64_t pixel = y0 * d.out_w; pixel < y1 * d.out_w; ++pixel) {
    const int64_t oy = pixel / d.out_w, ox = pixel % d.out_w;
    float* y = d.y + pixel * d.y_stride;
    for (int64_t c = c0; c < c1; ++c) {
      float v = 0.0f;
      for (int64_t ky = 0; ky < d.kernel_h; ++ky) {
        for (int64_t kx = 0; kx < d.kernel_w; ++kx) {
          const int64_t iy = oy * d.stride_h - d.pad_top + ky * d.dilation_h;
          const int64_t ix = ox * d.stride_w - d.pad_left + kx * d.dilation_w;
          const bool in = iy >= 0 && iy < d.in_h && ix >= 0 && ix < d.in_w;
          const float x = in ? d.x[(iy * d.in_w + ix) * d.pixel_stride + c / d.multiplier] : 0.0f;
          v = std::fma(x, d.w[(ky * d.kernel_w + kx) * d.channels + c], v);
        }
      }
      if (d.ep.bias != nullptr) v = v + d.ep.bias[c];
      if (d.ep.residual != nullptr) v = v + d.ep.residual[pixel * d.ep.residual_stride + c];
      if (d.ep.act == Activation::kClip) {
        v = d.ep.p0 > v ? d.ep.p0 : v;
        v = d.ep.p1 < v ? d.ep.p1 : v;
      }
      y[c] = v;
    }
    if (d.ep.act != Activation::kNone && d.ep.act != Activation::kClip && c0 < c1) {
      d.ep.act_fn(y + c0, c1 - c0, d.ep.p0, d.ep.p1);
    }
  }
}

}  // namespace sampan
