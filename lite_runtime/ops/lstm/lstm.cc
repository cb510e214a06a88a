#include "ops/common/recurrent.h"

namespace sampan {
namespace {

enum { kInputForget = kRnnClip + 1 };
enum { kInitialC = kRnnInitialH + 1, kPeepholes };
constexpr Activation kDefaults[] = {Activation::kSigmoid, Activation::kTanh, Activation::kTanh};

Status infer(InferContext& ctx) { return infer_recurrent(ctx, 4, 3); }

Status prepare(PrepareContext& ctx) {
  RecurrentState* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  ctx.kernel_name(rnn_kernels(ctx.isa()).lstm_name);
  return prepare_recurrent(ctx, s, 4, kDefaults, 3);
}

Status run(RunContext& ctx) {
  const RecurrentState& s = *ctx.state<RecurrentState>();
  const RnnKernels& kernels = rnn_kernels(ctx.isa());
  const auto sums = [&](const StepView& v) { v.multiply(ctx, v.h, v.sums, v.sums, 0, v.panels()); };
  return run_recurrent(ctx, s, true, sums, [&](const StepView& v, int64_t begin, int64_t end) {
    LstmCellF32 cell;
    cell.hidden = s.hidden;
    cell.f = s.activations[v.direction][0];
    cell.g = s.activations[v.direction][1];
    cell.h = s.activations[v.direction][2];
    if (ctx.has_input(kPeepholes))
      cell.peephole = ctx.input(kPeepholes).as<float>() + v.direction * 3 * s.hidden;
    cell.clip = ctx.attr_float(kRnnClip);
    cell.input_forget = ctx.attr_bool(kInputForget);
    kernels.lstm(cell, v.sums, v.cell, v.next, begin, end);
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(LSTM, 1)
    .doc(
        "Long short-term memory, gates in the order i, o, f, c: i = f(sum), f = f(sum), "
        "c = f * c + i * g(sum), o = f(sum), h = o * h(c). Activations f, g, h: Sigmoid, Tanh, "
        "Tanh.")
    .SAMPAN_RECURRENT_INPUTS.input("initial_c", sampan::kF32, sampan::kOptional)
    .input("peepholes", sampan::kF32, sampan::kOptional)
    .output("y", sampan::kOptional)
    .output("y_h", sampan::kOptional)
    .output("y_c", sampan::kOptional)
    .SAMPAN_RECURRENT_ATTRS.attr_bool(sampan::kInputForget, "input_forget", false, "f = 1 - i")
    .infer(sampan::infer)
    .panels(sampan::recurrent_panels)
    .kernel(sampan::prepare, sampan::run);
