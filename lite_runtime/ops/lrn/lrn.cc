#include <cmath>

#include "kernels/math/f64.h"
#include "ops/common/rows.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kSize, kAlpha, kBeta, kBias, kLayout };

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_RULE(x.rank >= 2, "x has shape %s: it needs a channel axis", ShapeText(x).c_str());
  return same_as_first(ctx);
}

struct State {
  Rows rows;
  WideTensors wide;
};

Status prepare(PrepareContext& ctx) {
  State* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const Tensor& x = ctx.input(0);
  s->rows =
      rows_of(x.shape, channel_axis(static_cast<Layout>(ctx.attr_int(kLayout)), x.shape.rank));
  WorkspacePlan plan;
  s->wide = plan_wide(x, ctx.output(0), &plan);
  ctx.kernel_name("lrn_portable");
  return plan.request(ctx);
}

inline float power(float x, float y) { return math::pow_f32(x, y); }
inline double power(double x, double y) { return math::pow_f64(x, y); }

template <class T>
void normalize(const RunContext& ctx, const Rows& r, const T* x, T* y) {
  const int64_t size = ctx.attr_int(kSize), before = (size - 1) / 2, after = size - 1 - before;
  const T alpha = static_cast<T>(ctx.attr_float(kAlpha)),
          beta = static_cast<T>(ctx.attr_float(kBeta));
  const T bias = static_cast<T>(ctx.attr_float(kBias));
  ctx.parallel_for(r.outer * r.inner, grain_for_work(r.n * 64),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t i = begin; i < end; ++i) {
                       const int64_t at = i / r.inner * r.n * r.inner + i % r.inner;
                       for (int64_t c = 0; c < r.n; ++c) {
                         const int64_t first = c > before ? c - before : 0;
                         const int64_t last = after < r.n - 1 - c ? c + after : r.n - 1;
                         T sum = 0;
                         for (int64_t k = first; k <= last; ++k) {
                           const T v = x[at + k * r.inner];
                           sum += v * v;
                         }
                         const T base = bias + alpha / static_cast<T>(size) * sum;
                         y[at + c * r.inner] = x[at + c * r.inner] / power(base, beta);
                       }
                     }
                   });
}

Status run(RunContext& ctx) {
  const State& s = *ctx.state<State>();
  if (s.rows.total() == 0) return Status();
  run_wide(ctx, s.wide, [&](const auto* x, auto* y) { normalize(ctx, s.rows, x, y); });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(LRN, 1)
    .doc(
        "x / (bias + alpha / size * s)^beta, where s is the sum of squares over `size` channels "
        "around each.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_int(sampan::kSize, "size", 1, 1, sampan::kMaxWindowAttr)
    .attr_float(sampan::kAlpha, "alpha", 1e-4f)
    .attr_float(sampan::kBeta, "beta", 0.75f)
    .attr_float(sampan::kBias, "bias", 1.0f)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
