// The depthwise kernels, once for all vector types. Included only by depthwise_<isa>.cc.
#pragma once
#include <limits>

#include "kernels/depthwise/depthwise.h"
#include "kernels/simd/accumulate.h"

namespace sampan {
namespace {

template <class V>
struct Depthwise {
  static constexpr int W = V::W;

  // The last links of the chain of every output of a row of outputs.
  struct Epilogue {
    const float* bias;
    bool has_bias;  // else bias points to a vector of -0, which changes nothing
    const float* residual;
    int64_t residual_stride;
    float lo, hi;  // -inf and inf: no clip
    float none[W];

    explicit Epilogue(const EpilogueF32& ep) {
      const bool clip = ep.act == Activation::kClip;
      for (float& x : none) x = -0.0f;
      has_bias = ep.bias != nullptr;
      bias = has_bias ? ep.bias : none;
      residual = ep.residual;
      residual_stride = ep.residual_stride;
      lo = clip ? ep.p0 : -std::numeric_limits<float>::infinity();
      hi = clip ? ep.p1 : std::numeric_limits<float>::infinity();
    }
  };

  // An input row of a window: where its first column is (or would be), and which of its columns
  // exist (bit i: column i).
  struct Row {
    const float* x;
    uint32_t inside;
  };

  // Bytes between pixels, and those multiples of it that x86 cannot form in an address. The
  // compiler is kept from seeing how they hang together: it would compute every address anew.
  struct Steps {
    int64_t s1, s3, s5, s7;
    explicit Steps(int64_t pixel_stride) {
      s1 = pixel_stride * 4;
      s3 = 3 * s1;
      s5 = 5 * s1;
      s7 = 7 * s1;
      asm("" : "+r"(s1), "+r"(s3), "+r"(s5), "+r"(s7));
    }
    SAMPAN_INLINE const float* at(const float* x, int i) const {
      const char* p = reinterpret_cast<const char*>(x);
      switch (i & 7) {
        case 1:
          p += s1;
          break;
        case 2:
          p += 2 * s1;
          break;
        case 3:
          p += s3;
          break;
        case 4:
          p += 4 * s1;
          break;
        case 5:
          p += s5;
          break;
        case 6:
          p += 2 * s3;
          break;
        case 7:
          p += s7;
          break;
        default:
          break;
      }
      return reinterpret_cast<const float*>(p);
    }
  };

  // lanes: valid ones of a tail vector, ignored otherwise.
  template <bool TAIL>
  static SAMPAN_INLINE V load(const float* p, int lanes) {
    return TAIL ? V::load(p, lanes) : V::load(p);
  }

  template <bool TAIL, int CO>
  static SAMPAN_INLINE void finish(const DepthwiseF32& d, const Epilogue& ep, const V (&acc)[CO],
                                   int64_t pixel, int64_t c, int lanes) {
    const V bias = load<TAIL>(ep.bias + (ep.has_bias ? c : 0), lanes);
    const V lo = V::set1(ep.lo), hi = V::set1(ep.hi);
    float* y = d.y + pixel * d.y_stride + c;
    const float* r = ep.residual;
    if (r != nullptr) r += pixel * ep.residual_stride + c;
    SAMPAN_UNROLL for (int q = 0; q < CO; ++q, y += d.y_stride) {
      V v = V::add(acc[q], bias);
      if (r != nullptr) v = V::add(v, load<TAIL>(r + q * ep.residual_stride, lanes));
      v = V::min(hi, V::max(lo, v));
      if (TAIL) {
        V::store(y, v, lanes);
      } else {
        V::store(y, v);
      }
    }
  }

  // K x K taps at stride S, dilation 1: CO neighbouring outputs of one row, one vector of channels.
  // EDGE: not all columns or rows of the window exist.
  template <int K, int S, int CO, bool EDGE, bool TAIL>
  static SAMPAN_INLINE void tile(const DepthwiseF32& d, const Epilogue& ep, const Row (&rows)[K],
                                 const Steps& steps, int64_t pixel, int64_t c, int lanes) {
    constexpr int CI = (CO - 1) * S + K;
    V acc[CO];
    SAMPAN_UNROLL for (int q = 0; q < CO; ++q) acc[q] = V::zero();
    const float* wp = d.w + c;
    SAMPAN_UNROLL for (int ky = 0; ky < K; ++ky) {
      V w[K];
      SAMPAN_UNROLL for (int kx = 0; kx < K; ++kx, wp += d.channels) w[kx] = load<TAIL>(wp, lanes);
      const float* x = rows[ky].x + c;
      SAMPAN_UNROLL for (int i = 0; i < CI; ++i) {
        if (i > 0 && i % 8 == 0)
          x = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x) + 8 * steps.s1);
        V v = V::zero();
        if (!EDGE || (rows[ky].inside >> i & 1u) != 0) v = load<TAIL>(steps.at(x, i), lanes);
        SAMPAN_UNROLL for (int q = 0; q < CO; ++q) {
          const int kx = i - q * S;
          if (kx >= 0 && kx < K) simd::accumulate(acc[q], v, w[kx]);
        }
      }
    }
    finish<TAIL, CO>(d, ep, acc, pixel, c, lanes);
  }

  template <int K, int S, int CO, bool EDGE>
  static SAMPAN_NOINLINE void columns(const DepthwiseF32& d, const Epilogue& ep,
                                      const Row (&rows)[K], int64_t pixel, int64_t c0, int64_t c1) {
    const Steps steps(d.pixel_stride);
    int64_t c = c0;
    for (; c + W <= c1; c += W) tile<K, S, CO, EDGE, false>(d, ep, rows, steps, pixel, c, W);
    if (c < c1) {
      tile<K, S, CO, EDGE, true>(d, ep, rows, steps, pixel, c, static_cast<int>(c1 - c));
    }
  }

  // One output row.
  template <int K, int S, int CO>
  static void square(const DepthwiseF32& d, const Epilogue& ep, int64_t oy, int64_t c0,
                     int64_t c1) {
    const int64_t iy = oy * S - d.pad_top;
    for (int64_t ox = 0; ox < d.out_w;) {
      const bool full = ox + CO <= d.out_w;
      const int n = ((full ? CO : 1) - 1) * S + K;
      const int64_t ix = ox * S - d.pad_left;
      uint32_t inside = 0;
      for (int i = 0; i < n; ++i) {
        inside |= static_cast<uint32_t>(ix + i >= 0 && ix + i < d.in_w) << i;
      }
      bool edge = inside + 1 != 1u << n;
      Row rows[K];
      for (int ky = 0; ky < K; ++ky) {
        const bool in = iy + ky >= 0 && iy + ky < d.in_h;
        rows[ky] = {d.x + ((iy + ky) * d.in_w + ix) * d.pixel_stride, in ? inside : 0};
        edge = edge || !in;
      }
      const int64_t pixel = oy * d.out_w + ox;
      if (!full) {
        columns<K, S, 1, true>(d, ep, rows, pixel, c0, c1);
      } else if (edge) {
        columns<K, S, CO, true>(d, ep, rows, pixel, c0, c1);
      } else {
        columns<K, S, CO, false>(d, ep, rows, pixel, c0, c1);
      }
      ox += full ? CO : 1;
    }
  }

  // Input channels of output channels c.. of a pixel; each input channel serves several outputs.
  static V spread(const float* x, int64_t c, int64_t multiplier, int lanes) {
    float v[W] = {};
    for (int j = 0; j < lanes; ++j) v[j] = x[(c + j) / multiplier];
    return V::load(v);
  }

  // Any window: B vectors of channels of one output pixel.
  template <int B, bool TAIL>
  static SAMPAN_INLINE void pixel(const DepthwiseF32& d, const Epilogue& ep, int64_t oy, int64_t ox,
                                  int64_t c, int lanes) {
    V acc[B];
    SAMPAN_UNROLL for (int b = 0; b < B; ++b) acc[b] = V::zero();
    const float* w = d.w + c;
    for (int64_t ky = 0; ky < d.kernel_h; ++ky) {
      const int64_t iy = oy * d.stride_h - d.pad_top + ky * d.dilation_h;
      for (int64_t kx = 0; kx < d.kernel_w; ++kx, w += d.channels) {
        const int64_t ix = ox * d.stride_w - d.pad_left + kx * d.dilation_w;
        const bool in = iy >= 0 && iy < d.in_h && ix >= 0 && ix < d.in_w;
        const float* x = in ? d.x + (iy * d.in_w + ix) * d.pixel_stride : nullptr;
        SAMPAN_UNROLL for (int b = 0; b < B; ++b) {
          V v = V::zero();
          if (in) {
            v = d.multiplier == 1 ? load<TAIL>(x + c + b * W, lanes)
                                  : spread(x, c + b * W, d.multiplier, lanes);
          }
          simd::accumulate(acc[b], v, load<TAIL>(w + b * W, lanes));
        }
      }
    }
    SAMPAN_UNROLL for (int b = 0; b < B; ++b) {
      const V one[1] = {acc[b]};
      finish<TAIL, 1>(d, ep, one, oy * d.out_w + ox, c + b * W, lanes);
    }
  }

  static SAMPAN_NOINLINE void any(const DepthwiseF32& d, const Epilogue& ep, int64_t oy, int64_t c0,
                                  int64_t c1) {
    for (int64_t ox = 0; ox < d.out_w; ++ox) {
      int64_t c = c0;
      for (; c + 8 * W <= c1; c += 8 * W) pixel<8, false>(d, ep, oy, ox, c, W);
      for (; c + W <= c1; c += W) pixel<1, false>(d, ep, oy, ox, c, W);
      if (c < c1) pixel<1, true>(d, ep, oy, ox, c, static_cast<int>(c1 - c));
    }
  }

  static void run(const DepthwiseF32& d, int64_t y0, int64_t y1, int64_t c0, int64_t c1) {
    const bool square_window = d.multiplier == 1 && d.kernel_h == d.kernel_w &&
                               d.stride_h == d.stride_w && d.dilation_h == 1 && d.dilation_w == 1;
    const int64_t kind = square_window ? d.kernel_h * 10 + d.stride_h : 0;
    const bool act = d.ep.act != Activation::kNone && d.ep.act != Activation::kClip;
    const Epilogue ep(d.ep);
    for (int64_t oy = y0; oy < y1; ++oy) {
      switch (kind) {
        case 31:
          square<3, 1, 7>(d, ep, oy, c0, c1);
          break;
        case 32:
          square<3, 2, 7>(d, ep, oy, c0, c1);
          break;
        case 51:
          square<5, 1, 7>(d, ep, oy, c0, c1);
          break;
        case 52:
          square<5, 2, 7>(d, ep, oy, c0, c1);
          break;
        case 71:
          square<7, 1, 7>(d, ep, oy, c0, c1);
          break;
        default:
          any(d, ep, oy, c0, c1);
      }
      float* y = d.y + oy * d.out_w * d.y_stride;
      if (act && c1 - c0 == d.y_stride) {
        d.ep.act_fn(y, d.out_w * d.y_stride, d.ep.p0, d.ep.p1);
      } else if (act && c0 < c1) {
        for (int64_t ox = 0; ox < d.out_w; ++ox) {
          d.ep.act_fn(y + ox * d.y_stride + c0, c1 - c0, d.ep.p0, d.ep.p1);
        }
      }
    }
  }
};

}  // namespace
}  // namespace sampan
