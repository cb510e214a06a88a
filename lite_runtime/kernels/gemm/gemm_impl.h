// The tile of the matrix product, once for all vector types. Included only by gemm_<isa>.cc.
#pragma once
#include "kernels/gemm/gemm_tile.h"
#include "kernels/simd/simd.h"

#define SAMPAN_UNROLL _Pragma("GCC unroll 16")
#define SAMPAN_INLINE inline __attribute__((always_inline))

namespace sampan {
namespace {

// MR rows x (NV vectors V, then one narrower vector H if HALF). Vector j lies in panel
// j / (16 / V::W).
template <class V, class H, int MR, int NV, bool HALF>
struct Tile {
  static constexpr int W = V::W;
  static constexpr int kPerPanel = kPanelWidth / W;
  static constexpr int kVecs = NV > 0 ? NV : 1;  // no empty arrays
  static constexpr int kPanels = (NV + HALF + kPerPanel - 1) / kPerPanel;
  static constexpr int kSumWidth = NV * W + (HALF ? H::W : 0);

  struct Acc {
    V v[MR][kVecs];
    H h[MR];
  };

  static SAMPAN_INLINE void clear(Acc& acc) {
    SAMPAN_UNROLL for (int i = 0; i < MR; ++i) {
      SAMPAN_UNROLL for (int j = 0; j < NV; ++j) acc.v[i][j] = V::zero();
      if constexpr (HALF) acc.h[i] = H::zero();
    }
  }

  // sum += acc, or sum = acc for the first chunk.
  static SAMPAN_INLINE void flush(Acc& acc, float* sum, bool first) {
    SAMPAN_UNROLL for (int i = 0; i < MR; ++i) {
      float* s = sum + i * kSumWidth;
      SAMPAN_UNROLL for (int j = 0; j < NV; ++j) {
        if (!first) acc.v[i][j] = V::add(V::load(s + j * W), acc.v[i][j]);
        V::store(s + j * W, acc.v[i][j]);
      }
      if constexpr (HALF) {
        if (!first) acc.h[i] = H::add(H::load(s + NV * W), acc.h[i]);
        H::store(s + NV * W, acc.h[i]);
      }
    }
  }

  template <int U>
  static SAMPAN_INLINE void step(Acc& acc, const float* const (&a)[MR],
                                 const float* const (&b)[kPanels]) {
    V bv[kVecs];
    H bh = H::zero();
    SAMPAN_UNROLL for (int j = 0; j < NV; ++j) {
      bv[j] = V::load(b[j / kPerPanel] + U * kPanelWidth + j % kPerPanel * W);
    }
    if constexpr (HALF) {
      bh = H::load(b[NV / kPerPanel] + U * kPanelWidth + NV % kPerPanel * W);
    }
    SAMPAN_UNROLL for (int i = 0; i < MR; ++i) {
      if constexpr (NV > 0) {
        const V av = V::set1(a[i][U]);
        SAMPAN_UNROLL for (int j = 0; j < NV; ++j) { acc.v[i][j] = V::fma(av, bv[j], acc.v[i][j]); }
      }
      if constexpr (HALF) acc.h[i] = H::fma(H::set1(a[i][U]), bh, acc.h[i]);
    }
  }

  // n links of the chains; a and b move on.
  static SAMPAN_INLINE void links(Acc& acc, const float* (&a)[MR], const float* (&b)[kPanels],
                                  int64_t n) {
    for (; n >= 4; n -= 4) {
      step<0>(acc, a, b);
      step<1>(acc, a, b);
      step<2>(acc, a, b);
      step<3>(acc, a, b);
      SAMPAN_UNROLL for (int i = 0; i < MR; ++i) a[i] += 4;
      SAMPAN_UNROLL for (int p = 0; p < kPanels; ++p) b[p] += 4 * kPanelWidth;
    }
    for (; n > 0; --n) {
      step<0>(acc, a, b);
      SAMPAN_UNROLL for (int i = 0; i < MR; ++i) a[i] += 1;
      SAMPAN_UNROLL for (int p = 0; p < kPanels; ++p) b[p] += kPanelWidth;
    }
  }

  // The whole sum over k of one tile.
  static SAMPAN_INLINE void sums(const TileF32& t, int64_t row, Acc& acc) {
    alignas(64) float sum[MR * kSumWidth];
    bool first = true;
    int64_t room = kChunkK;
    const float* b[kPanels];
    SAMPAN_UNROLL for (int p = 0; p < kPanels; ++p) b[p] = t.b + p * t.panel_stride;
    clear(acc);
    for (int64_t tap = 0; tap < t.n_taps; ++tap) {
      const float* a[MR];
      if (t.taps != nullptr) {
        const float* const* rows = t.taps + tap * t.tap_stride + row;
        SAMPAN_UNROLL for (int i = 0; i < MR; ++i) a[i] = rows[i];
      } else {
        SAMPAN_UNROLL for (int i = 0; i < MR; ++i) a[i] = t.a + (row + i) * t.lda;
      }
      for (int64_t left = t.tap_len; left > 0;) {
        if (room == 0) {
          flush(acc, sum, first);
          clear(acc);
          first = false;
          room = kChunkK;
        }
        const int64_t n = left < room ? left : room;
        links(acc, a, b, n);
        left -= n;
        room -= n;
      }
    }
    if (!first) flush(acc, sum, false);
  }

  // Loads and stores of vector j of a row of the output's columns.
  template <bool TAIL>
  static SAMPAN_INLINE V load(const float* p, int j, int tail) {
    return TAIL && !HALF && j == NV - 1 ? V::load(p + j * W, tail) : V::load(p + j * W);
  }
  template <bool TAIL>
  static SAMPAN_INLINE H load_half(const float* p, int tail) {
    return TAIL ? H::load(p + NV * W, tail) : H::load(p + NV * W);
  }
  template <bool TAIL>
  static SAMPAN_INLINE void store_row(float* c, const Acc& acc, int i, int tail) {
    SAMPAN_UNROLL for (int j = 0; j < NV; ++j) {
      if (TAIL && !HALF && j == NV - 1) {
        V::store(c + j * W, acc.v[i][j], tail);
      } else {
        V::store(c + j * W, acc.v[i][j]);
      }
    }
    if constexpr (HALF) {
      if (TAIL) {
        H::store(c + NV * W, acc.h[i], tail);
      } else {
        H::store(c + NV * W, acc.h[i]);
      }
    }
  }

  template <bool TAIL>
  static SAMPAN_INLINE void finish(const TileF32& t, int64_t row, Acc& acc) {
    if (t.bias != nullptr) {
      SAMPAN_UNROLL for (int j = 0; j < NV; ++j) {
        const V b = load<TAIL>(t.bias, j, t.tail);
        SAMPAN_UNROLL for (int i = 0; i < MR; ++i) acc.v[i][j] = V::add(acc.v[i][j], b);
      }
      if constexpr (HALF) {
        const H b = load_half<TAIL>(t.bias, t.tail);
        SAMPAN_UNROLL for (int i = 0; i < MR; ++i) acc.h[i] = H::add(acc.h[i], b);
      }
    }
    if (t.residual != nullptr) {
      SAMPAN_UNROLL for (int i = 0; i < MR; ++i) {
        const float* r = t.residual + (row + i) * t.residual_stride;
        SAMPAN_UNROLL for (int j = 0; j < NV; ++j) {
          acc.v[i][j] = V::add(acc.v[i][j], load<TAIL>(r, j, t.tail));
        }
        if constexpr (HALF) acc.h[i] = H::add(acc.h[i], load_half<TAIL>(r, t.tail));
      }
    }
    if (t.clip) {
      const V lo = V::set1(t.lo), hi = V::set1(t.hi);
      SAMPAN_UNROLL for (int i = 0; i < MR; ++i) {
        SAMPAN_UNROLL for (int j = 0; j < NV; ++j) {
          acc.v[i][j] = V::min(hi, V::max(lo, acc.v[i][j]));
        }
        if constexpr (HALF) {
          acc.h[i] = H::min(H::set1(t.hi), H::max(H::set1(t.lo), acc.h[i]));
        }
      }
    }
    SAMPAN_UNROLL for (int i = 0; i < MR; ++i) {
      store_row<TAIL>(t.c + (row + i) * t.ldc, acc, i, t.tail);
    }
  }

  static void run(const TileF32& t) {
    for (int64_t row = 0; row < t.rows; row += MR) {
      Acc acc;
      sums(t, row, acc);
      if (t.tail == 0) {
        finish<false>(t, row, acc);
      } else {
        finish<true>(t, row, acc);
      }
    }
  }
};

}  // namespace
}  // namespace sampan
