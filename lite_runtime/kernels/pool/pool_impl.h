// Pooling over a vector type.
#pragma once
#include <limits>

#include "kernels/pool/pool.h"
#include "kernels/simd/simd.h"

namespace sampan {
namespace {

// Taps [first, last) of an axis that fall into [0, size); how many fall into the padded extent.
struct TapRange {
  int64_t first, last, padded;
};
inline TapRange tap_range(int64_t start, int64_t kernel, int64_t dilation, int64_t size,
                          int64_t pad_end) {
  TapRange r{0, 0, 0};
  auto below = [&](int64_t limit) {  // number of taps with start + t * dilation < limit
    if (limit <= start) return int64_t{0};
    const int64_t n = (limit - start + dilation - 1) / dilation;
    return n < kernel ? n : kernel;
  };
  r.first = below(0);
  r.last = below(size);
  r.padded = below(size + pad_end);
  return r;
}

template <class V, bool kMax>
inline V pool_step(V acc, V x) {
  return kMax ? V::max(acc, x) : V::add(acc, x);
}

// P vectors of channels of one output pixel; `rest` lanes in the last one (V::W: all).
template <class V, bool kMax, int P>
inline void pool_channels(const float* x, float* y, const TapRange& rows, const TapRange& cols,
                          int64_t row_step, int64_t col_step, float divisor, int rest) {
  V acc[P];
  for (int i = 0; i < P; ++i)
    acc[i] = V::set1(kMax ? -std::numeric_limits<float>::infinity() : 0.0f);
  for (int64_t r = rows.first; r < rows.last; ++r) {
    const float* at = x + r * row_step + cols.first * col_step;
    for (int64_t c = cols.first; c < cols.last; ++c, at += col_step)
      for (int i = 0; i < P; ++i) {
        const float* from = at + i * V::W;
        V v = i + 1 < P || rest == V::W ? V::load(from) : V::load(from, rest);
        acc[i] = pool_step<V, kMax>(acc[i], v);
      }
  }
  for (int i = 0; i < P; ++i) {
    V v = kMax ? acc[i] : V::div(acc[i], V::set1(divisor));
    if (i + 1 < P || rest == V::W)
      V::store(y + i * V::W, v);
    else
      V::store(y + i * V::W, v, rest);
  }
}

template <class V, bool kMax>
void pool_2d(const Pool2dF32& p, const float* x, float* y, int64_t begin, int64_t end) {
  const int64_t row_step = p.dilation_h * p.width * p.x_stride,
                col_step = p.dilation_w * p.x_stride;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t image = row / p.out_height, oy = row % p.out_height;
    const int64_t top = oy * p.stride_h - p.pad_top;
    const TapRange rows = tap_range(top, p.kernel_h, p.dilation_h, p.height, p.pad_bottom);
    for (int64_t ox = 0; ox < p.out_width; ++ox) {
      const int64_t left = ox * p.stride_w - p.pad_left;
      const TapRange cols = tap_range(left, p.kernel_w, p.dilation_w, p.width, p.pad_right);
      int64_t count = p.include_pad ? rows.padded * cols.padded
                                    : (rows.last - rows.first) * (cols.last - cols.first);
      if (count < 1) count = 1;
      const float divisor = static_cast<float>(count);
      // May lie before the image; only taps inside are read.
      const int64_t origin = (image * p.height * p.width + top * p.width + left) * p.x_stride;
      float* to = y + (row * p.out_width + ox) * p.y_stride;
      int64_t c = 0;
      for (; c + 4 * V::W <= p.channels; c += 4 * V::W)
        pool_channels<V, kMax, 4>(x + origin + c, to + c, rows, cols, row_step, col_step, divisor,
                                  V::W);
      for (; c < p.channels; c += V::W) {
        const int64_t n = p.channels - c;
        const int rest = n < V::W ? static_cast<int>(n) : V::W;
        pool_channels<V, kMax, 1>(x + origin + c, to + c, rows, cols, row_step, col_step, divisor,
                                  rest);
      }
    }
  }
}

template <class V, int P>
inline void average_block(const float* x, int64_t pixels, int64_t stride, float* y, int rest) {
  V acc[P];
  for (int i = 0; i < P; ++i) acc[i] = V::zero();
  for (int64_t k = 0; k < pixels; ++k, x += stride)
    for (int i = 0; i < P; ++i) {
      const float* from = x + i * V::W;
      acc[i] = V::add(acc[i], i + 1 < P || rest == V::W ? V::load(from) : V::load(from, rest));
    }
  const V n = V::set1(static_cast<float>(pixels));
  for (int i = 0; i < P; ++i) {
    V v = V::div(acc[i], n);
    if (i + 1 < P || rest == V::W)
      V::store(y + i * V::W, v);
    else
      V::store(y + i * V::W, v, rest);
  }
}

template <class V>
void global_average(const float* x, int64_t pixels, int64_t channels, int64_t x_stride, float* y) {
  int64_t c = 0;
  for (; c + 4 * V::W <= channels; c += 4 * V::W)
    average_block<V, 4>(x + c, pixels, x_stride, y + c, V::W);
  for (; c < channels; c += V::W) {
    const int64_t n = channels - c;
    average_block<V, 1>(x + c, pixels, x_stride, y + c, n < V::W ? static_cast<int>(n) : V::W);
  }
}

}  // namespace
}  // namespace sampan
