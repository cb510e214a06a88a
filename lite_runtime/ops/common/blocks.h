// DepthToSpace and SpaceToDepth: blocks of block x block pixels against groups of channels.
#pragma once
#include "ops/common/copy.h"
#include "ops/common/spatial.h"

namespace sampan {

// The move between a deep image [n, channels * block^2, h, w] and a wide one
// [n, channels, h * block, w * block]; Channel (row, column, channel) of the deep one is
// (row * block + column) * channels + channel (depth_first), else channel * block^2 + row * block +
// column.
inline void run_block_move(const RunContext& ctx, Layout layout, int64_t block, bool depth_first,
                           bool to_wide) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  if (y.shape.elements() == 0) return;
  const Shape& deep = to_wide ? x.shape : y.shape;
  const bool last = layout == Layout::kNhwc;
  const int64_t h = deep[last ? 1 : 2], w = deep[last ? 2 : 3];
  const int64_t depth = deep[last ? 3 : 1], channels = depth / (block * block);
  // Strides of a step in channel, row and column, in the deep and in the wide image.
  const int64_t deep_c = last ? 1 : h * w, deep_w = last ? depth : 1, deep_h = deep_w * w;
  const int64_t wide_c = last ? 1 : h * w * block * block, wide_w = last ? channels : 1;
  const int64_t wide_h = wide_w * w * block;
  const int64_t in_row = depth_first ? block * channels : block;
  const int64_t in_column = depth_first ? channels : 1;
  const int64_t in_channel = depth_first ? 1 : block * block;
  StridedCopy copy;
  const auto push = [&](int64_t dim, int64_t deep_stride, int64_t wide_stride) {
    copy.push(dim, to_wide ? wide_stride : deep_stride, to_wide ? deep_stride : wide_stride);
  };
  push(deep[0], depth * h * w, depth * h * w);
  if (!last) push(channels, in_channel * deep_c, wide_c);
  push(h, deep_h, wide_h * block);
  push(block, in_row * deep_c, wide_h);
  push(w, deep_w, wide_w * block);
  push(block, in_column * deep_c, wide_w);
  if (last) push(channels, in_channel * deep_c, wide_c);
  run_strided_copy(ctx, copy, y.data, x.data, dtype_size(x.dtype));
}

}  // namespace sampan
