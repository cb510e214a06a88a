#include "kernels/gemm/gemm.h"

#include <limits>

#include "kernels/gemm/gemm_tile.h"

namespace sampan {

namespace {

// Bytes of a row block (its inputs and outputs): part of the smallest second-level cache in use.
constexpr int64_t kBlockBytes = 160 * 1024;

// Added where there is no bias: -0 changes nothing, not even the sign of a zero.
struct NoBias {
  float v[kMaxTileUnits * 8];
  constexpr NoBias() : v() {
    for (float& x : v) x = -0.0f;
  }
};
constexpr NoBias kNoBias;

// All rows of one column group: as few tiles as possible, of nearly equal height, since a tile with
// one or two rows left over has too few independent sums to keep the multipliers busy.
void run_rows(const TileFnF32* fn, int max_rows, TileF32 t) {
  const int64_t tiles = (t.rows + max_rows - 1) / max_rows;
  const int64_t small = t.rows / tiles, n_big = t.rows % tiles;
  if (n_big > 0) {
    t.rows = n_big * (small + 1);
    fn[small + 1](t);
    if (t.taps != nullptr) t.taps += t.rows;
    t.a += t.rows * t.lda;
    t.c += t.rows * t.ldc;
    if (t.residual != nullptr) t.residual += t.rows * t.residual_stride;
  }
  t.rows = (tiles - n_big) * small;
  fn[small](t);
}

// Width of the next column group, in units, when `left` are still to do for `rows` rows.
int64_t next_units(const TileSetF32& set, int64_t left, int64_t rows) {
  int64_t best = 0;
  for (int64_t u = 1; u <= kMaxTileUnits && u <= left; ++u) {
    if (set.max_rows[u] == 0) continue;
    if (u % 2 != 0 && u != left) continue;  // a group starts at a panel
    // A tile wider than the main one is for few rows, or to take a last single unit along.
    if (u > set.units && rows > set.max_rows[u] && u != left) continue;
    if (u > set.units + 1 && rows > set.max_rows[u]) continue;
    best = u;
  }
  return best;
}

}  // namespace

int64_t block_rows_f32(int64_t k, int64_t n, int64_t mr) {
  const int64_t rows = kBlockBytes / 4 / (k + n + 1) / mr * mr;
  return rows < 8 * mr ? 8 * mr : rows;
}

void set_epilogue_f32(const EpilogueF32& ep, TileF32* t) {
  const bool clip = ep.act == Activation::kClip;
  t->bias = ep.bias;
  t->residual = ep.residual;
  t->residual_stride = ep.residual != nullptr ? ep.residual_stride : 0;
  t->lo = clip ? ep.p0 : -std::numeric_limits<float>::infinity();
  t->hi = clip ? ep.p1 : std::numeric_limits<float>::infinity();
}

void apply_act_rows_f32(const EpilogueF32& ep, float* c, int64_t ldc, int64_t m, int64_t n0,
                        int64_t n1) {
  if (ep.act == Activation::kNone || ep.act == Activation::kClip || n1 <= n0) return;
  if (n1 - n0 == ldc) {
    ep.act_fn(c + n0, m * ldc, ep.p0, ep.p1);
    return;
  }
  for (int64_t i = 0; i < m; ++i) ep.act_fn(c + i * ldc + n0, n1 - n0, ep.p0, ep.p1);
}

void run_columns_f32(const TileSetF32& set, const TileF32& t, int64_t n, int64_t p0, int64_t p1) {
  int64_t n0 = p0 * kPanelWidth;
  const int64_t n1 = n < p1 * kPanelWidth ? n : p1 * kPanelWidth;
  for (int64_t left = column_units(n, p0, p1); left > 0;) {
    const int64_t u = next_units(set, left, t.rows);
    TileF32 g = t;
    g.b = t.b + n0 / kPanelWidth * t.panel_stride;
    g.c = t.c + n0;
    g.bias = t.bias != nullptr ? t.bias + n0 : kNoBias.v;
    if (t.residual != nullptr) g.residual = t.residual + n0;
    // A group of an odd number of units ends in a vector of one unit.
    g.tail = n1 < n0 + u * 8 ? static_cast<int>((n1 - n0) % (u % 2 != 0 ? 8 : set.lanes)) : 0;
    run_rows(set.fn[u], set.max_rows[u], g);
    n0 += u * 8;
    left -= u;
  }
}

void gemm_f32_tiles(const TileSetF32& set, const GemmF32& g, int64_t m0, int64_t m1, int64_t p0,
                    int64_t p1) {
  const int64_t n0 = p0 * kPanelWidth;
  const int64_t n1 = g.n < p1 * kPanelWidth ? g.n : p1 * kPanelWidth;
  if (n1 <= n0) return;
  TileF32 t = {};
  t.n_taps = 1;
  t.tap_len = g.k;
  t.lda = g.rows != nullptr ? 0 : g.lda;
  t.b = g.panels;
  t.panel_stride = g.k * kPanelWidth;
  t.ldc = g.ldc;
  set_epilogue_f32(g.ep, &t);
  const int64_t block = block_rows_f32(g.k, n1 - n0, set.max_rows[set.units]);
  for (int64_t m = m0; m < m1; m += block) {
    t.rows = m1 - m < block ? m1 - m : block;
    t.taps = g.rows != nullptr ? g.rows + m : nullptr;
    t.a = g.rows != nullptr ? nullptr : g.a + m * g.lda;
    t.c = g.c + m * g.ldc;
    t.residual = g.ep.residual != nullptr ? g.ep.residual + m * g.ep.residual_stride : nullptr;
    run_columns_f32(set, t, g.n, p0, p1);
    apply_act_rows_f32(g.ep, t.c, g.ldc, t.rows, n0, n1);
  }
}

void pack_panels_f32(const float* b, int64_t k, int64_t n, int64_t stride_k, int64_t stride_n,
                     float* out) {
  pack_f32_portable(b, k, n, stride_k, stride_n, 0, panels_f32_count(n), out);
}

#if SAMPAN_X86
namespace {

void gemm_avx2(const GemmF32& g, int64_t m0, int64_t m1, int64_t p0, int64_t p1) {
  gemm_f32_tiles(tiles_f32_avx2(), g, m0, m1, p0, p1);
}

void gemm_avx512(const GemmF32& g, int64_t m0, int64_t m1, int64_t p0, int64_t p1) {
  gemm_f32_tiles(tiles_f32_avx512(), g, m0, m1, p0, p1);
}

constexpr GemmF32Kernels kAvx512Kernels = {"gemm_f32_7x32_avx512", Isa::kAvx512, 7, 32, gemm_avx512,
                                           pack_f32_avx2};
constexpr GemmF32Kernels kAvx2Kernels = {"gemm_f32_6x16_avx2", Isa::kAvx2, 6, 16, gemm_avx2,
                                         pack_f32_avx2};

}  // namespace

const TileSetF32* tiles_f32(Isa isa) {
  if (isa >= Isa::kAvx512) return &tiles_f32_avx512();
  return isa >= Isa::kAvx2 ? &tiles_f32_avx2() : nullptr;
}
#else
const TileSetF32* tiles_f32(Isa) { return nullptr; }
#endif

const GemmF32Kernels& gemm_f32_kernels(Isa isa) {
  static constexpr GemmF32Kernels portable = {"gemm_f32_1x1_portable", Isa::kPortable,   1, 16,
                                              gemm_f32_portable,       pack_f32_portable};
#if SAMPAN_X86
  if (isa >= Isa::kAvx512) return kAvx512Kernels;
  if (isa >= Isa::kAvx2) return kAvx2Kernels;
#endif
  (void)isa;
  return portable;
}

}  // namespace sampan
