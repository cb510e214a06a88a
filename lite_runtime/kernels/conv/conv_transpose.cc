// Transposed convolution as stride_h * stride_w ordinary convolutions of stride 1, one for each
// phase of the output, each with its own taps; they write every stride-th pixel.
#include <cstring>

#include "kernels/conv/conv_impl.h"

namespace sampan {
namespace {

constexpr int64_t kBlockPixels = 96;  // a multiple of all tile heights

// Workspace: pointers [taps][kBlockPixels], one zero tap.
int64_t pointer_bytes(const ConvF32& c) {
  return round_up_64(c.kernel_h * c.kernel_w * kBlockPixels * 8);
}

struct Phase {
  int64_t y, x;        // phase in both directions
  int64_t oy;          // output row + pad_top
  int64_t first, n;    // output columns first, first + stride_w, ...: n of them
  int64_t taps;        // that reach these outputs
  const float* image;  // first channel of the group
  const float* panels;
};

// Pointers to the input pixels of outputs i0..i0 + rows of the phase.
void phase_pointers(const ConvF32& c, const Phase& p, int64_t i0, int64_t rows,
                    const float** pointers, const float* zero) {
  for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
    if (ky * c.dilation_h % c.stride_h != p.y) continue;
    const int64_t iy = p.oy / c.stride_h - ky * c.dilation_h / c.stride_h;
    const bool row_in = iy >= 0 && iy < c.in_h;
    for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
      if (kx * c.dilation_w % c.stride_w != p.x) continue;
      int64_t ix = (p.first + c.pad_left) / c.stride_w - kx * c.dilation_w / c.stride_w + i0;
      for (int64_t i = 0; i < rows; ++i, ++ix) {
        pointers[i] =
            row_in && ix >= 0 && ix < c.in_w ? p.image + (iy * c.in_w + ix) * c.pixel_stride : zero;
      }
      pointers += kBlockPixels;
    }
  }
}

void run_phase(const TileSetF32& set, const ConvF32& c, const Phase& p, int64_t row, int64_t group,
               int64_t p0, int64_t p1, const float** pointers, const float* zero) {
  for (int64_t i = 0; i < p.n; i += kBlockPixels) {
    TileF32 t = {};
    t.rows = p.n - i < kBlockPixels ? p.n - i : kBlockPixels;
    phase_pointers(c, p, i, t.rows, pointers, zero);
    set_epilogue_f32(c.ep, &t);
    const int64_t pixel = row * c.out_w + p.first + i * c.stride_w;
    const int64_t oc0 = group * c.out_channels;
    if (t.bias != nullptr) t.bias += oc0;
    if (t.residual != nullptr) {
      t.residual += pixel * t.residual_stride + oc0;
      t.residual_stride *= c.stride_w;
    }
    t.taps = pointers;
    t.tap_stride = kBlockPixels;
    t.n_taps = p.taps;
    t.tap_len = c.channels;
    t.b = p.panels;
    t.panel_stride = p.taps * c.channels * kPanelWidth;
    t.c = c.y + pixel * c.y_stride + oc0;
    t.ldc = c.stride_w * c.y_stride;
    run_columns_f32(set, t, c.out_channels, p0, p1);
  }
}

// One output row, panels p0..p1 of one group.
void run_row(const TileSetF32& set, const ConvF32& c, int64_t row, int64_t group, int64_t p0,
             int64_t p1, const float** pointers, const float* zero) {
  Phase p = {};
  p.oy = row % c.out_h + c.pad_top;
  p.y = p.oy % c.stride_h;
  p.image = c.x + row / c.out_h * c.image_stride + group * c.channels;
  const float* panels =
      c.panels + group * panels_f32_size(c.kernel_h * c.kernel_w * c.channels, c.out_channels);
  for (int64_t y = 0; y < p.y; ++y) {
    panels += panels_f32_size(
        phase_taps(c.kernel_h, c.dilation_h, c.stride_h, y) * c.kernel_w * c.channels,
        c.out_channels);
  }
  const int64_t taps_y = phase_taps(c.kernel_h, c.dilation_h, c.stride_h, p.y);
  for (p.x = 0; p.x < c.stride_w; ++p.x) {
    p.taps = taps_y * phase_taps(c.kernel_w, c.dilation_w, c.stride_w, p.x);
    p.panels = panels;
    panels += panels_f32_size(p.taps * c.channels, c.out_channels);
    p.first = (p.x - c.pad_left % c.stride_w + c.stride_w) % c.stride_w;
    p.n = p.first < c.out_w ? (c.out_w - p.first + c.stride_w - 1) / c.stride_w : 0;
    run_phase(set, c, p, row, group, p0, p1, pointers, zero);
  }
}

}  // namespace

int64_t conv_transpose_f32_workspace(const TileSetF32&, const ConvF32& c) {
  return pointer_bytes(c) + round_up_64(c.channels * 4);
}

void conv_transpose_f32_tiles(const TileSetF32& set, const ConvF32& c, int64_t r0, int64_t r1,
                              int64_t u0, int64_t u1, void* workspace) {
  const float** pointers = static_cast<const float**>(workspace);
  float* zero = reinterpret_cast<float*>(static_cast<char*>(workspace) + pointer_bytes(c));
  std::memset(zero, 0, static_cast<size_t>(c.channels) * 4);
  const int64_t per_group = panels_f32_count(c.out_channels);
  while (u0 < u1) {
    const int64_t group = u0 / per_group, p0 = u0 % per_group;
    const int64_t p1 = per_group < p0 + u1 - u0 ? per_group : p0 + u1 - u0;
    const int64_t n1 = c.out_channels < p1 * kPanelWidth ? c.out_channels : p1 * kPanelWidth;
    const int64_t oc0 = group * c.out_channels;
    for (int64_t r = r0; r < r1; ++r) {
      run_row(set, c, r, group, p0, p1, pointers, zero);
      apply_act_rows_f32(c.ep, c.y + r * c.out_w * c.y_stride, c.y_stride, c.out_w,
                         oc0 + p0 * kPanelWidth, oc0 + n1);
    }
    u0 += p1 - p0;
  }
}

}  // namespace sampan
