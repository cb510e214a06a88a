#include <cinttypes>

#include "ops/common/blocks.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kBlock, kLayout };

Layout layout_of(const NodeView& node) { return static_cast<Layout>(node.attr_int(kLayout)); }

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_RULE(x.rank == 4, "x has shape %s: expected a batch of images (rank 4)",
              ShapeText(x).c_str());
  DimMath& m = ctx.math();
  const int64_t block = ctx.attr_int(kBlock);
  DimShape y = x;
  for (int i = 0; i < 2; ++i) {
    const int s = spatial_axis(layout_of(ctx), i);
    SAMPAN_RULE(!x[s].known() || x[s].value % block == 0,
                "axis %d of x %s is no multiple of block_size %" PRId64, s, ShapeText(x).c_str(),
                block);
    y[s] = m.divide_exact(x[s], block);
  }
  const int axis = channel_axis(layout_of(ctx), 4);
  y[axis] = m.mul(x[axis], block * block);
  ctx.set_output(0, ctx.dtype(0), y);
  return Status();
}

Status run(RunContext& ctx) {
  run_block_move(ctx, layout_of(ctx), ctx.attr_int(kBlock), true, false);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(SpaceToDepth, 1)
    .doc("Gathers blocks of block_size x block_size pixels into channels, block first.")
    .input("x", sampan::kAnyType)
    .output("y")
    .attr_int(sampan::kBlock, "block_size", 1, 1, 1 << 15)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::run);
