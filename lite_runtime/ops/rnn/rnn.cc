#include "kernels/math/math.h"
#include "ops/common/recurrent.h"

namespace sampan {
namespace {

constexpr Activation kDefaults[] = {Activation::kTanh};

Status infer(InferContext& ctx) { return infer_recurrent(ctx, 1, 1); }

Status prepare(PrepareContext& ctx) {
  RecurrentState* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  ctx.kernel_name(gemm_f32_kernels(ctx.isa()).name);
  return prepare_recurrent(ctx, s, 1, kDefaults, 1);
}

Status run(RunContext& ctx) {
  const RecurrentState& s = *ctx.state<RecurrentState>();
  const ActivationFn clip_fn = activation_fn(ctx.isa(), Activation::kClip);
  const float clip = ctx.attr_float(kRnnClip);
  const auto sums = [&](const StepView& v) { v.multiply(ctx, v.h, v.next, v.sums, 0, v.panels()); };
  return run_recurrent(ctx, s, false, sums, [&](const StepView& v, int64_t begin, int64_t end) {
    float* sum = v.next + begin * s.hidden;
    const int64_t n = (end - begin) * s.hidden;
    if (clip > 0.0f) clip_fn(sum, n, -clip, clip);
    const CellActivation& f = s.activations[v.direction][0];
    f.fn(sum, n, f.p0, f.p1);
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(RNN, 1)
    .doc("Simple recurrent network: h = f(x W + h R + bias). The activation f is Tanh.")
    .SAMPAN_RECURRENT_INPUTS.output("y", sampan::kOptional)
    .output("y_h", sampan::kOptional)
    .SAMPAN_RECURRENT_ATTRS.infer(sampan::infer)
    .panels(sampan::recurrent_panels)
    .kernel(sampan::prepare, sampan::run);
