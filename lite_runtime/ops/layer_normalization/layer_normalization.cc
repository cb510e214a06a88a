#include "kernels/norm/norm.h"
#include "ops/common/layer_norm.h"
#include "ops/common/norm_names.h"

namespace sampan {
namespace {

enum { kX, kScale, kBias };
enum { kAxis, kEpsilon };

Status infer(InferContext& ctx) {
  int first = 0;
  SAMPAN_TRY(infer_layer_norm(ctx, ctx.attr_int(kAxis), ctx.attr_float(kEpsilon), &first));
  DimShape statistics = ctx.shape(kX);
  for (int i = first; i < statistics.rank; ++i) statistics[i] = 1;
  for (int i = 1; i < ctx.num_outputs(); ++i) ctx.set_output(i, DType::kFloat32, statistics);
  return Status();
}

Status prepare(PrepareContext& ctx) {
  return prepare_layer_norm(ctx, ctx.attr_int(kAxis),
                            SAMPAN_NORM_NAME(ctx.isa(), "layer_norm_f32"));
}

template <class T>
void normalize(const RunContext& ctx, const LayerNormState& s, const T* x, T* y) {
  const int64_t n = s.rows.n;
  const T* scale = layer_norm_parameter<T>(ctx, kScale, s.at_scale);
  const T* bias = layer_norm_parameter<T>(ctx, kBias, s.at_bias);
  float* means = ctx.has_output(1) ? ctx.output(1).as<float>() : nullptr;
  float* inverses = ctx.has_output(2) ? ctx.output(2).as<float>() : nullptr;
  if constexpr (std::is_same<T, float>::value) {
    const RowNormF32Fn fast = norm_kernels(ctx.isa()).layer_norm;
    const LayerNormF32 shape{n, scale, bias, ctx.attr_float(kEpsilon)};
    return ctx.parallel_for(
        s.rows.outer, grain_for_work(n * 4),
        [&](int64_t begin, int64_t end, int) { fast(shape, x, y, means, inverses, begin, end); });
  }
  const T epsilon = static_cast<T>(ctx.attr_float(kEpsilon)), count = static_cast<T>(n);
  ctx.parallel_for(s.rows.outer, grain_for_work(n * 4), [&](int64_t begin, int64_t end, int) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row * n;
      T* to = y + row * n;
      const T mean = lane_sum<T>(n, [&](int64_t i) { return from[i]; }) / count;
      const T variance = lane_sum<T>(n,
                                     [&](int64_t i) {
                                       const T d = from[i] - mean;
                                       return d * d;
                                     }) /
                         count;
      const T inverse = T(1) / std::sqrt(variance + epsilon);
      for (int64_t i = 0; i < n; ++i) {
        T v = (from[i] - mean) * inverse;
        if (scale) v *= scale[i];
        to[i] = bias ? v + bias[i] : v;
      }
      if (means) means[row] = static_cast<float>(mean);
      if (inverses) inverses[row] = static_cast<float>(inverse);
    }
  });
}

Status run(RunContext& ctx) {
  const LayerNormState& s = *ctx.state<LayerNormState>();
  if (s.rows.outer == 0) return Status();
  run_wide(ctx, s.wide, [&](const auto* x, auto* y) { normalize(ctx, s, x, y); });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(LayerNormalization, 1)
    .doc(
        "(x - mean) * (1 / sqrt(variance + epsilon)) * scale + bias, with mean and variance over "
        "the axes from `axis` on. mean and inv_std_dev are float32.")
    .input("x", sampan::kFloats)
    .input("scale", sampan::kFloats, sampan::kOptional, 0)
    .input("bias", sampan::kFloats, sampan::kOptional, 0)
    .output("y")
    .output("mean", sampan::kOptional)
    .output("inv_std_dev", sampan::kOptional)
    .attr_int(sampan::kAxis, "axis", -1, -sampan::kMaxRank, sampan::kMaxRank - 1)
    .attr_float(sampan::kEpsilon, "epsilon", 1e-5f)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
