#include "ops/common/softmax.h"

namespace sampan {
namespace {

enum { kAxis };

Status prepare(PrepareContext& ctx) {
  return prepare_softmax(ctx, softmax_kernels(ctx.isa()).log_softmax_name);
}

Status run(RunContext& ctx) {
  const SoftmaxF32Fn fast = softmax_kernels(ctx.isa()).log_softmax;
  return run_softmax(ctx, fast, [](const auto* x, auto* y, int64_t n, int64_t stride) {
    const auto m = row_max(x, n, stride);
    const auto log_sum = log_of(exp_sum(x, n, stride, m));
    for (int64_t i = 0; i < n; ++i) y[i * stride] = x[i * stride] - m - log_sum;
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(LogSoftmax, 1)
    .doc("x - max - log(sum(exp(x - max))) along one axis.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_int(sampan::kAxis, "axis", -1, -sampan::kMaxRank, sampan::kMaxRank - 1)
    .infer(sampan::infer_softmax)
    .in_place(0)
    .kernel(sampan::prepare, sampan::run);
