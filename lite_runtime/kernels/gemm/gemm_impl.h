// The tile of the matrix product, once for all vector types. Included only by gemm_<isa>.cc.
#pragma once
#include "kernels/gemm/gemm_tile.h"
#include "kernels/simd/accumulate.h"

namespace sampan {
namespace {

using simd::accumulate;

// The epilogue of a tile whose last vector is partly outside, from the sums in memory. Such tiles
// are few, so all row counts share this loop.
template <class V, class H, int NV, bool HALF>
SAMPAN_NOINLINE void finish_tail(const TileF32& t, int64_t row, int rows, const float* sum) {
  constexpr int kWidth = NV * V::W + (HALF ? H::W : 0);
  const V lo = V::set1(t.lo), hi = V::set1(t.hi);
  for (int i = 0; i < rows; ++i, ++row, sum += kWidth) {
    float* c = t.c + row * t.ldc;
    const float* r = t.residual != nullptr ? t.residual + row * t.residual_stride : nullptr;
    for (int j = 0; j < NV; ++j) {
      const int lanes = !HALF && j == NV - 1 ? t.tail : V::W, at = j * V::W;
      V v = V::add(V::load(sum + at), V::load(t.bias + at, lanes));
      if (r != nullptr) v = V::add(v, V::load(r + at, lanes));
      V::store(c + at, V::min(hi, V::max(lo, v)), lanes);
    }
    if constexpr (HALF) {
      constexpr int at = NV * V::W;
      H v = H::add(H::load(sum + at), H::load(t.bias + at, t.tail));
      if (r != nullptr) v = H::add(v, H::load(r + at, t.tail));
      H::store(c + at, H::min(H::set1(t.hi), H::max(H::set1(t.lo), v)), t.tail);
    }
  }
}

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
        SAMPAN_UNROLL for (int j = 0; j < NV; ++j) { accumulate(acc.v[i][j], av, bv[j]); }
      }
      if constexpr (HALF) accumulate(acc.h[i], H::set1(a[i][U]), bh);
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
    _Pragma("GCC unroll 1") for (; n > 0; --n) {
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

  // Row by row, so that a row's store does not wait for the others' arithmetic.
  template <bool RESIDUAL>
  static SAMPAN_INLINE void finish(const TileF32& t, int64_t row, const Acc& acc) {
    const V lo = V::set1(t.lo), hi = V::set1(t.hi);
    float* c = t.c + row * t.ldc;
    const float* r = RESIDUAL ? t.residual + row * t.residual_stride : nullptr;
    SAMPAN_UNROLL for (int i = 0; i < MR; ++i) {
      SAMPAN_UNROLL for (int j = 0; j < NV; ++j) {
        V v = V::add(acc.v[i][j], V::load(t.bias + j * W));
        if (RESIDUAL) v = V::add(v, V::load(r + j * W));
        V::store(c + j * W, V::min(hi, V::max(lo, v)));
      }
      if constexpr (HALF) {
        H v = H::add(acc.h[i], H::load(t.bias + NV * W));
        if (RESIDUAL) v = H::add(v, H::load(r + NV * W));
        H::store(c + NV * W, H::min(H::set1(t.hi), H::max(H::set1(t.lo), v)));
      }
      c += t.ldc;
      if (RESIDUAL) r += t.residual_stride;
    }
  }

  // Forgets what is known of *t, so that nothing of it is kept in registers, or loops split by it,
  // around the loops over k.
  static SAMPAN_INLINE void forget(const TileF32*& t) { asm("" : "+r"(t)); }

  static SAMPAN_INLINE void finish(const TileF32* t, int64_t row, Acc& acc) {
    forget(t);
    if (t->tail != 0) {
      alignas(64) float sum[MR * kSumWidth];
      flush(acc, sum, true);
      finish_tail<V, H, NV, HALF>(*t, row, MR, sum);
    } else if (t->residual != nullptr) {
      finish<true>(*t, row, acc);
    } else {
      finish<false>(*t, row, acc);
    }
  }

  // One chunk, no taps: about 20 cycles less for each tile.
  static SAMPAN_NOINLINE void run_plain(const TileF32* t) {
    for (int64_t row = 0; row < t->rows; row += MR) {
      forget(t);
      Acc acc;
      const float *a[MR], *b[kPanels];
      SAMPAN_UNROLL for (int p = 0; p < kPanels; ++p) b[p] = t->b + p * t->panel_stride;
      a[0] = t->a + row * t->lda;
      SAMPAN_UNROLL for (int i = 1; i < MR; ++i) a[i] = a[i - 1] + t->lda;
      clear(acc);
      links(acc, a, b, t->tap_len);
      finish(t, row, acc);
    }
  }

  static void run(const TileF32& t) {
    if (MR * (NV + HALF) >= 8 && t.taps == nullptr && t.tap_len <= kChunkK) {
      run_plain(&t);
      return;
    }
    for (int64_t row = 0; row < t.rows; row += MR) {
      Acc acc;
      sums(t, row, acc);
      finish(&t, row, acc);
    }
  }
};

}  // namespace
}  // namespace sampan
