#include "ops/common/pool.h"

namespace sampan {
namespace {

enum { kKernel, kStrides, kPads, kDilations, kAutoPad, kCeil, kIncludePad, kLayout };

WindowAttrs window_attrs(const NodeView& node) {
  WindowAttrs a;
  a.layout = static_cast<Layout>(node.attr_int(kLayout));
  a.auto_pad = static_cast<AutoPad>(node.attr_int(kAutoPad));
  a.ceil_mode = node.attr_bool(kCeil);
  a.strides = &node.attr_list(kStrides);
  a.dilations = &node.attr_list(kDilations);
  a.pads = &node.attr_list(kPads);
  return a;
}

Status infer(InferContext& ctx) {
  return infer_pool(ctx, window_attrs(ctx), ctx.attr_list(kKernel));
}

Status prepare(PrepareContext& ctx) {
  const bool fast =
      compute_type(ctx.input(0).dtype) == DType::kFloat32 && ctx.input(0).shape.rank <= 4;
  ctx.kernel_name(fast ? pool_kernels(ctx.isa()).average_name : "average_pool_portable");
  return prepare_pool(ctx, window_attrs(ctx), &ctx.attr_list(kKernel));
}

Status run(RunContext& ctx) {
  return run_pool(ctx, [&](const PoolState& s, const auto* x, auto* y) {
    using T = std::remove_pointer_t<decltype(y)>;
    if constexpr (std::is_same<T, float>::value) {
      if (s.window.rank <= 2) {
        Pool2dF32 p = pool_2d_of(s);
        p.include_pad = ctx.attr_bool(kIncludePad);
        return run_pool_2d(ctx, s, p, pool_kernels(ctx.isa()).average, x, y);
      }
    }
    AveragePooling<T> pooling;
    pooling.include_pad = ctx.attr_bool(kIncludePad);
    run_windows(ctx, s, x, y, pooling);
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(AveragePool, 1)
    .doc(
        "The mean of each window: its elements added one after the other, then divided by their "
        "number (with count_include_pad: by that of its places in image and padding).")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_ints(sampan::kKernel, "kernel_shape", 1, sampan::kMaxWindowAttr)
    .attr_ints(sampan::kStrides, "strides", 1, sampan::kMaxWindowAttr)
    .attr_ints(sampan::kPads, "pads", 0, sampan::kMaxWindowAttr, sampan::kPadsDoc)
    .attr_ints(sampan::kDilations, "dilations", 1, sampan::kMaxWindowAttr)
    .attr_enum(sampan::kAutoPad, "auto_pad", sampan::kAutoPadChoices, 0, sampan::kAutoPadDoc)
    .attr_bool(sampan::kCeil, "ceil_mode", false, "round the output's extent up")
    .attr_bool(sampan::kIncludePad, "count_include_pad", false)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
