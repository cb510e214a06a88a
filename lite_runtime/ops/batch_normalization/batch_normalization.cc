#include <cmath>

#include "ops/common/conv_common.h"
#include "ops/common/norm_names.h"
#include "ops/common/rows.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kX, kScale, kBias, kMean, kVariance };
enum { kEpsilon, kLayout };

int axis_of(const NodeView& node, int rank) {
  return rank < 2 ? 0 : channel_axis(static_cast<Layout>(node.attr_int(kLayout)), rank);
}

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(kX);
  SAMPAN_RULE(x.rank >= 1, "x is a scalar: it needs a channel axis");
  SAMPAN_RULE(ctx.attr_float(kEpsilon) >= 0.0f, "epsilon is %g: it must be 0 or more",
              static_cast<double>(ctx.attr_float(kEpsilon)));
  const Dim channels = x.rank == 1 ? Dim(1) : x[axis_of(ctx, x.rank)];
  const char* names[] = {"", "scale", "bias", "mean", "variance"};
  for (int i = kScale; i <= kVariance; ++i) {
    const DimShape& p = ctx.shape(i);
    SAMPAN_RULE(p.rank == 1 && ctx.math().equal(p[0], channels) != Tri::kNo,
                "%s has shape %s: expected one value for each channel of x %s", names[i],
                ShapeText(p).c_str(), ShapeText(x).c_str());
  }
  return same_as_first(ctx);
}

struct State {
  Rows rows;
  WideTensors wide;
  int64_t at_factor = 0, at_parameters[4] = {};
};

Status prepare(PrepareContext& ctx) {
  State* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const Tensor& x = ctx.input(kX);
  s->rows = rows_of(x.shape, axis_of(ctx, x.shape.rank));
  if (x.shape.rank == 1) {
    s->rows.outer = s->rows.n;
    s->rows.n = 1;
  }
  WorkspacePlan plan;
  s->wide = plan_wide(x, ctx.output(0), &plan);
  s->at_factor = plan.add(s->rows.n, 8);
  if (compute_type(x.dtype) != x.dtype)
    for (int64_t& at : s->at_parameters) at = plan.add(s->rows.n, 4);
  ctx.kernel_name(s->rows.inner == 1 ? SAMPAN_NORM_NAME(ctx.isa(), "batch_norm_f32")
                                     : "batch_norm_portable");
  return plan.request(ctx);
}

template <class T>
const T* parameter(const RunContext& ctx, const State& s, int input) {
  if constexpr (std::is_same<T, float>::value)
    return as_float(ctx, ctx.input(input), s.at_parameters[input - 1]);
  else
    return ctx.input(input).as<T>();
}

template <class T>
void normalize(const RunContext& ctx, const State& s, const T* x, T* y) {
  const Rows& r = s.rows;
  const T* scale = parameter<T>(ctx, s, kScale);
  const T* bias = parameter<T>(ctx, s, kBias);
  const T* mean = parameter<T>(ctx, s, kMean);
  const T* variance = parameter<T>(ctx, s, kVariance);
  T* factor = workspace_at<T>(ctx, s.at_factor);
  const T epsilon = static_cast<T>(ctx.attr_float(kEpsilon));
  for (int64_t c = 0; c < r.n; ++c) factor[c] = scale[c] / std::sqrt(variance[c] + epsilon);
  if constexpr (std::is_same<T, float>::value) {
    if (r.inner == 1) {
      const ChannelAffineF32Fn affine = norm_kernels(ctx.isa()).channel_affine;
      return ctx.parallel_for(r.outer, grain_for_work(r.n * 4), [&](int64_t b, int64_t e, int) {
        affine(x + b * r.n, y + b * r.n, e - b, r.n, mean, factor, bias);
      });
    }
  }
  ctx.parallel_for(r.outer * r.n, grain_for_work(r.inner * 4),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t i = begin; i < end; ++i) {
                       const int64_t c = i % r.n;
                       const T f = factor[c], m = mean[c], b = bias[c];
                       for (int64_t k = i * r.inner; k < (i + 1) * r.inner; ++k)
                         y[k] = (x[k] - m) * f + b;
                     }
                   });
}

Status run(RunContext& ctx) {
  const State& s = *ctx.state<State>();
  if (s.rows.total() == 0) return Status();
  run_wide(ctx, s.wide, [&](const auto* x, auto* y) { normalize(ctx, s, x, y); });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(BatchNormalization, 1)
    .doc(
        "(x - mean) * (scale / sqrt(variance + epsilon)) + bias for each channel, with given mean "
        "and variance.")
    .input("x", sampan::kFloats)
    .input("scale", sampan::kFloats, 0, 0)
    .input("bias", sampan::kFloats, 0, 0)
    .input("mean", sampan::kFloats, 0, 0)
    .input("variance", sampan::kFloats, 0, 0)
    .output("y")
    .attr_float(sampan::kEpsilon, "epsilon", 1e-5f)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .in_place(0)
    .kernel(sampan::prepare, sampan::run);
