// The oracle: plain loops, one output element after the other.
#include <cmath>

#include "kernels/conv/conv_impl.h"

namespace sampan {
namespace {

// A sum over k in chunks.
struct ChunkedSum {
  float sum = 0.0f, acc = 0.0f;
  int64_t in_chunk = 0;
  bool first = true;

  void link(float x, float w) {
    if (in_chunk == kChunkK) close();
    acc = std::fma(x, w, acc);
    ++in_chunk;
  }
  float close() {
    sum = first ? acc : sum + acc;
    first = false;
    acc = 0.0f;
    in_chunk = 0;
    return sum;
  }
};

float epilogue(const EpilogueF32& ep, float v, int64_t pixel, int64_t channel) {
  if (ep.bias != nullptr) v = v + ep.bias[channel];
  if (ep.residual != nullptr) v = v + ep.residual[pixel * ep.residual_stride + channel];
  if (ep.act == Activation::kClip) {
    v = ep.p0 > v ? ep.p0 : v;
    v = ep.p1 < v ? ep.p1 : v;
  }
  return v;
}

// The output channels (within the group) of a unit.
struct UnitColumns {
  int64_t group, n0, n1;
  UnitColumns(const ConvF32& c, int64_t unit) {
    const int64_t per_group = panels_f32_count(c.out_channels);
    group = unit / per_group;
    n0 = unit % per_group * kPanelWidth;
    n1 = c.out_channels < n0 + kPanelWidth ? c.out_channels : n0 + kPanelWidth;
  }
};

}  // namespace

void conv_f32_portable(const ConvF32& c, int64_t m0, int64_t m1, int64_t u0, int64_t u1, void*) {
  const int64_t k = c.kernel_h * c.kernel_w * c.channels;
  for (int64_t m = m0; m < m1; ++m) {
    const int64_t ox = m % c.out_w, oy = m / c.out_w % c.out_h;
    const float* image = c.x + m / c.out_w / c.out_h * c.image_stride;
    for (int64_t u = u0; u < u1; ++u) {
      const UnitColumns cols(c, u);
      const float* panels = c.panels + cols.group * panels_f32_size(k, c.out_channels);
      for (int64_t n = cols.n0; n < cols.n1; ++n) {
        const float* w = panels + n / kPanelWidth * k * kPanelWidth + n % kPanelWidth;
        ChunkedSum s;
        for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
          for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
            const int64_t iy = oy * c.stride_h - c.pad_top + ky * c.dilation_h;
            const int64_t ix = ox * c.stride_w - c.pad_left + kx * c.dilation_w;
            const bool in = iy >= 0 && iy < c.in_h && ix >= 0 && ix < c.in_w;
            for (int64_t ic = 0; ic < c.channels; ++ic) {
              const int64_t ch = cols.group * c.channels + ic;
              s.link(in ? image[(iy * c.in_w + ix) * c.pixel_stride + ch] : 0.0f, *w);
              w += kPanelWidth;
            }
          }
        }
        const int64_t oc = cols.group * c.out_channels + n;
        c.y[m * c.y_stride + oc] = epilogue(c.ep, s.close(), m, oc);
      }
      const int64_t oc0 = cols.group * c.out_channels + cols.n0;
      apply_act_rows_f32(c.ep, c.y + m * c.y_stride, c.y_stride, 1, oc0, oc0 + cols.n1 - cols.n0);
    }
  }
}

void conv_transpose_f32_portable(const ConvF32& c, int64_t r0, int64_t r1, int64_t u0, int64_t u1,
                                 void*) {
  const int64_t k = c.kernel_h * c.kernel_w * c.channels;
  for (int64_t m = r0 * c.out_w; m < r1 * c.out_w; ++m) {
    const int64_t ox = m % c.out_w + c.pad_left, oy = m / c.out_w % c.out_h + c.pad_top;
    const float* image = c.x + m / c.out_w / c.out_h * c.image_stride;
    // Where the phase's matrix starts: after the panels of the phases before it.
    const int64_t phase_y = oy % c.stride_h, phase_x = ox % c.stride_w;
    int64_t taps_before = 0;
    for (int64_t p = 0; p < phase_y * c.stride_w + phase_x; ++p) {
      taps_before += phase_taps(c.kernel_h, c.dilation_h, c.stride_h, p / c.stride_w) *
                     phase_taps(c.kernel_w, c.dilation_w, c.stride_w, p % c.stride_w);
    }
    const int64_t phase_k = phase_taps(c.kernel_h, c.dilation_h, c.stride_h, phase_y) *
                            phase_taps(c.kernel_w, c.dilation_w, c.stride_w, phase_x) * c.channels;
    for (int64_t u = u0; u < u1; ++u) {
      const UnitColumns cols(c, u);
      const float* panels = c.panels + cols.group * panels_f32_size(k, c.out_channels) +
                            panels_f32_size(taps_before * c.channels, c.out_channels);
      for (int64_t n = cols.n0; n < cols.n1; ++n) {
        const float* w = panels + n / kPanelWidth * phase_k * kPanelWidth + n % kPanelWidth;
        ChunkedSum s;
        for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
          for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
            if (ky * c.dilation_h % c.stride_h != phase_y) continue;
            if (kx * c.dilation_w % c.stride_w != phase_x) continue;
            const int64_t iy = oy / c.stride_h - ky * c.dilation_h / c.stride_h;
            const int64_t ix = ox / c.stride_w - kx * c.dilation_w / c.stride_w;
            const bool in = iy >= 0 && iy < c.in_h && ix >= 0 && ix < c.in_w;
            for (int64_t ic = 0; ic < c.channels; ++ic) {
              const int64_t ch = cols.group * c.channels + ic;
              s.link(in ? image[(iy * c.in_w + ix) * c.pixel_stride + ch] : 0.0f, *w);
              w += kPanelWidth;
            }
          }
        }
        const int64_t oc = cols.group * c.out_channels + n;
        c.y[m * c.y_stride + oc] = epilogue(c.ep, s.close(), m, oc);
      }
      const int64_t oc0 = cols.group * c.out_channels + cols.n0;
      apply_act_rows_f32(c.ep, c.y + m * c.y_stride, c.y_stride, 1, oc0, oc0 + cols.n1 - cols.n0);
    }
  }
}

}  // namespace sampan
