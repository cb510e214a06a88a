#include "ops/common/recurrent.h"

#include <cinttypes>
#include <cstring>

#include "kernels/math/math.h"
#include "ops/common/conv_common.h"
#include "ops/common/grid.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

// Batch-first tensors have their axes in another order; `axis` counts [directions, batch, hidden].
int64_t state_row(const TensorContext& ctx, const RecurrentState& s, int direction, int64_t b) {
  return ctx.attr_bool(kRnnBatchFirst) ? b * s.directions + direction : direction * s.batch + b;
}

Status check_operand(InferContext& ctx, int i, const char* name, const DimShape& expected) {
  if (!ctx.has_input(i)) return Status();
  const DimShape& s = ctx.shape(i);
  bool same = s.rank == expected.rank;
  for (int d = 0; same && d < s.rank; ++d) same = ctx.math().equal(s[d], expected[d]) != Tri::kNo;
  SAMPAN_RULE(same, "%s has shape %s: expected %s", name, ShapeText(s).c_str(),
              ShapeText(expected).c_str());
  return Status();
}

DimShape shape_of(Dim a, Dim b, Dim c) {
  DimShape s;
  s.rank = 3;
  s[0] = a;
  s[1] = b;
  s[2] = c;
  return s;
}

Status check_activations(const NodeView& node, int wanted) {
  const AttrValue& list = node.attr_list(kRnnActivations);
  SAMPAN_RULE(list.size == 0 || list.size == wanted, "activations has %d entries: expected %d",
              static_cast<int>(list.size), wanted);
  for (int a : {kRnnActAlpha, kRnnActBeta}) {
    SAMPAN_RULE(node.attr_list(a).size == 0 || node.attr_list(a).size == list.size,
                "%s has %d entries, activations %d: they must agree",
                a == kRnnActAlpha ? "activation_alpha" : "activation_beta",
                static_cast<int>(node.attr_list(a).size), static_cast<int>(list.size));
  }
  return Status();
}

}  // namespace

Status infer_recurrent(InferContext& ctx, int gates, int functions) {
  const DimShape &x = ctx.shape(kRnnX), &w = ctx.shape(kRnnW), &r = ctx.shape(kRnnR);
  DimMath& m = ctx.math();
  SAMPAN_RULE(x.rank == 3 && w.rank == 3 && r.rank == 3, "x %s, w %s and r %s must have rank 3",
              ShapeText(x).c_str(), ShapeText(w).c_str(), ShapeText(r).c_str());
  const bool batch_first = ctx.attr_bool(kRnnBatchFirst);
  const int directions = ctx.attr_int(kRnnDirection) == 2 ? 2 : 1;
  const Dim steps = x[batch_first ? 1 : 0], batch = x[batch_first ? 0 : 1], hidden = r[2];
  const Dim width = m.mul(hidden, gates);
  SAMPAN_RULE(m.less(hidden, 1) != Tri::kYes, "r %s has no hidden units", ShapeText(r).c_str());
  SAMPAN_RULE(ctx.attr_float(kRnnClip) >= 0.0f, "clip is %g: it must be 0 (none) or more",
              static_cast<double>(ctx.attr_float(kRnnClip)));
  SAMPAN_TRY(check_operand(ctx, kRnnW, "w", shape_of(directions, width, x[2])));
  SAMPAN_TRY(check_operand(ctx, kRnnR, "r", shape_of(directions, width, hidden)));
  DimShape bias = shape_of(directions, m.mul(width, 2), 0), lengths = shape_of(batch, 0, 0);
  bias.rank = 2;
  lengths.rank = 1;
  SAMPAN_TRY(check_operand(ctx, kRnnBias, "bias", bias));
  SAMPAN_TRY(check_operand(ctx, kRnnLengths, "sequence_lens", lengths));
  const DimShape state =
      batch_first ? shape_of(batch, directions, hidden) : shape_of(directions, batch, hidden);
  SAMPAN_TRY(check_operand(ctx, kRnnInitialH, "initial_h", state));
  if (gates == 4) {
    SAMPAN_TRY(check_operand(ctx, kRnnInitialH + 1, "initial_c", state));
    DimShape peepholes = shape_of(directions, m.mul(hidden, 3), 0);
    peepholes.rank = 2;
    SAMPAN_TRY(check_operand(ctx, kRnnInitialH + 2, "peepholes", peepholes));
  }
  SAMPAN_TRY(check_activations(ctx, directions * functions));
  DimShape y =
      batch_first ? shape_of(batch, steps, directions) : shape_of(steps, directions, batch);
  y.rank = 4;
  y[3] = hidden;
  ctx.set_output(0, DType::kFloat32, y);
  for (int i = 1; i < ctx.num_outputs(); ++i) ctx.set_output(i, DType::kFloat32, state);
  return Status();
}

bool recurrent_panels(const NodeView&, int input, const Shape& shape, PanelSpec* out) {
  if ((input != kRnnW && input != kRnnR) || shape.rank != 3) return false;
  out->groups = shape[0];
  out->n = shape[1];
  out->k = shape[2];
  out->stride_k = 1;
  out->stride_n = shape[2];
  out->stride_group = shape[1] * shape[2];
  return true;
}

// ---- prepare -------------------------------------------------------------------------------

namespace {

void pack(const GemmF32Kernels& gemm, const PackedWeights& w, const float* from, float* to) {
  for (int64_t g = 0; g < w.groups; ++g)
    gemm.pack(from + g * w.n * w.k, w.k, w.n, 1, w.k, 0, panels_f32_count(w.n),
              to + g * panels_f32_size(w.k, w.n));
}

Status plan_weights(PrepareContext& ctx, const GemmF32Kernels& gemm, int input, PackedWeights* w,
                    WorkspacePlan* plan) {
  const Tensor& t = ctx.input(input);
  w->groups = t.shape[0];
  w->n = t.shape[1];
  w->k = t.shape[2];
  int64_t floats = 0;
  SAMPAN_TRY(conv_panel_floats(w->groups, w->k, w->n, &floats));
  if (t.packing == Packing::kPanelsF32) {
    w->panels = t.as<float>();
  } else if (ctx.is_constant(input)) {
    void* memory = nullptr;
    bool fresh = false;
    SAMPAN_TRY(ctx.constant_memory(input, static_cast<size_t>(floats) * 4, &memory, &fresh));
    if (fresh) pack(gemm, *w, t.as<float>(), static_cast<float*>(memory));
    w->panels = static_cast<const float*>(memory);
  } else {
    w->at = plan->add(floats, 4);
  }
  return Status();
}

CellActivation cell_activation(const PrepareContext& ctx, const Activation* defaults, int functions,
                               int direction, int i) {
  CellActivation a;
  const AttrValue& list = ctx.attr_list(kRnnActivations);
  const int at = direction * functions + i;
  const Activation kind = list.size ? static_cast<Activation>(list.ints[at]) : defaults[i];
  a.fn = activation_fn(ctx.isa(), kind);
  if (ctx.attr_list(kRnnActAlpha).size) a.p0 = ctx.attr_list(kRnnActAlpha).floats[at];
  if (ctx.attr_list(kRnnActBeta).size) a.p1 = ctx.attr_list(kRnnActBeta).floats[at];
  return a;
}

}  // namespace

Status prepare_recurrent(PrepareContext& ctx, RecurrentState* s, int gates,
                         const Activation* defaults, int functions) {
  const Shape& x = ctx.input(kRnnX).shape;
  const bool batch_first = ctx.attr_bool(kRnnBatchFirst);
  s->gemm = &gemm_f32_kernels(ctx.isa());
  s->steps = x[batch_first ? 1 : 0];
  s->batch = x[batch_first ? 0 : 1];
  s->inputs = x[2];
  s->hidden = ctx.input(kRnnR).shape[2];
  s->directions = ctx.attr_int(kRnnDirection) == 2 ? 2 : 1;
  s->gates = gates;
  for (int d = 0; d < s->directions; ++d)
    for (int i = 0; i < functions; ++i)
      s->activations[d][i] = cell_activation(ctx, defaults, functions, d, i);
  WorkspacePlan plan;
  SAMPAN_TRY(plan_weights(ctx, *s->gemm, kRnnW, &s->w, &plan));
  SAMPAN_TRY(plan_weights(ctx, *s->gemm, kRnnR, &s->r, &plan));
  const int64_t width = gates * s->hidden;
  s->at_projected = plan.add(s->steps * s->batch * width, 4);
  s->at_sums = plan.add(s->batch * width, 4);
  s->at_recurrent = plan.add(s->batch * width, 4);
  s->at_h = plan.add(s->batch * s->hidden, 4);
  s->at_next = plan.add(s->batch * s->hidden, 4);
  s->at_cell = plan.add(s->batch * s->hidden, 4);
  s->at_extra = plan.add(s->batch * s->hidden, 4);
  return plan.request(ctx);
}

// ---- run -----------------------------------------------------------------------------------

void StepView::multiply(const RunContext& ctx, const float* a, float* c, const float* residual,
                        int64_t p0, int64_t p1) const {
  GemmF32 g;
  g.a = a;
  g.lda = g.k = s.hidden;
  g.panels = r_panels;
  g.c = c;
  g.n = g.ldc = s.gates * s.hidden;
  g.ep.bias = r_bias;
  g.ep.residual = residual;
  g.ep.residual_stride = g.ldc;
  Grid grid;
  grid.rows = s.batch;
  grid.row_multiple = s.gemm->mr;
  grid.cols = p1 - p0;
  grid.work =
      static_cast<double>(s.batch * s.hidden) * static_cast<double>((p1 - p0) * kPanelWidth);
  run_grid(ctx, grid, [&](int64_t, int64_t r0, int64_t r1, int64_t c0, int64_t c1, int) {
    s.gemm->run(g, r0, r1, p0 + c0, p0 + c1);
  });
}

namespace recurrent {

Status check_lengths(const RunContext& ctx, const RecurrentState& s) {
  if (!ctx.has_input(kRnnLengths)) return Status();
  const int32_t* lengths = ctx.input(kRnnLengths).as<int32_t>();
  for (int64_t b = 0; b < s.batch; ++b)
    SAMPAN_CHECK(lengths[b] >= 0 && lengths[b] <= s.steps, Code::kDataError,
                 "sequence_lens[%" PRId64 "] is %d: it must be between 0 and the %" PRId64
                 " steps of x",
                 b, static_cast<int>(lengths[b]), s.steps);
  return Status();
}

int64_t length_of(const RunContext& ctx, const RecurrentState& s, int64_t sequence) {
  return ctx.has_input(kRnnLengths) ? ctx.input(kRnnLengths).as<int32_t>()[sequence] : s.steps;
}

const float* panels_at_run(const RunContext& ctx, const RecurrentState& s, const PackedWeights& w,
                           int input) {
  if (w.panels) return w.panels;
  float* to = workspace_at<float>(ctx, w.at);
  pack(*s.gemm, w, ctx.input(input).as<float>(), to);
  return to;
}

void project(const RunContext& ctx, const RecurrentState& s, const float* w_panels, int direction) {
  GemmF32 g;
  g.a = ctx.input(kRnnX).as<float>();
  g.lda = g.k = s.inputs;
  g.n = g.ldc = s.gates * s.hidden;
  g.panels = w_panels + direction * panels_f32_size(g.k, g.n);
  g.c = workspace_at<float>(ctx, s.at_projected);
  if (ctx.has_input(kRnnBias)) g.ep.bias = ctx.input(kRnnBias).as<float>() + direction * 2 * g.n;
  Grid grid;
  grid.rows = s.steps * s.batch;
  grid.row_multiple = s.gemm->mr;
  grid.cols = panels_f32_count(g.n);
  grid.work = static_cast<double>(grid.rows * g.n) * static_cast<double>(g.k + 1);
  run_grid(ctx, grid, [&](int64_t, int64_t r0, int64_t r1, int64_t c0, int64_t c1, int) {
    s.gemm->run(g, r0, r1, c0, c1);
  });
}

int64_t row_of(const RunContext& ctx, const RecurrentState& s, int64_t t, int64_t sequence) {
  return ctx.attr_bool(kRnnBatchFirst) ? sequence * s.steps + t : t * s.batch + sequence;
}

void load_state(const RunContext& ctx, const RecurrentState& s, int input, int direction,
                float* to) {
  const size_t bytes = static_cast<size_t>(s.hidden) * sizeof(float);
  for (int64_t b = 0; b < s.batch; ++b) {
    if (ctx.has_input(input))
      std::memcpy(to + b * s.hidden,
                  ctx.input(input).as<float>() + state_row(ctx, s, direction, b) * s.hidden, bytes);
    else
      std::memset(to + b * s.hidden, 0, bytes);
  }
}

void store_state(const RunContext& ctx, const RecurrentState& s, int output, int direction,
                 const float* from) {
  if (!ctx.has_output(output)) return;
  for (int64_t b = 0; b < s.batch; ++b)
    std::memcpy(ctx.output(output).as<float>() + state_row(ctx, s, direction, b) * s.hidden,
                from + b * s.hidden, static_cast<size_t>(s.hidden) * sizeof(float));
}

void clear_output(const RunContext& ctx) {
  if (ctx.has_output(0) && ctx.has_input(kRnnLengths))
    std::memset(ctx.output(0).data, 0, ctx.output(0).bytes());
}

void store_step(const RunContext& ctx, const RecurrentState& s, int direction, int64_t t,
                int64_t sequence, const float* h) {
  if (!ctx.has_output(0)) return;
  const int64_t row = ctx.attr_bool(kRnnBatchFirst)
                          ? (sequence * s.steps + t) * s.directions + direction
                          : (t * s.directions + direction) * s.batch + sequence;
  std::memcpy(ctx.output(0).as<float>() + row * s.hidden, h,
              static_cast<size_t>(s.hidden) * sizeof(float));
}

}  // namespace recurrent
}  // namespace sampan
