// The depthwise kernels, once for all vector types. Included only by depthwise_<isa>.cc.
#pragma once
#include "kernels/depthwise/depthwise.h"
#include "kernels/simd/simd.h"

#define SAMPAN_UNROLL _Pragma("GCC unroll 32")
#define SAMPAN_INLINE inline __attribute__((always_inline))

namespace sampan {
namespace {

template <class V>
struct Depthwise {
  static constexpr int W = V::W;

  // lanes: valid ones of a tail vector, ignored otherwise.
  template <bool TAIL>
  static SAMPAN_INLINE V load(const float* p, int lanes) {
    return TAIL ? V::load(p, lanes) : V::load(p);
  }

  template <bool TAIL>
  static SAMPAN_INLINE void finish(const DepthwiseF32& d, V acc, int64_t pixel, int64_t c,
                                   int lanes) {
    if (d.ep.bias != nullptr) acc = V::add(acc, load<TAIL>(d.ep.bias + c, lanes));
    if (d.ep.residual != nullptr) {
      acc = V::add(acc, load<TAIL>(d.ep.residual + pixel * d.ep.residual_stride + c, lanes));
    }
    if (d.ep.act == Activation::kClip) {
      acc = V::min(V::set1(d.ep.p1), V::max(V::set1(d.ep.p0), acc));
    }
    float* y = d.y + pixel * d.y_stride + c;
    if (TAIL) {
      V::store(y, acc, lanes);
    } else {
      V::store(y, acc);
    }
  }

  // K x K taps at stride S, dilation 1: CO neighbouring outputs of one row, one vector of channels.
  // rows[i] is input row i of the window, null above or below the image. Outputs whose window
  // leaves the image to the left or right are made with EDGE.
  template <int K, int S, int CO, bool EDGE, bool TAIL>
  static SAMPAN_INLINE void tile(const DepthwiseF32& d, const float* const (&rows)[K], int64_t oy,
                                 int64_t ox, int64_t c, int lanes) {
    constexpr int CI = (CO - 1) * S + K;
    V acc[CO];
    SAMPAN_UNROLL for (int q = 0; q < CO; ++q) acc[q] = V::zero();
    const int64_t ix = ox * S - d.pad_left;
    for (int ky = 0; ky < K; ++ky) {
      V w[K];
      SAMPAN_UNROLL for (int kx = 0; kx < K; ++kx) {
        w[kx] = load<TAIL>(d.w + (ky * K + kx) * d.channels + c, lanes);
      }
      const float* x = rows[ky] + ix * d.pixel_stride + c;
      const bool row_in = rows[ky] != nullptr;
      SAMPAN_UNROLL for (int i = 0; i < CI; ++i, x += d.pixel_stride) {
        const bool in = row_in && (!EDGE || (ix + i >= 0 && ix + i < d.in_w));
        const V v = in ? load<TAIL>(x, lanes) : V::zero();
        SAMPAN_UNROLL for (int q = 0; q < CO; ++q) {
          const int kx = i - q * S;
          if (kx >= 0 && kx < K) acc[q] = V::fma(v, w[kx], acc[q]);
        }
      }
    }
    SAMPAN_UNROLL for (int q = 0; q < CO; ++q) {
      finish<TAIL>(d, acc[q], oy * d.out_w + ox + q, c, lanes);
    }
  }

  template <int K, int S, int CO, bool EDGE>
  static void columns(const DepthwiseF32& d, const float* const (&rows)[K], int64_t oy, int64_t ox,
                      int64_t c0, int64_t c1) {
    int64_t c = c0;
    for (; c + W <= c1; c += W) tile<K, S, CO, EDGE, false>(d, rows, oy, ox, c, W);
    if (c < c1) tile<K, S, CO, EDGE, true>(d, rows, oy, ox, c, static_cast<int>(c1 - c));
  }

  template <int K, int S, int CO>
  static void square(const DepthwiseF32& d, int64_t oy, int64_t c0, int64_t c1) {
    const float* rows[K];
    for (int ky = 0; ky < K; ++ky) {
      const int64_t iy = oy * S - d.pad_top + ky;
      rows[ky] = iy >= 0 && iy < d.in_h ? d.x + iy * d.in_w * d.pixel_stride : nullptr;
    }
    for (int64_t ox = 0; ox < d.out_w;) {
      const int64_t ix = ox * S - d.pad_left;
      if (ox + CO > d.out_w) {
        columns<K, S, 1, true>(d, rows, oy, ox, c0, c1);
        ox += 1;
        continue;
      }
      if (ix >= 0 && ix + (CO - 1) * S + K <= d.in_w) {
        columns<K, S, CO, false>(d, rows, oy, ox, c0, c1);
      } else {
        columns<K, S, CO, true>(d, rows, oy, ox, c0, c1);
      }
      ox += CO;
    }
  }

  // Input channels of output channels c.. of a pixel; each input channel serves several outputs.
  static V spread(const float* x, int64_t c, int64_t multiplier, int lanes) {
    float v[W] = {};
    for (int j = 0; j < lanes; ++j) v[j] = x[(c + j) / multiplier];
    return V::load(v);
  }

  // Any window: one output pixel at a time.
  static void any(const DepthwiseF32& d, int64_t oy, int64_t c0, int64_t c1) {
    for (int64_t ox = 0; ox < d.out_w; ++ox) {
      for (int64_t c = c0; c < c1; c += W) {
        const int lanes = static_cast<int>(c1 - c < W ? c1 - c : W);
        V acc = V::zero();
        for (int64_t ky = 0; ky < d.kernel_h; ++ky) {
          const int64_t iy = oy * d.stride_h - d.pad_top + ky * d.dilation_h;
          for (int64_t kx = 0; kx < d.kernel_w; ++kx) {
            const int64_t ix = ox * d.stride_w - d.pad_left + kx * d.dilation_w;
            V x = V::zero();
            if (iy >= 0 && iy < d.in_h && ix >= 0 && ix < d.in_w) {
              const float* pixel = d.x + (iy * d.in_w + ix) * d.pixel_stride;
              x = d.multiplier == 1 ? V::load(pixel + c, lanes)
                                    : spread(pixel, c, d.multiplier, lanes);
            }
            acc = V::fma(x, V::load(d.w + (ky * d.kernel_w + kx) * d.channels + c, lanes), acc);
          }
        }
        finish<true>(d, acc, oy * d.out_w + ox, c, lanes);
      }
    }
  }

  static void run(const DepthwiseF32& d, int64_t y0, int64_t y1, int64_t c0, int64_t c1) {
    const bool square_window = d.multiplier == 1 && d.kernel_h == d.kernel_w &&
                               d.stride_h == d.stride_w && d.dilation_h == 1 && d.dilation_w == 1;
    const int64_t kind = square_window ? d.kernel_h * 10 + d.stride_h : 0;
    const bool act = d.ep.act != Activation::kNone && d.ep.act != Activation::kClip;
    for (int64_t oy = y0; oy < y1; ++oy) {
      switch (kind) {
        case 31:
          square<3, 1, 7>(d, oy, c0, c1);
          break;
        case 32:
          square<3, 2, 7>(d, oy, c0, c1);
          break;
        case 51:
          square<5, 1, 7>(d, oy, c0, c1);
          break;
        case 52:
          square<5, 2, 7>(d, oy, c0, c1);
          break;
        default:
          any(d, oy, c0, c1);
      }
      float* y = d.y + oy * d.out_w * d.y_stride;
      if (act && c1 - c0 == d.y_stride) {
        d.ep.act_fn(y, d.out_w * d.y_stride, d.ep.p0, d.ep.p1);
      } else if (act) {
        for (int64_t ox = 0; ox < d.out_w; ++ox) {
          d.ep.act_fn(y + ox * d.y_stride + c0, c1 - c0, d.ep.p0, d.ep.p1);
        }
      }
    }
  }
};

}  // namespace
}  // namespace sampan
