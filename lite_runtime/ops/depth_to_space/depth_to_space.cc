#include <cinttypes>

#include "ops/common/blocks.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kBlock, kMode, kLayout };

Layout layout_of(const NodeView& node) { return static_cast<Layout>(node.attr_int(kLayout)); }

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_RULE(x.rank == 4, "x has shape %s: expected a batch of images (rank 4)",
              ShapeText(x).c_str());
  DimMath& m = ctx.math();
  const int64_t block = ctx.attr_int(kBlock);
  const int axis = channel_axis(layout_of(ctx), 4);
  SAMPAN_RULE(!x[axis].known() || x[axis].value % (block * block) == 0,
              "x has %" PRId64 " channels, which blocks of %" PRId64 " x %" PRId64 " do not divide",
              x[axis].value, block, block);
  DimShape y = x;
  for (int i = 0; i < 2; ++i) {
    const int s = spatial_axis(layout_of(ctx), i);
    y[s] = m.mul(x[s], block);
  }
  y[axis] = m.divide_exact(x[axis], block * block);
  ctx.set_output(0, ctx.dtype(0), y);
  return Status();
}

Status run(RunContext& ctx) {
  run_block_move(ctx, layout_of(ctx), ctx.attr_int(kBlock), ctx.attr_int(kMode) == 0, true);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(DepthToSpace, 1)
    .doc(
        "Spreads groups of block_size^2 channels over blocks of pixels. DCR: the channels of a "
        "group "
        "lie far apart (block first); CRD: next to each other.")
    .input("x", sampan::kAnyType)
    .output("y")
    .attr_int(sampan::kBlock, "block_size", 1, 1, 1 << 15)
    .attr_enum(sampan::kMode, "mode", "DCR|CRD", 0)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::run);
