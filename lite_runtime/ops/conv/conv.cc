#include "kernels/conv/conv.h"

#include <cinttypes>

#include "core/checked.h"
#include "kernels/depthwise/depthwise.h"
#include "ops/common/conv_common.h"
#include "ops/common/epilogue.h"
#include "ops/common/grid.h"
#include "ops/common/shape_rules.h"
#include "ops/common/spatial.h"

namespace sampan {
namespace {

enum { kX, kW, kBias, kResidual };
enum { kStrides, kPads, kDilations, kGroup, kAutoPad, kAct, kActAlpha, kActBeta, kLayout };

WindowAttrs window_attrs(const NodeView& node) {
  WindowAttrs a;
  a.layout = static_cast<Layout>(node.attr_int(kLayout));
  a.auto_pad = static_cast<AutoPad>(node.attr_int(kAutoPad));
  a.strides = &node.attr_list(kStrides);
  a.dilations = &node.attr_list(kDilations);
  a.pads = &node.attr_list(kPads);
  return a;
}

// ---- shapes --------------------------------------------------------------------------------

Status check_weight(InferContext& ctx, const WindowAttrs& attrs, const DimShape& x,
                    const DimShape& w) {
  DimMath& m = ctx.math();
  SAMPAN_RULE(w.rank == x.rank, "w has shape %s, x %s: both need the same rank",
              ShapeText(w).c_str(), ShapeText(x).c_str());
  const int axis = channel_axis(attrs.layout, x.rank);
  const int64_t group = ctx.attr_int(kGroup);
  SAMPAN_RULE(m.equal(m.mul(w[axis], group), x[axis]) != Tri::kNo,
              "x has %" PRId64 " channels, w %s takes %" PRId64 " in each of %" PRId64
              " groups: the channels must be the product",
              x[axis].value, ShapeText(w).c_str(), w[axis].value, group);
  SAMPAN_RULE(!w[0].known() || w[0].value % group == 0,
              "w has %" PRId64 " output channels, which %" PRId64 " groups do not divide",
              w[0].value, group);
  return Status();
}

Status infer(InferContext& ctx) {
  const WindowAttrs attrs = window_attrs(ctx);
  const DimShape &x = ctx.shape(kX), &w = ctx.shape(kW);
  SAMPAN_TRY(check_image(x, "x"));
  SAMPAN_TRY(check_weight(ctx, attrs, x, w));
  SAMPAN_TRY(check_activation(ctx, kAct, ctx.dtype(kX)));
  Dim kernel[kMaxSpatial], out[kMaxSpatial];
  for (int i = 0; i < x.rank - 2; ++i) kernel[i] = w[spatial_axis(attrs.layout, i)];
  SAMPAN_TRY(infer_window(ctx, attrs, x, kernel, out));
  DimShape y = x;
  for (int i = 0; i < x.rank - 2; ++i) y[spatial_axis(attrs.layout, i)] = out[i];
  y[channel_axis(attrs.layout, x.rank)] = w[0];
  if (ctx.has_input(kBias)) SAMPAN_TRY(check_bias(ctx, kBias, w[0]));
  if (ctx.has_input(kResidual)) SAMPAN_TRY(check_residual(ctx, kResidual, y));
  ctx.set_output(0, ctx.dtype(kX), y);
  return Status();
}

bool is_depthwise(int64_t group, int64_t channels_of_group) {
  return group > 1 && channels_of_group == 1;
}

bool panels(const NodeView& node, int input, const Shape& w, PanelSpec* out) {
  if (input != kW || w.rank < 3) return false;
  const Layout layout = static_cast<Layout>(node.attr_int(kLayout));
  const int64_t group = node.attr_int(kGroup), channels = w[channel_axis(layout, w.rank)];
  if (is_depthwise(group, channels) || group < 1 || w[0] % group != 0) return false;
  const int64_t k = w[0] == 0 ? 0 : w.elements() / w[0];
  // OIHW has no single stride along (kh, kw, ic) unless one of the two is 1.
  if (layout == Layout::kNchw && k != channels && channels != 1) return false;
  out->groups = group;
  out->n = w[0] / group;
  out->k = k;
  out->stride_k = 1;
  out->stride_n = k;
  out->stride_group = out->n * k;
  return true;
}

// ---- prepare -------------------------------------------------------------------------------

enum class Way : uint8_t { kDirect, kDepthwise, kVolume, kPlain };

struct State {
  Way way = Way::kDirect;
  Window window;
  int64_t images = 0, group = 1, in_channels = 0, out_channels = 0;  // channels of one group
  const ConvF32Kernels* direct = nullptr;
  const DepthwiseF32Kernels* depthwise = nullptr;
  const GemmF32Kernels* gemm = nullptr;
  ConvF32 shape;  // without pointers
  ConvWeightStrides strides = {};
  const float* weights = nullptr;  // in the kernel's order, if ready before the run
  Staged x, y, residual;
  int64_t at_w = 0, at_packed = 0, at_bias = 0, at_scratch = 0;
  int64_t scratch_bytes = 0;  // of one thread
  int64_t block = 0;          // rows gathered at a time (kVolume)

  int64_t k() const { return window.taps * in_channels; }
};

void fill_shape(State* s) {
  const Window& w = s->window;
  ConvF32& c = s->shape;
  c.channels = s->in_channels;
  c.groups = s->group;
  c.out_channels = s->out_channels;
  c.pixel_stride = s->group * s->in_channels;
  c.y_stride = s->group * s->out_channels;
  c.image_stride = w.in_pixels * c.pixel_stride;
  if (w.rank <= 2)
    lower_to_2d(w, &c);
  else
    c.kernel_h = w.taps;  // only packing looks at it
}

// Brings weights into the kernel's order.
void arrange_weights(const State& s, const float* w, float* out) {
  if (s.way != Way::kDepthwise) return pack_conv_f32(s.shape, w, s.strides, out);
  const int64_t channels = s.group * s.out_channels, taps = s.window.taps;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t t = 0; t < taps; ++t) out[t * channels + c] = w[c * taps + t];
}

Status plan_weights(PrepareContext& ctx, State* s, WorkspacePlan* plan) {
  const Tensor& w = ctx.input(kW);
  if (w.packing == Packing::kPanelsF32) {
    SAMPAN_CHECK(s->way != Way::kDepthwise, Code::kBadModel,
                 "w is stored as panels, which a depthwise convolution does not read");
    s->weights = w.as<float>();
    return Status();
  }
  int64_t floats = w.shape.elements(), bytes = 0;
  if (s->way != Way::kDepthwise)
    SAMPAN_TRY(conv_panel_floats(s->group, s->k(), s->out_channels, &floats));
  SAMPAN_CHECK(checked_mul(floats, 4, &bytes), Code::kLimit, "w is too large");
  if (ctx.is_constant(kW) && w.dtype == DType::kFloat32) {
    void* memory = nullptr;
    bool fresh = false;
    SAMPAN_TRY(ctx.constant_memory(0, static_cast<size_t>(bytes), &memory, &fresh));
    if (fresh) arrange_weights(*s, w.as<float>(), static_cast<float*>(memory));
    s->weights = static_cast<const float*>(memory);
    return Status();
  }
  if (w.dtype != DType::kFloat32) s->at_w = plan->add(w.shape.elements(), 4);
  s->at_packed = plan->add(floats, 4);
  return Status();
}

void choose_kernels(PrepareContext& ctx, State* s) {
  if (s->way == Way::kPlain) return ctx.kernel_name("conv_f64_portable");
  if (s->way == Way::kDepthwise) {
    s->depthwise = &depthwise_f32_kernels(ctx.isa());
    return ctx.kernel_name(s->depthwise->name);
  }
  if (s->way == Way::kVolume) {
    s->gemm = &gemm_f32_kernels(ctx.isa());
    const int64_t mr = s->gemm->mr, k = s->k() > 0 ? s->k() : 1;
    const int64_t rows = (int64_t{1} << 16) / k;
    s->block = rows < mr ? mr : rows / mr * mr;
    s->scratch_bytes = (s->block * k * 4 + 63) / 64 * 64;
    return ctx.kernel_name(s->gemm->name);
  }
  s->direct = &conv_f32_kernels(ctx.isa());
  s->scratch_bytes = (s->direct->workspace(s->shape) + 63) / 64 * 64;
  ctx.kernel_name(s->direct->name);
}

Status prepare(PrepareContext& ctx) {
  State* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const WindowAttrs attrs = window_attrs(ctx);
  const Tensor &x = ctx.input(kX), &w = ctx.input(kW), &y = ctx.output(0);
  const int rank = x.shape.rank;
  int64_t kernel[kMaxSpatial];
  for (int i = 0; i < rank - 2; ++i) kernel[i] = w.shape[spatial_axis(attrs.layout, i)];
  s->window = resolve_window(attrs, x.shape, y.shape, kernel);
  s->images = x.shape[0];
  s->group = ctx.attr_int(kGroup);
  s->in_channels = w.shape[channel_axis(attrs.layout, rank)];
  s->out_channels = w.shape[0] / s->group;
  s->strides = conv_weight_strides(attrs.layout, s->window, s->in_channels, s->out_channels);
  s->way = compute_type(x.dtype) != DType::kFloat32 ? Way::kPlain
           : s->window.rank > 2                     ? Way::kVolume
           : is_depthwise(s->group, s->in_channels) ? Way::kDepthwise
                                                    : Way::kDirect;
  fill_shape(s);
  choose_kernels(ctx, s);
  WorkspacePlan plan;
  s->x = plan_staged(x, attrs.layout, &plan);
  s->y = plan_staged(y, attrs.layout, &plan);
  if (ctx.has_input(kResidual))
    s->residual = plan_staged(ctx.input(kResidual), attrs.layout, &plan);
  if (s->way != Way::kPlain) {
    SAMPAN_TRY(plan_weights(ctx, s, &plan));
    if (ctx.has_input(kBias) && x.dtype != DType::kFloat32) s->at_bias = plan.add(w.shape[0], 4);
    s->at_scratch = plan.add(s->scratch_bytes, ctx.threads());
  }
  return plan.request(ctx);
}

// ---- run -----------------------------------------------------------------------------------

const float* weights_at_run(const RunContext& ctx, const State& s) {
  if (s.weights) return s.weights;
  float* out = workspace_at<float>(ctx, s.at_packed);
  arrange_weights(s, as_float(ctx, ctx.input(kW), s.at_w), out);
  return out;
}

double work_of(const State& s) {
  return static_cast<double>(s.images) * static_cast<double>(s.window.out_pixels) *
         static_cast<double>(s.group * s.out_channels) * static_cast<double>(s.k() + 1);
}

void run_direct(const RunContext& ctx, const State& s, const float* x, float* y,
                const EpilogueF32& ep, const float* weights) {
  ConvF32 c = s.shape;
  c.x = x;
  c.y = y;
  c.panels = weights;
  c.ep = ep;
  Grid grid;
  grid.rows = s.images * s.window.out_pixels;
  grid.row_multiple = s.direct->mr;
  grid.cols = conv_units(s.group, s.out_channels);
  grid.col_multiple = s.direct->nr > kPanelWidth ? s.direct->nr / kPanelWidth : 1;
  grid.work = work_of(s);
  char* scratch = workspace_at<char>(ctx, s.at_scratch);
  run_grid(ctx, grid, [&](int64_t, int64_t m0, int64_t m1, int64_t u0, int64_t u1, int thread) {
    s.direct->run(c, m0, m1, u0, u1, scratch + thread * s.scratch_bytes);
  });
}

DepthwiseF32 depthwise_shape(const State& s) {
  DepthwiseF32 d;
  const ConvF32& c = s.shape;
  d.pixel_stride = c.pixel_stride;
  d.in_h = c.in_h;
  d.in_w = c.in_w;
  d.kernel_h = c.kernel_h;
  d.kernel_w = c.kernel_w;
  d.stride_h = c.stride_h;
  d.stride_w = c.stride_w;
  d.dilation_h = c.dilation_h;
  d.dilation_w = c.dilation_w;
  d.pad_top = c.pad_top;
  d.pad_left = c.pad_left;
  d.out_h = c.out_h;
  d.out_w = c.out_w;
  d.channels = d.y_stride = c.y_stride;
  d.multiplier = s.out_channels;
  return d;
}

void run_depthwise(const RunContext& ctx, const State& s, const float* x, float* y,
                   const EpilogueF32& ep, const float* weights) {
  DepthwiseF32 d = depthwise_shape(s);
  d.w = weights;
  Grid grid;
  grid.outer = s.images;
  grid.rows = d.out_h;
  grid.cols = d.channels;
  grid.col_multiple = s.depthwise->channels * 4;
  grid.work = work_of(s);
  const int64_t image_y = s.window.out_pixels * d.y_stride;
  run_grid(ctx, grid, [&](int64_t image, int64_t r0, int64_t r1, int64_t c0, int64_t c1, int) {
    DepthwiseF32 part = d;
    part.x = x + image * s.shape.image_stride;
    part.y = y + image * image_y;
    part.ep = ep;
    if (ep.residual) part.ep.residual = ep.residual + image * image_y;
    s.depthwise->run(part, r0, r1, c0, c1);
  });
}

// Rows m0..m1 of group g of the matrix that three and more dimensions are lowered to.
void gather_rows(const State& s, const float* x, int64_t g, int64_t m0, int64_t m1, float* out) {
  const size_t bytes = static_cast<size_t>(s.in_channels) * sizeof(float);
  for (int64_t m = m0; m < m1; ++m) {
    const float* image = x + m / s.window.out_pixels * s.shape.image_stride + g * s.in_channels;
    TapWalk walk(s.window, m % s.window.out_pixels);
    for (int64_t t = 0; t < s.window.taps; ++t, walk.next(), out += s.in_channels) {
      const int64_t pixel = walk.pixel();
      if (pixel < 0)
        std::memset(out, 0, bytes);
      else
        std::memcpy(out, image + pixel * s.shape.pixel_stride, bytes);
    }
  }
}

void run_volume(const RunContext& ctx, const State& s, const float* x, float* y,
                const EpilogueF32& ep, const float* weights) {
  GemmF32 g;
  g.k = g.lda = s.k();
  g.n = s.out_channels;
  g.ldc = s.shape.y_stride;
  Grid grid;
  grid.outer = s.group;
  grid.rows = s.images * s.window.out_pixels;
  grid.row_multiple = s.gemm->mr;
  grid.cols = panels_f32_count(g.n);
  grid.work = work_of(s);
  char* scratch = workspace_at<char>(ctx, s.at_scratch);
  run_grid(ctx, grid,
           [&](int64_t group, int64_t m0, int64_t m1, int64_t p0, int64_t p1, int thread) {
             float* rows = reinterpret_cast<float*>(scratch + thread * s.scratch_bytes);
             GemmF32 part = g;
             part.a = rows;
             part.panels = weights + group * panels_f32_size(g.k, g.n);
             part.ep = ep;
             if (ep.bias) part.ep.bias = ep.bias + group * g.n;
             for (int64_t m = m0; m < m1; m += s.block) {
               const int64_t end = m1 - m < s.block ? m1 : m + s.block;
               gather_rows(s, x, group, m, end, rows);
               part.c = y + m * g.ldc + group * g.n;
               if (ep.residual) part.ep.residual = ep.residual + m * g.ldc + group * g.n;
               s.gemm->run(part, 0, end - m, p0, p1);
             }
           });
}

// One output element in float64.
double sum_f64(const State& s, const ConvWeightStrides& at, const double* image, const double* w,
               int64_t pixel, int64_t group, int64_t oc) {
  w += group * at.group + oc * at.oc;
  image += group * s.in_channels;
  // Taps are evenly spaced in both layouts.
  double sum = 0;
  TapWalk walk(s.window, pixel);
  for (int64_t t = 0; t < s.window.taps; ++t, walk.next()) {
    const int64_t from = walk.pixel();
    if (from < 0) continue;
    for (int64_t c = 0; c < s.in_channels; ++c)
      sum += image[from * s.shape.pixel_stride + c] * w[t * at.kx + c * at.ic];
  }
  return sum;
}

void run_f64(const RunContext& ctx, const State& s, const double* x, double* y,
             const double* residual) {
  const double* w = ctx.input(kW).as<double>();
  const double* bias = ctx.has_input(kBias) ? ctx.input(kBias).as<double>() : nullptr;
  const int64_t channels = s.shape.y_stride;
  const Activation act = static_cast<Activation>(ctx.attr_int(kAct));
  const double p0 = static_cast<double>(ctx.attr_float(kActAlpha));
  const double p1 = static_cast<double>(ctx.attr_float(kActBeta));
  ctx.parallel_for(s.images * s.window.out_pixels, grain_for_work(channels * s.k()),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t m = begin; m < end; ++m) {
                       const double* image = x + m / s.window.out_pixels * s.shape.image_stride;
                       for (int64_t c = 0; c < channels; ++c) {
                         double sum = sum_f64(s, s.strides, image, w, m % s.window.out_pixels,
                                              c / s.out_channels, c % s.out_channels);
                         if (bias) sum += bias[c];
                         if (residual) sum += residual[m * channels + c];
                         y[m * channels + c] = activate_f64(act, sum, p0, p1);
                       }
                     }
                   });
}

Status run(RunContext& ctx) {
  const State& s = *ctx.state<State>();
  Tensor& out = ctx.output(0);
  if (out.shape.elements() == 0) return Status();
  const void* x = stage_in(ctx, ctx.input(kX), s.x);
  const void* residual =
      ctx.has_input(kResidual) ? stage_in(ctx, ctx.input(kResidual), s.residual) : nullptr;
  void* y = stage_target(ctx, out, s.y);
  if (s.way == Way::kPlain) {
    run_f64(ctx, s, static_cast<const double*>(x), static_cast<double*>(y),
            static_cast<const double*>(residual));
  } else {
    EpilogueF32 ep = epilogue_of(ctx, kAct);
    if (ctx.has_input(kBias)) ep.bias = as_float(ctx, ctx.input(kBias), s.at_bias);
    ep.residual = static_cast<const float*>(residual);
    ep.residual_stride = s.shape.y_stride;
    const auto go = s.way == Way::kDirect      ? run_direct
                    : s.way == Way::kDepthwise ? run_depthwise
                                               : run_volume;
    go(ctx, s, static_cast<const float*>(x), static_cast<float*>(y), ep, weights_at_run(ctx, s));
  }
  stage_out(ctx, out, s.y);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Conv, 1)
    .doc(
        "activation(convolution of x with w + bias + residual). w is OIHW for NCHW and OHWI for "
        "NHWC; any number of spatial axes.")
    .input("x", sampan::kFloats)
    .input("w", sampan::kFloats, sampan::kPackable, 0)
    .input("bias", sampan::kFloats, sampan::kOptional, 0)
    .input("residual", sampan::kFloats, sampan::kOptional, 0)
    .output("y")
    .attr_ints(sampan::kStrides, "strides", 1, sampan::kMaxWindowAttr)
    .attr_ints(sampan::kPads, "pads", 0, sampan::kMaxWindowAttr, sampan::kPadsDoc)
    .attr_ints(sampan::kDilations, "dilations", 1, sampan::kMaxWindowAttr)
    .attr_int(sampan::kGroup, "group", 1, 1, sampan::kMaxWindowAttr)
    .attr_enum(sampan::kAutoPad, "auto_pad", sampan::kAutoPadChoices, 0, sampan::kAutoPadDoc)
    .attr_enum(sampan::kAct, "activation", sampan::kActivationChoices, 0, sampan::kActivationDoc)
    .attr_float(sampan::kActAlpha, "act_alpha", 0.0f)
    .attr_float(sampan::kActBeta, "act_beta", 0.0f)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .panels(sampan::panels)
    .kernel(sampan::prepare, sampan::run);
