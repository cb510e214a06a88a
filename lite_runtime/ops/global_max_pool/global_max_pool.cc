#include "ops/common/pool.h"

namespace sampan {
namespace {

enum { kLayout };

WindowAttrs window_attrs(const NodeView& node) {
  WindowAttrs a;
  a.layout = static_cast<Layout>(node.attr_int(kLayout));
  return a;
}

Status infer(InferContext& ctx) {
  return infer_global_pool(ctx, static_cast<Layout>(ctx.attr_int(kLayout)));
}

Status prepare(PrepareContext& ctx) {
  const bool fast =
      compute_type(ctx.input(0).dtype) == DType::kFloat32 && ctx.input(0).shape.rank <= 4;
  ctx.kernel_name(fast ? pool_kernels(ctx.isa()).max_name : "global_max_pool_portable");
  return prepare_pool(ctx, window_attrs(ctx), nullptr);
}

Status run(RunContext& ctx) {
  return run_pool(ctx, [&](const PoolState& s, const auto* x, auto* y) {
    using T = std::remove_pointer_t<decltype(y)>;
    if constexpr (std::is_same<T, float>::value) {
      if (s.window.rank <= 2)
        return run_pool_2d(ctx, s, pool_2d_of(s), pool_kernels(ctx.isa()).max, x, y);
    }
    run_windows(ctx, s, x, y, MaxPooling<T>());
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(GlobalMaxPool, 1)
    .doc("The greatest element of each channel. Spatial axes become 1.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
