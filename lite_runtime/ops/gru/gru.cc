#include <cstring>

#include "ops/common/recurrent.h"

namespace sampan {
namespace {

enum { kLinearBeforeReset = kRnnClip + 1 };
constexpr Activation kDefaults[] = {Activation::kSigmoid, Activation::kTanh};

Status infer(InferContext& ctx) { return infer_recurrent(ctx, 3, 2); }

Status prepare(PrepareContext& ctx) {
  RecurrentState* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  ctx.kernel_name(rnn_kernels(ctx.isa()).gru_name);
  return prepare_recurrent(ctx, s, 3, kDefaults, 2);
}

GruCellF32 cell_of(const RunContext& ctx, const RecurrentState& s, int direction) {
  GruCellF32 cell;
  cell.hidden = s.hidden;
  cell.f = s.activations[direction][0];
  cell.g = s.activations[direction][1];
  cell.clip = ctx.attr_float(kRnnClip);
  cell.linear_before_reset = ctx.attr_bool(kLinearBeforeReset);
  return cell;
}

// Completes the sums of z and r, and leaves the candidate's recurrent part, [batch][hidden] dense,
// in v.next.
void sums_of(const RunContext& ctx, const RnnKernels& kernels, const StepView& v) {
  const RecurrentState& s = v.s;
  const GruCellF32 cell = cell_of(ctx, s, v.direction);
  const int64_t width = 3 * s.hidden;
  const int64_t gates_end = cell.linear_before_reset ? v.panels() : panels_f32_count(2 * s.hidden);
  v.multiply(ctx, v.h, v.recurrent, nullptr, 0, gates_end);
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t i = 0; i < 2 * s.hidden; ++i)
      v.sums[b * width + i] = v.recurrent[b * width + i] + v.sums[b * width + i];
  kernels.gru_reset(cell, v.sums, v.h, v.extra, 0, s.batch);
  if (!cell.linear_before_reset)
    v.multiply(ctx, v.extra, v.recurrent, nullptr, 2 * s.hidden / kPanelWidth, v.panels());
  for (int64_t b = 0; b < s.batch; ++b)
    std::memcpy(v.extra + b * s.hidden, v.recurrent + b * width + 2 * s.hidden,
                static_cast<size_t>(s.hidden) * sizeof(float));
}

Status run(RunContext& ctx) {
  const RecurrentState& s = *ctx.state<RecurrentState>();
  const RnnKernels& kernels = rnn_kernels(ctx.isa());
  const auto sums = [&](const StepView& v) { sums_of(ctx, kernels, v); };
  return run_recurrent(ctx, s, false, sums, [&](const StepView& v, int64_t begin, int64_t end) {
    kernels.gru_output(cell_of(ctx, s, v.direction), v.sums, v.extra, v.h, v.next, begin, end);
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(GRU, 1)
    .doc(
        "Gated recurrent unit, gates in the order z, r, h: z = f(sum), r = f(sum), candidate = "
        "g(x W + (r * h) R), or with linear_before_reset g(x W + r * (h R + bias)); "
        "h = (1 - z) * candidate + z * h. Activations f, g: Sigmoid, Tanh.")
    .SAMPAN_RECURRENT_INPUTS.output("y", sampan::kOptional)
    .output("y_h", sampan::kOptional)
    .SAMPAN_RECURRENT_ATTRS.attr_bool(sampan::kLinearBeforeReset, "linear_before_reset", false)
    .infer(sampan::infer)
    .panels(sampan::recurrent_panels)
    .kernel(sampan::prepare, sampan::run);
