// What the matrix product and the convolution share below their own loops: a tile function computes
// some rows of one group of columns, the rows being reached through pointers (one per tap) or a
// stride. Private to the kernels.
#pragma once
#include <cstdint>

#include "kernels/gemm/gemm.h"

namespace sampan {

struct TileF32 {
  // Row i of tap t starts at taps[t * tap_stride + i] and holds tap_len floats; K = n_taps *
  // tap_len. Without taps (null) there is one tap, whose row i starts at a + i * lda.
  const float* const* taps;
  int64_t tap_stride, n_taps, tap_len;
  const float* a;
  int64_t lda;
  const float* b;        // first panel of the group
  int64_t panel_stride;  // floats between panels
  float* c;
  int64_t ldc;
  int64_t rows;           // any multiple of the row count that the function is made for
  int tail;               // valid columns of the last vector, 0: all
  const float* bias;      // of the group's first column, or null (not in a call of a tile function)
  const float* residual;  // of the first row and column, or null
  int64_t residual_stride;
  float lo, hi;  // -inf and inf: no clip
};

using TileFnF32 = void (*)(const TileF32& t);

constexpr int kMaxTileRows = 12;
constexpr int kMaxTileUnits = 8;  // a unit is 8 columns

struct TileSetF32 {
  // fn[units][rows]; null where that tile is not made.
  TileFnF32 fn[kMaxTileUnits + 1][kMaxTileRows + 1];
  int max_rows[kMaxTileUnits + 1];  // rows of the tallest tile of this width, 0: no such width
  int units;                        // width of the main tile
  int lanes;                        // of the main vector
};

// Columns of panels p0..p1 of an n-column matrix in units of 8; a last panel of which at most 8
// columns exist counts as one.
inline int64_t column_units(int64_t n, int64_t p0, int64_t p1) {
  const int64_t end = n < p1 * kPanelWidth ? n : p1 * kPanelWidth;
  return (end - p0 * kPanelWidth + 7) / 8;
}

// Runs all rows (t.rows) of the columns that lie in panels p0..p1. `t` describes panel 0 of the
// matrix: b, c, bias and residual are shifted here. The tail is set here.
void run_columns_f32(const TileSetF32& set, const TileF32& t, int64_t n, int64_t p0, int64_t p1);

// Fills the epilogue fields of a tile that starts at row 0 and column 0 of the output.
void set_epilogue_f32(const EpilogueF32& ep, TileF32* t);

// Applies ep.act_fn, if there is one to apply, to rows 0..m of columns n0..n1 of c.
void apply_act_rows_f32(const EpilogueF32& ep, float* c, int64_t ldc, int64_t m, int64_t n0,
                        int64_t n1);

// Rows of a block whose inputs (k floats each) and outputs (n) stay in the second-level cache while
// the panels pass over it.
int64_t block_rows_f32(int64_t k, int64_t n, int64_t mr);

void gemm_f32_tiles(const TileSetF32& set, const GemmF32& g, int64_t m0, int64_t m1, int64_t p0,
                    int64_t p1);

// The tile set for an instruction set, or null where only the plain loops exist.
const TileSetF32* tiles_f32(Isa isa);
const TileSetF32& tiles_f32_avx2();
const TileSetF32& tiles_f32_avx512();

void gemm_f32_portable(const GemmF32& g, int64_t m0, int64_t m1, int64_t p0, int64_t p1);
void pack_f32_portable(const float* b, int64_t k, int64_t n, int64_t stride_k, int64_t stride_n,
                       int64_t p0, int64_t p1, float* out);
void pack_f32_avx2(const float* b, int64_t k, int64_t n, int64_t stride_k, int64_t stride_n,
                   int64_t p0, int64_t p1, float* out);

}  // namespace sampan
