// Splitting a rectangle of results (rows x columns, repeated `outer` times) over threads.
#pragma once
#include <cstdint>

#include "core/op.h"

namespace sampan {

struct Grid {
  int64_t outer = 1;
  int64_t rows = 0, row_multiple = 1;  // cuts fall on multiples
  int64_t cols = 1, col_multiple = 1;
  double work = 0;  // multiply-adds, or the like, of the whole
};

// Calls fn(outer, row0, row1, col0, col1, thread) for rectangles that tile the grid: rows are cut
// first, columns only where rows are too few.
template <class F>
void run_grid(const RunContext& ctx, const Grid& g, F&& fn) {
  if (g.outer <= 0 || g.rows <= 0 || g.cols <= 0) return;
  constexpr double kWorkOfPart = 1 << 16;
  int64_t parts = 2 * static_cast<int64_t>(ctx.threads());
  if (g.work < kWorkOfPart * static_cast<double>(parts))
    parts = static_cast<int64_t>(g.work / kWorkOfPart);
  if (ctx.threads() == 1 || parts <= 1) {
    for (int64_t o = 0; o < g.outer; ++o) fn(o, int64_t{0}, g.rows, int64_t{0}, g.cols, 0);
    return;
  }
  const int64_t row_units = (g.rows + g.row_multiple - 1) / g.row_multiple;
  const int64_t col_units = (g.cols + g.col_multiple - 1) / g.col_multiple;
  const int64_t each = (parts + g.outer - 1) / g.outer;
  const int64_t row_blocks = row_units < each ? row_units : each;
  int64_t col_blocks = (each + row_blocks - 1) / row_blocks;
  if (col_blocks > col_units) col_blocks = col_units;
  const int64_t blocks = row_blocks * col_blocks;
  ctx.parallel_for(g.outer * blocks, 1, [&](int64_t begin, int64_t end, int thread) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t rb = i % blocks / col_blocks, cb = i % col_blocks;
      const int64_t r0 = row_units * rb / row_blocks * g.row_multiple;
      const int64_t c0 = col_units * cb / col_blocks * g.col_multiple;
      int64_t r1 = row_units * (rb + 1) / row_blocks * g.row_multiple;
      int64_t c1 = col_units * (cb + 1) / col_blocks * g.col_multiple;
      if (r1 > g.rows) r1 = g.rows;
      if (c1 > g.cols) c1 = g.cols;
      fn(i / blocks, r0, r1, c0, c1, thread);
    }
  });
}

}  // namespace sampan
