#include <cmath>

#include "kernels/math/f64.h"
#include "ops/common/pool.h"

namespace sampan {
namespace {

enum { kKernel, kStrides, kPads, kDilations, kAutoPad, kCeil, kP, kLayout };

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

template <class T>
struct LpPooling {
  int64_t p = 2;
  static T power(T x, double e) { return static_cast<T>(math::pow_f64(static_cast<double>(x), e)); }
  static void begin(T* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = 0;
  }
  void tap(T* y, const T* x, int64_t n) const {
    if (p == 1) {
      for (int64_t i = 0; i < n; ++i) y[i] += std::fabs(x[i]);
    } else if (p == 2) {
      for (int64_t i = 0; i < n; ++i) y[i] += x[i] * x[i];
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] += power(std::fabs(x[i]), static_cast<double>(p));
    }
  }
  void finish(T* y, int64_t n, int64_t, int64_t) const {
    if (p == 1) return;
    if (p == 2) {
      for (int64_t i = 0; i < n; ++i) y[i] = std::sqrt(y[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] = power(y[i], 1.0 / static_cast<double>(p));
    }
  }
};

Status infer(InferContext& ctx) {
  return infer_pool(ctx, window_attrs(ctx), ctx.attr_list(kKernel));
}

Status prepare(PrepareContext& ctx) {
  ctx.kernel_name("lp_pool_portable");
  return prepare_pool(ctx, window_attrs(ctx), &ctx.attr_list(kKernel));
}

Status run(RunContext& ctx) {
  return run_pool(ctx, [&](const PoolState& s, const auto* x, auto* y) {
    using T = std::remove_pointer_t<decltype(y)>;
    LpPooling<T> pooling;
    pooling.p = ctx.attr_int(kP);
    run_windows(ctx, s, x, y, pooling);
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(LpPool, 1)
    .doc("The p-norm of each window: the p-th root of the sum of |x|^p.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_ints(sampan::kKernel, "kernel_shape", 1, sampan::kMaxWindowAttr)
    .attr_ints(sampan::kStrides, "strides", 1, sampan::kMaxWindowAttr)
    .attr_ints(sampan::kPads, "pads", 0, sampan::kMaxWindowAttr, sampan::kPadsDoc)
    .attr_ints(sampan::kDilations, "dilations", 1, sampan::kMaxWindowAttr)
    .attr_enum(sampan::kAutoPad, "auto_pad", sampan::kAutoPadChoices, 0, sampan::kAutoPadDoc)
    .attr_bool(sampan::kCeil, "ceil_mode", false, "round the output's extent up")
    .attr_int(sampan::kP, "p", 2, 1, 1 << 20)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
