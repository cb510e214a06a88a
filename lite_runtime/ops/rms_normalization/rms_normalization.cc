#include "kernels/norm/norm.h"
#include "ops/common/layer_norm.h"
#include "ops/common/norm_names.h"

namespace sampan {
namespace {

enum { kX, kScale };
enum { kAxis, kEpsilon };

Status infer(InferContext& ctx) {
  int first = 0;
  return infer_layer_norm(ctx, ctx.attr_int(kAxis), ctx.attr_float(kEpsilon), &first);
}

Status prepare(PrepareContext& ctx) {
  return prepare_layer_norm(ctx, ctx.attr_int(kAxis), SAMPAN_NORM_NAME(ctx.isa(), "rms_norm_f32"));
}

template <class T>
void normalize(const RunContext& ctx, const LayerNormState& s, const T* x, T* y) {
  const int64_t n = s.rows.n;
  const T* scale = layer_norm_parameter<T>(ctx, kScale, s.at_scale);
  if constexpr (std::is_same<T, float>::value) {
    const RowNormF32Fn fast = norm_kernels(ctx.isa()).rms_norm;
    const LayerNormF32 shape{n, scale, nullptr, ctx.attr_float(kEpsilon)};
    return ctx.parallel_for(
        s.rows.outer, grain_for_work(n * 4),
        [&](int64_t begin, int64_t end, int) { fast(shape, x, y, nullptr, nullptr, begin, end); });
  }
  const T epsilon = static_cast<T>(ctx.attr_float(kEpsilon)), count = static_cast<T>(n);
  ctx.parallel_for(s.rows.outer, grain_for_work(n * 3), [&](int64_t begin, int64_t end, int) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row * n;
      T* to = y + row * n;
      const T square = lane_sum<T>(n, [&](int64_t i) { return from[i] * from[i]; }) / count;
      const T inverse = T(1) / std::sqrt(square + epsilon);
      for (int64_t i = 0; i < n; ++i) {
        const T v = from[i] * inverse;
        to[i] = scale ? v * scale[i] : v;
      }
    }
  });
}

Status run(RunContext& ctx) {
  const LayerNormState& s = *ctx.state<LayerNormState>();
  if (s.rows.total() == 0) return Status();
  run_wide(ctx, s.wide, [&](const auto* x, auto* y) { normalize(ctx, s, x, y); });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(RMSNormalization, 1)
    .doc(
        "x * (1 / sqrt(mean(x * x) + epsilon)) * scale, with the mean over the axes from `axis` "
        "on.")
    .input("x", sampan::kFloats)
    .input("scale", sampan::kFloats, sampan::kOptional, 0)
    .output("y")
    .attr_int(sampan::kAxis, "axis", -1, -sampan::kMaxRank, sampan::kMaxRank - 1)
    .attr_float(sampan::kEpsilon, "epsilon", 1e-5f)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
