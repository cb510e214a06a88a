#include "kernels/conv/conv_impl.h"

namespace sampan {
namespace {

// One k row of a panel matrix with `k` rows: the weights of one tap and input channel.
void pack_row(const float* w, int64_t stride, int64_t row, int64_t k, int64_t n, float* panels) {
  for (int64_t j = 0; j < panels_f32_count(n) * kPanelWidth; ++j) {
    panels[j / kPanelWidth * k * kPanelWidth + row * kPanelWidth + j % kPanelWidth] =
        j < n ? w[j * stride] : 0.0f;
  }
}

}  // namespace

void pack_conv_f32(const ConvF32& c, const float* w, const ConvWeightStrides& s, float* out) {
  const int64_t k = c.kernel_h * c.kernel_w * c.channels;
  for (int64_t g = 0; g < c.groups; ++g) {
    int64_t row = 0;
    for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
      for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
        for (int64_t ic = 0; ic < c.channels; ++ic) {
          pack_row(w + g * s.group + ky * s.ky + kx * s.kx + ic * s.ic, s.oc, row++, k,
                   c.out_channels, out);
        }
      }
    }
    out += panels_f32_size(k, c.out_channels);
  }
}

void pack_conv_transpose_f32(const ConvF32& c, const float* w, const ConvWeightStrides& s,
                             float* out) {
  for (int64_t g = 0; g < c.groups; ++g) {
    for (int64_t p = 0; p < c.stride_h * c.stride_w; ++p) {
      const int64_t py = p / c.stride_w, px = p % c.stride_w;
      const int64_t k = phase_taps(c.kernel_h, c.dilation_h, c.stride_h, py) *
                        phase_taps(c.kernel_w, c.dilation_w, c.stride_w, px) * c.channels;
      int64_t row = 0;
      for (int64_t t = 0; t < c.kernel_h * c.kernel_w; ++t) {
        const int64_t ky = t / c.kernel_w, kx = t % c.kernel_w;
        if (ky * c.dilation_h % c.stride_h != py || kx * c.dilation_w % c.stride_w != px) continue;
        for (int64_t ic = 0; ic < c.channels; ++ic) {
          pack_row(w + g * s.group + ky * s.ky + kx * s.kx + ic * s.ic, s.oc, row++, k,
                   c.out_channels, out);
        }
      }
      out += panels_f32_size(k, c.out_channels);
    }
  }
}

}  // namespace sampan
