// What LSTM, GRU and RNN share: shapes, weights in panels, the walk over time and directions.
//
// Each step computes sums = (h R + bias_r) + (x W + bias_w); the second part is one product for all
// steps. A sequence that has ended keeps its state; its outputs are 0.
#pragma once
#include <cstring>

#include "kernels/gemm/gemm.h"
#include "kernels/rnn/rnn.h"
#include "ops/common/epilogue.h"
#include "ops/common/spatial.h"

namespace sampan {

enum { kRnnX, kRnnW, kRnnR, kRnnBias, kRnnLengths, kRnnInitialH };
enum { kRnnDirection, kRnnBatchFirst, kRnnActivations, kRnnActAlpha, kRnnActBeta, kRnnClip };
constexpr const char* kDirectionChoices = "forward|reverse|bidirectional";

// Attributes and inputs that all three operators have. `gates` is 4, 3 or 1.
#define SAMPAN_RECURRENT_INPUTS                                                                  \
  input("x", ::sampan::kF32)                                                                     \
      .input("w", ::sampan::kF32, ::sampan::kPackable)                                           \
      .input("r", ::sampan::kF32, ::sampan::kPackable)                                           \
      .input("bias", ::sampan::kF32, ::sampan::kOptional)                                        \
      .input("sequence_lens", ::sampan::dtype_bit(::sampan::DType::kInt32), ::sampan::kOptional) \
      .input("initial_h", ::sampan::kF32, ::sampan::kOptional)
#define SAMPAN_RECURRENT_ATTRS                                                             \
  attr_enum(::sampan::kRnnDirection, "direction", ::sampan::kDirectionChoices, 0)          \
      .attr_bool(::sampan::kRnnBatchFirst, "batch_first", false,                           \
                 "x, y and the states begin with the batch axis (layout 1 of ONNX)")       \
      .attr_ints(::sampan::kRnnActivations, "activations", 1, 12,                          \
                 "for each direction; numbers as in the attribute `activation` of MatMul") \
      .attr_floats(::sampan::kRnnActAlpha, "activation_alpha")                             \
      .attr_floats(::sampan::kRnnActBeta, "activation_beta")                               \
      .attr_float(::sampan::kRnnClip, "clip", 0.0f, "limit of the sums; 0: none")

// functions: activations of one direction (3, 2 or 1).
Status infer_recurrent(InferContext& ctx, int gates, int functions);
bool recurrent_panels(const NodeView& node, int input, const Shape& shape, PanelSpec* out);

// A stack of matrices [groups][n][k] (the rows are columns of the product) in panels.
struct PackedWeights {
  int64_t groups = 0, k = 0, n = 0;
  const float* panels = nullptr;  // ready before the run
  int64_t at = 0;                 // else in the workspace, packed by each run
};

struct RecurrentState {
  const GemmF32Kernels* gemm = nullptr;
  int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 1, gates = 0;
  PackedWeights w, r;
  CellActivation activations[2][3];                          // by direction
  int64_t at_projected = 0;                                  // x W + bias_w: rows in the order of x
  int64_t at_sums = 0;                                       // of one step: [batch][gates * hidden]
  int64_t at_recurrent = 0;                                  // the same, for GRU
  int64_t at_h = 0, at_next = 0, at_cell = 0, at_extra = 0;  // [batch][hidden]
};
Status prepare_recurrent(PrepareContext& ctx, RecurrentState* s, int gates,
                         const Activation* defaults, int functions);

// What a cell sees of one step of one direction.
struct StepView {
  const RecurrentState& s;
  int direction;
  float* sums;       // x W + bias_w of each sequence; the cell adds the rest
  float* recurrent;  // room of the same size
  float* h;          // [batch][hidden]: the state before the step
  float* next;       // the state after it goes here
  float* cell;       // LSTM: in and out
  float* extra;
  const float* r_panels;
  const float* r_bias;  // or null

  // sums or any c [batch][gates * hidden] = a R + bias_r [+ residual], panels p0..p1.
  void multiply(const RunContext& ctx, const float* a, float* c, const float* residual, int64_t p0,
                int64_t p1) const;
  int64_t panels() const { return panels_f32_count(s.gates * s.hidden); }
};

// step(view, begin, end): the cell for sequences begin..end (their sums are complete or not, as the
// operator chose in `sums`); sums(view) is called once before, for all sequences.
template <class Sums, class Cell>
Status run_recurrent(RunContext& ctx, const RecurrentState& s, bool has_cell, Sums&& sums,
                     Cell&& cell);

namespace recurrent {

Status check_lengths(const RunContext& ctx, const RecurrentState& s);
const float* panels_at_run(const RunContext& ctx, const RecurrentState& s, const PackedWeights& w,
                           int input);
void project(const RunContext& ctx, const RecurrentState& s, const float* w_panels, int direction);
int64_t length_of(const RunContext& ctx, const RecurrentState& s, int64_t sequence);
// The row of x and of the projection that step `t` of a sequence reads.
int64_t row_of(const RunContext& ctx, const RecurrentState& s, int64_t t, int64_t sequence);
void load_state(const RunContext& ctx, const RecurrentState& s, int input, int direction,
                float* to);
void store_state(const RunContext& ctx, const RecurrentState& s, int output, int direction,
                 const float* from);
void clear_output(const RunContext& ctx);
void store_step(const RunContext& ctx, const RecurrentState& s, int direction, int64_t t,
                int64_t sequence, const float* h);

}  // namespace recurrent

template <class Sums, class Cell>
Status run_recurrent(RunContext& ctx, const RecurrentState& s, bool has_cell, Sums&& sums,
                     Cell&& cell) {
  using namespace recurrent;
  SAMPAN_TRY(check_lengths(ctx, s));
  clear_output(ctx);
  const float* w_panels = panels_at_run(ctx, s, s.w, kRnnW);
  const float* r_panels = panels_at_run(ctx, s, s.r, kRnnR);
  const int64_t width = s.gates * s.hidden;
  for (int d = 0; d < s.directions; ++d) {
    project(ctx, s, w_panels, d);
    const float* projected = workspace_at<float>(ctx, s.at_projected);
    StepView v{
        s,
        d,
        workspace_at<float>(ctx, s.at_sums),
        workspace_at<float>(ctx, s.at_recurrent),
        workspace_at<float>(ctx, s.at_h),
        workspace_at<float>(ctx, s.at_next),
        workspace_at<float>(ctx, s.at_cell),
        workspace_at<float>(ctx, s.at_extra),
        r_panels + d * panels_f32_size(s.hidden, width),
        ctx.has_input(kRnnBias) ? ctx.input(kRnnBias).as<float>() + (d * 2 + 1) * width : nullptr};
    load_state(ctx, s, kRnnInitialH, d, v.h);
    if (has_cell) load_state(ctx, s, kRnnInitialH + 1, d, v.cell);
    const bool backwards = ctx.attr_int(kRnnDirection) == 1 || d == 1;
    for (int64_t t = 0; t < s.steps; ++t) {
      for (int64_t b = 0; b < s.batch; ++b) {
        const int64_t length = length_of(ctx, s, b);
        const int64_t at = t >= length ? 0 : backwards ? length - 1 - t : t;
        std::memcpy(v.sums + b * width, projected + row_of(ctx, s, at, b) * width,
                    static_cast<size_t>(width) * sizeof(float));
      }
      sums(v);
      for (int64_t b = 0; b < s.batch; ++b) {
        const int64_t length = length_of(ctx, s, b);
        if (t >= length) continue;
        cell(v, b, b + 1);
        std::memcpy(v.h + b * s.hidden, v.next + b * s.hidden,
                    static_cast<size_t>(s.hidden) * sizeof(float));
        store_step(ctx, s, d, backwards ? length - 1 - t : t, b, v.h + b * s.hidden);
      }
    }
    store_state(ctx, s, 1, d, v.h);
    if (has_cell) store_state(ctx, s, 2, d, v.cell);
  }
  return Status();
}

}  // namespace sampan
