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
  ctx.kernel_name(pool_kernels(ctx.isa()).global_average_name);
  return prepare_pool(ctx, window_attrs(ctx), nullptr);
}

// Channels are split in whole cache lines where there are fewer images than threads.
void run_global_average(const RunContext& ctx, const PoolState& s, const float* x, float* y) {
  const GlobalAverageF32Fn fn = pool_kernels(ctx.isa()).global_average;
  const int64_t pixels = s.window.in_pixels, n = s.channels, blocks = (n + 63) / 64;
  ctx.parallel_for(s.images * blocks, grain_for_work(pixels * 64), [&](int64_t b, int64_t e, int) {
    while (b < e) {
      const int64_t image = b / blocks, first = b % blocks;
      const int64_t count = e - b < blocks - first ? e - b : blocks - first;
      const int64_t c0 = first * 64, c1 = (first + count) * 64 < n ? (first + count) * 64 : n;
      fn(x + image * pixels * n + c0, pixels, c1 - c0, n, y + image * n + c0);
      b += count;
    }
  });
}

Status run(RunContext& ctx) {
  return run_pool(ctx, [&](const PoolState& s, const auto* x, auto* y) {
    using T = std::remove_pointer_t<decltype(y)>;
    if constexpr (std::is_same<T, float>::value) {
      return run_global_average(ctx, s, x, y);
    }
    run_windows(ctx, s, x, y, AveragePooling<T>());
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(GlobalAveragePool, 1)
    .doc(
        "The mean of each channel: its elements added one after the other, then divided by their "
        "number. Spatial axes become 1.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
