#include <cinttypes>
#include <cmath>

#include "core/checked.h"
#include "kernels/conv/conv.h"
#include "ops/common/conv_common.h"
#include "ops/common/epilogue.h"
#include "ops/common/grid.h"
#include "ops/common/shape_rules.h"
#include "ops/common/spatial.h"

namespace sampan {
namespace {

enum { kX, kW, kBias };
enum {
  kStrides,
  kPads,
  kDilations,
  kGroup,
  kAutoPad,
  kOutputPadding,
  kOutputShape,
  kAct,
  kActAlpha,
  kActBeta,
  kLayout
};

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

Status check_attrs(const NodeView& node, const WindowAttrs& attrs, int spatial) {
  SAMPAN_TRY(check_window_attrs(attrs, spatial));
  const int names[] = {kOutputPadding, kOutputShape};
  for (int a : names) {
    const AttrValue& list = node.attr_list(a);
    SAMPAN_RULE(list.size == 0 || list.size == spatial,
                "%s has %d entries, the input has %d spatial axes: give one entry for each",
                a == kOutputPadding ? "output_padding" : "output_shape",
                static_cast<int>(list.size), spatial);
  }
  // The kernels keep weights for each phase of the output.
  double phases = 1;
  for (int i = 0; i < spatial; ++i) phases *= static_cast<double>(attrs.stride(i));
  SAMPAN_RULE(phases <= 1 << 20, "the product of the strides is %g: at most %d is supported",
              phases, 1 << 20);
  return Status();
}

// What the output would measure without any padding taken off.
Dim full_extent(InferContext& ctx, const WindowAttrs& attrs, Dim in, Dim kernel, int i) {
  DimMath& m = ctx.math();
  const AttrValue& extra = ctx.attr_list(kOutputPadding);
  const Dim reach = m.mul(m.sub(kernel, 1), attrs.dilation(i));
  const Dim last = m.mul(m.sub(in, 1), attrs.stride(i));
  return m.add(m.add(last, reach), extra.size ? extra.ints[i] + 1 : 1);
}

Status infer_extent(InferContext& ctx, const WindowAttrs& attrs, Dim in, Dim kernel, int i,
                    int spatial, Dim* out) {
  DimMath& m = ctx.math();
  SAMPAN_RULE(m.less(kernel, 1) != Tri::kYes, "the kernel's extent in spatial axis %d is 0", i);
  SAMPAN_RULE(m.less(in, 1) != Tri::kYes, "x has no elements in spatial axis %d", i);
  const AttrValue& asked = ctx.attr_list(kOutputShape);
  if (asked.size) {
    *out = asked.ints[i];
  } else if (attrs.auto_pad == AutoPad::kSameUpper || attrs.auto_pad == AutoPad::kSameLower) {
    *out = m.mul(in, attrs.stride(i));
  } else {
    const Dim pads = m.add(attrs.pad(i), attrs.pad(spatial + i));
    *out = m.sub(full_extent(ctx, attrs, in, kernel, i), pads);
    SAMPAN_RULE(!out->known() || out->value >= 1,
                "spatial axis %d would have %" PRId64 " elements: pads take off more than there is",
                i, out->value);
  }
  return Status();
}

Status infer(InferContext& ctx) {
  const WindowAttrs attrs = window_attrs(ctx);
  const DimShape &x = ctx.shape(kX), &w = ctx.shape(kW);
  DimMath& m = ctx.math();
  SAMPAN_TRY(check_image(x, "x"));
  SAMPAN_RULE(w.rank == x.rank, "w has shape %s, x %s: both need the same rank",
              ShapeText(w).c_str(), ShapeText(x).c_str());
  const int spatial = x.rank - 2, axis = channel_axis(attrs.layout, x.rank);
  const int64_t group = ctx.attr_int(kGroup);
  SAMPAN_RULE(m.equal(w[0], x[axis]) != Tri::kNo,
              "x has %" PRId64 " channels, w %s is for %" PRId64, x[axis].value,
              ShapeText(w).c_str(), w[0].value);
  SAMPAN_RULE(!w[0].known() || w[0].value % group == 0,
              "x has %" PRId64 " channels, which %" PRId64 " groups do not divide", w[0].value,
              group);
  SAMPAN_TRY(check_activation(ctx, kAct, ctx.dtype(kX)));
  SAMPAN_TRY(check_attrs(ctx, attrs, spatial));
  DimShape y = x;
  for (int i = 0; i < spatial; ++i) {
    const int a = spatial_axis(attrs.layout, i);
    SAMPAN_TRY(infer_extent(ctx, attrs, x[a], w[a], i, spatial, &y[a]));
  }
  y[axis] = m.mul(w[axis], group);
  if (ctx.has_input(kBias)) SAMPAN_TRY(check_bias(ctx, kBias, y[axis]));
  ctx.set_output(0, ctx.dtype(kX), y);
  return Status();
}

// ---- prepare -------------------------------------------------------------------------------

struct State {
  Window window;  // kernel, stride, ... of the definition; in and out are those of x and y
  int64_t images = 0, group = 1, in_channels = 0, out_channels = 0;  // channels of one group
  const ConvF32Kernels* kernels = nullptr;                           // null: plain loops
  ConvF32 shape;
  ConvWeightStrides strides = {};
  const float* weights = nullptr;
  Staged x, y;
  int64_t at_w = 0, at_packed = 0, at_bias = 0, at_scratch = 0, scratch_bytes = 0;
};

Window resolve(const NodeView& node, const WindowAttrs& attrs, const Shape& x, const Shape& w,
               const Shape& y) {
  int64_t kernel[kMaxSpatial];
  for (int i = 0; i < x.rank - 2; ++i) kernel[i] = w[spatial_axis(attrs.layout, i)];
  WindowAttrs explicit_pads = attrs;
  const bool computed = attrs.auto_pad == AutoPad::kSameUpper ||
                        attrs.auto_pad == AutoPad::kSameLower ||
                        node.attr_list(kOutputShape).size > 0;
  if (computed) explicit_pads.auto_pad = AutoPad::kValid;
  Window r = resolve_window(explicit_pads, x, y, kernel);
  if (!computed) return r;
  const AttrValue& extra = node.attr_list(kOutputPadding);
  for (int i = 0; i < r.rank; ++i) {
    const int64_t full = (r.in[i] - 1) * r.stride[i] + (r.kernel[i] - 1) * r.dilation[i] + 1 +
                         (extra.size ? extra.ints[i] : 0);
    const int64_t total = full > r.out[i] ? full - r.out[i] : 0;
    r.pad[i] = attrs.auto_pad == AutoPad::kSameUpper ? total / 2 : total - total / 2;
  }
  return r;
}

Status plan_weights(PrepareContext& ctx, State* s, WorkspacePlan* plan) {
  const Tensor& w = ctx.input(kW);
  int64_t floats = 0, bytes = 0;
  SAMPAN_TRY(
      conv_panel_floats(s->group, s->window.taps * s->in_channels, s->out_channels, &floats));
  SAMPAN_CHECK(checked_mul(floats, 4, &bytes), Code::kLimit, "w is too large");
  if (ctx.is_constant(kW) && w.dtype == DType::kFloat32) {
    void* memory = nullptr;
    bool fresh = false;
    SAMPAN_TRY(ctx.constant_memory(0, static_cast<size_t>(bytes), &memory, &fresh));
    if (fresh)
      pack_conv_transpose_f32(s->shape, w.as<float>(), s->strides, static_cast<float*>(memory));
    s->weights = static_cast<const float*>(memory);
    return Status();
  }
  if (w.dtype != DType::kFloat32) s->at_w = plan->add(w.shape.elements(), 4);
  s->at_packed = plan->add(floats, 4);
  return Status();
}

void fill_shape(State* s) {
  ConvF32& c = s->shape;
  c.channels = s->in_channels;
  c.groups = s->group;
  c.out_channels = s->out_channels;
  c.pixel_stride = s->group * s->in_channels;
  c.y_stride = s->group * s->out_channels;
  c.image_stride = s->window.in_pixels * c.pixel_stride;
  if (s->window.rank <= 2) lower_to_2d(s->window, &c);
}

Status prepare(PrepareContext& ctx) {
  State* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const WindowAttrs attrs = window_attrs(ctx);
  const Tensor &x = ctx.input(kX), &w = ctx.input(kW), &y = ctx.output(0);
  s->window = resolve(ctx, attrs, x.shape, w.shape, y.shape);
  s->images = x.shape[0];
  s->group = ctx.attr_int(kGroup);
  s->in_channels = w.shape[0] / s->group;
  s->out_channels = w.shape[channel_axis(attrs.layout, w.shape.rank)];
  s->strides =
      conv_transpose_weight_strides(attrs.layout, s->window, s->in_channels, s->out_channels);
  fill_shape(s);
  WorkspacePlan plan;
  s->x = plan_staged(x, attrs.layout, &plan);
  s->y = plan_staged(y, attrs.layout, &plan);
  if (ctx.has_input(kBias) && compute_type(x.dtype) != x.dtype)
    s->at_bias = plan.add(ctx.input(kBias).shape.elements(), 4);
  if (compute_type(x.dtype) == DType::kFloat32 && s->window.rank <= 2) {
    s->kernels = &conv_f32_kernels(ctx.isa());
    s->scratch_bytes = (s->kernels->workspace_transpose(s->shape) + 63) / 64 * 64;
    s->at_scratch = plan.add(s->scratch_bytes, ctx.threads());
    SAMPAN_TRY(plan_weights(ctx, s, &plan));
    ctx.kernel_name(s->kernels->name);
  } else {
    if (compute_type(x.dtype) != x.dtype) s->at_w = plan.add(w.shape.elements(), 4);
    ctx.kernel_name("conv_transpose_portable");
  }
  return plan.request(ctx);
}

// ---- run -----------------------------------------------------------------------------------

void run_fast(const RunContext& ctx, const State& s, const float* x, float* y, const float* bias) {
  ConvF32 c = s.shape;
  c.x = x;
  c.y = y;
  c.ep = epilogue_of(ctx, kAct);
  c.ep.bias = bias;
  c.panels = s.weights;
  if (!c.panels) {
    float* packed = workspace_at<float>(ctx, s.at_packed);
    pack_conv_transpose_f32(s.shape, as_float(ctx, ctx.input(kW), s.at_w), s.strides, packed);
    c.panels = packed;
  }
  Grid grid;
  grid.rows = s.images * c.out_h;
  grid.cols = conv_units(s.group, s.out_channels);
  grid.work = static_cast<double>(s.images * s.window.in_pixels) *
              static_cast<double>(c.pixel_stride) *
              static_cast<double>(s.window.taps * s.out_channels + 1);
  char* scratch = workspace_at<char>(ctx, s.at_scratch);
  run_grid(ctx, grid, [&](int64_t, int64_t r0, int64_t r1, int64_t u0, int64_t u1, int thread) {
    s.kernels->run_transpose(c, r0, r1, u0, u1, scratch + thread * s.scratch_bytes);
  });
}

// The input position that tap t brings to output position o, -1 if there is none; `reached` tells
// whether the tap belongs to the output's phase at all.
int64_t source(const Window& w, int i, int64_t o, int64_t t, bool* reached) {
  const int64_t at = o + w.pad[i] - t * w.dilation[i];
  *reached = (at % w.stride[i] + w.stride[i]) % w.stride[i] == 0;
  if (!*reached || at < 0) return -1;
  return at / w.stride[i] < w.in[i] ? at / w.stride[i] : -1;
}

// Adds up one output element: one chain per 1024 products, as the kernels do.
template <class T>
T sum_taps(const State& s, const T* image, const T* w, const int64_t* at) {
  const Window& win = s.window;
  const ConvWeightStrides& strides = s.strides;
  T total = 0, chain = 0;
  int64_t room = 1024;
  bool first = true;
  for (int64_t t = 0; t < win.taps; ++t) {
    int64_t left = t, pixel = 0, scale = 1;
    bool all_reached = true, inside = true;
    for (int i = win.rank - 1; i >= 0; --i) {
      bool reached = false;
      const int64_t from = source(win, i, at[i], left % win.kernel[i], &reached);
      all_reached &= reached;
      inside &= from >= 0;
      pixel += from * scale;
      scale *= win.in[i];
      left /= win.kernel[i];
    }
    if (!all_reached) continue;
    for (int64_t c = 0; c < s.in_channels; ++c) {
      if (room == 0) {
        total = first ? chain : total + chain;
        first = false;
        chain = 0;
        room = 1024;
      }
      const T v = inside ? image[pixel * s.shape.pixel_stride + c] : T(0);
      chain = std::fma(v, w[t * strides.kx + c * strides.ic], chain);
      --room;
    }
  }
  return first ? chain : total + chain;
}

template <class T>
void run_plain(const RunContext& ctx, const State& s, const T* x, T* y, const T* w, const T* bias) {
  const int64_t channels = s.shape.y_stride;
  ctx.parallel_for(
      s.images * s.window.out_pixels, grain_for_work(channels * s.in_channels * s.window.taps),
      [&](int64_t begin, int64_t end, int) {
        for (int64_t m = begin; m < end; ++m) {
          const T* image = x + m / s.window.out_pixels * s.shape.image_stride;
          int64_t at[kMaxSpatial], left = m % s.window.out_pixels;
          for (int i = s.window.rank - 1; i >= 0; --i) {
            at[i] = left % s.window.out[i];
            left /= s.window.out[i];
          }
          for (int64_t c = 0; c < channels; ++c) {
            const int64_t g = c / s.out_channels;
            T sum = sum_taps(s, image + g * s.in_channels,
                             w + g * s.strides.group + c % s.out_channels * s.strides.oc, at);
            if (bias) sum += bias[c];
            y[m * channels + c] = sum;
          }
        }
      });
}

void activate(const RunContext& ctx, float* y, int64_t n) {
  const EpilogueF32 ep = epilogue_of(ctx, kAct);
  if (ep.act == Activation::kClip) {
    for (int64_t i = 0; i < n; ++i) {
      const float low = ep.p0 > y[i] ? ep.p0 : y[i];
      y[i] = ep.p1 < low ? ep.p1 : low;
    }
  } else if (ep.act_fn) {
    ep.act_fn(y, n, ep.p0, ep.p1);
  }
}

void activate(const RunContext& ctx, double* y, int64_t n) {
  const Activation act = static_cast<Activation>(ctx.attr_int(kAct));
  for (int64_t i = 0; i < n; ++i)
    y[i] = activate_f64(act, y[i], static_cast<double>(ctx.attr_float(kActAlpha)),
                        static_cast<double>(ctx.attr_float(kActBeta)));
}

Status run(RunContext& ctx) {
  const State& s = *ctx.state<State>();
  Tensor& out = ctx.output(0);
  const int64_t elements = out.shape.elements();
  if (elements == 0) return Status();
  const void* x = stage_in(ctx, ctx.input(kX), s.x);
  void* y = stage_target(ctx, out, s.y);
  const bool has_bias = ctx.has_input(kBias);
  if (out.dtype == DType::kFloat64) {
    double* to = static_cast<double*>(y);
    run_plain(ctx, s, static_cast<const double*>(x), to, ctx.input(kW).as<double>(),
              has_bias ? ctx.input(kBias).as<double>() : nullptr);
    activate(ctx, to, elements);
  } else {
    float* to = static_cast<float*>(y);
    const float* bias = has_bias ? as_float(ctx, ctx.input(kBias), s.at_bias) : nullptr;
    if (s.kernels) {
      run_fast(ctx, s, static_cast<const float*>(x), to, bias);
    } else {
      run_plain(ctx, s, static_cast<const float*>(x), to, as_float(ctx, ctx.input(kW), s.at_w),
                bias);
      activate(ctx, to, elements);
    }
  }
  stage_out(ctx, out, s.y);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(ConvTranspose, 1)
    .doc(
        "activation(transposed convolution of x with w + bias). w is IOHW for NCHW and IHWO for "
        "NHWC (O counts one group's channels); any number of spatial axes. output_shape decides "
        "the "
        "pads.")
    .input("x", sampan::kFloats)
    .input("w", sampan::kFloats, 0, 0)
    .input("bias", sampan::kFloats, sampan::kOptional, 0)
    .output("y")
    .attr_ints(sampan::kStrides, "strides", 1, sampan::kMaxWindowAttr)
    .attr_ints(sampan::kPads, "pads", 0, sampan::kMaxWindowAttr, sampan::kPadsDoc)
    .attr_ints(sampan::kDilations, "dilations", 1, sampan::kMaxWindowAttr)
    .attr_int(sampan::kGroup, "group", 1, 1, sampan::kMaxWindowAttr)
    .attr_enum(sampan::kAutoPad, "auto_pad", sampan::kAutoPadChoices, 0, sampan::kAutoPadDoc)
    .attr_ints(sampan::kOutputPadding, "output_padding", 0, sampan::kMaxWindowAttr,
               "added to the end of each output axis")
    .attr_ints(sampan::kOutputShape, "output_shape", 1, sampan::kMaxWindowAttr,
               "extents of the spatial axes; empty: what strides and pads give")
    .attr_enum(sampan::kAct, "activation", sampan::kActivationChoices, 0, sampan::kActivationDoc)
    .attr_float(sampan::kActAlpha, "act_alpha", 0.0f)
    .attr_float(sampan::kActBeta, "act_beta", 0.0f)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
