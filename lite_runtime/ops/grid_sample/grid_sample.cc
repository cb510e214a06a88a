#include <cinttypes>
#include <cmath>

#include "ops/common/conv_common.h"
#include "ops/common/shape_rules.h"
#include "ops/common/spatial.h"

namespace sampan {
namespace {

enum { kX, kGrid };
enum { kMode, kPadding, kAlign, kLayout };
enum { kNearest, kLinear, kCubic };
enum { kZeros, kBorder, kReflection };

Layout layout_of(const NodeView& node) { return static_cast<Layout>(node.attr_int(kLayout)); }

Status infer(InferContext& ctx) {
  const DimShape &x = ctx.shape(kX), &grid = ctx.shape(kGrid);
  SAMPAN_TRY(check_image(x, "x"));
  const int spatial = x.rank - 2;
  DimMath& m = ctx.math();
  SAMPAN_RULE(grid.rank == x.rank && m.equal(grid[0], x[0]) != Tri::kNo &&
                  m.equal(grid[grid.rank - 1], spatial) != Tri::kNo,
              "grid has shape %s, x %s: expected [batch, output extents..., %d]",
              ShapeText(grid).c_str(), ShapeText(x).c_str(), spatial);
  SAMPAN_RULE(ctx.attr_int(kMode) != kCubic || spatial == 2,
              "mode cubic needs two spatial axes, x has %d", spatial);
  SAMPAN_RULE(spatial <= 3, "x has %d spatial axes: at most 3 can be sampled", spatial);
  DimShape y = x;
  for (int i = 0; i < spatial; ++i) {
    const int axis = spatial_axis(layout_of(ctx), i);
    SAMPAN_RULE(m.less(x[axis], 1) != Tri::kYes, "x %s has no pixels", ShapeText(x).c_str());
    y[axis] = grid[1 + i];
  }
  ctx.set_output(0, ctx.dtype(kX), y);
  return Status();
}

struct State {
  Staged x, y;
  int rank = 0;
  int64_t in[3] = {}, in_pixels = 1, out_pixels = 1;
  int64_t at_grid = 0;
};

Status prepare(PrepareContext& ctx) {
  State* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const Tensor& x = ctx.input(kX);
  s->rank = x.shape.rank - 2;
  for (int i = 0; i < s->rank; ++i) {
    s->in[i] = x.shape[spatial_axis(layout_of(ctx), i)];
    s->in_pixels *= s->in[i];
    s->out_pixels *= ctx.input(kGrid).shape[1 + i];
  }
  WorkspacePlan plan;
  s->x = plan_staged(x, layout_of(ctx), &plan);
  s->y = plan_staged(ctx.output(0), layout_of(ctx), &plan);
  if (compute_type(x.dtype) != x.dtype) s->at_grid = plan.add(ctx.input(kGrid).shape.elements(), 4);
  ctx.kernel_name("grid_sample_portable");
  return plan.request(ctx);
}

template <class T>
struct Sampler {
  const State& s;
  int mode, padding;
  bool align;
  int64_t channels;
  const T* image;

  // A position in [-1, 1] in pixels.
  T pixels(T g, int i) const {
    const T n = static_cast<T>(s.in[i]);
    return align ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
  }

  T reflect(T v, T low, T high) const {
    const T range = high - low;
    if (!(range > 0)) return low;
    v = std::fabs(v - low);
    const T rest = v - std::floor(v / (2 * range)) * (2 * range);
    return low + (rest > range ? 2 * range - rest : rest);
  }

  // Brings a position into the image as the padding mode says; not for zeros.
  T pad(T v, int i) const {
    const T n = static_cast<T>(s.in[i]);
    if (padding == kReflection) v = align ? reflect(v, 0, n - 1) : reflect(v, T(-0.5), n - T(0.5));
    return clamp(v, n);
  }
  static T clamp(T v, T n) {
    if (!(v > 0)) return 0;  // NaN, too
    return v < n - 1 ? v : n - 1;
  }

  // The index of a whole-numbered position, -1 outside.
  int64_t index(T v, int i) const {
    if (padding != kZeros) return static_cast<int64_t>(pad(v, i));
    if (!(v >= 0 && v <= static_cast<T>(s.in[i] - 1))) return -1;
    return static_cast<int64_t>(v);
  }

  void add(T* to, T weight, int64_t pixel) const {
    const T* from = image + pixel * channels;
    for (int64_t c = 0; c < channels; ++c) to[c] += weight * from[c];
  }

  static void cubic(T t, T* w) {
    const T a = T(-0.75);
    const T d[] = {t + 1, t, 1 - t, 2 - t};
    w[0] = ((a * d[0] - 5 * a) * d[0] + 8 * a) * d[0] - 4 * a;
    w[1] = ((a + 2) * d[1] - (a + 3)) * d[1] * d[1] + 1;
    w[2] = ((a + 2) * d[2] - (a + 3)) * d[2] * d[2] + 1;
    w[3] = ((a * d[3] - 5 * a) * d[3] + 8 * a) * d[3] - 4 * a;
  }

  // grid holds x, y, z: the last spatial axis first.
  void sample(const T* grid, T* to) const {
    T base[3], weight[3][4];
    const int taps = mode == kNearest ? 1 : mode == kLinear ? 2 : 4;
    for (int i = 0; i < s.rank; ++i) {
      T v = pixels(grid[s.rank - 1 - i], i);
      if (padding != kZeros && mode != kCubic) v = pad(v, i);
      if (mode == kNearest) {
        base[i] = std::nearbyint(v);
        weight[i][0] = 1;
        continue;
      }
      base[i] = std::floor(v);
      const T t = v - base[i];
      if (mode == kLinear) {
        weight[i][0] = 1 - t;
        weight[i][1] = t;
      } else {
        cubic(t, weight[i]);
        base[i] -= 1;
      }
    }
    for (int64_t c = 0; c < channels; ++c) to[c] = 0;
    int count = 1;
    for (int i = 0; i < s.rank; ++i) count *= taps;
    for (int tap = 0; tap < count; ++tap) {
      int64_t pixel = 0, step = 1;
      T w = 1;
      bool inside = true;
      for (int i = s.rank - 1, left = tap; i >= 0; --i, left /= taps) {
        const int k = left % taps;
        const int64_t at = index(base[i] + static_cast<T>(k), i);
        inside = inside && at >= 0;
        pixel += at * step;
        step *= s.in[i];
        w *= weight[i][k];
      }
      if (inside) add(to, w, pixel);
    }
  }
};

template <class T>
void sample_all(const RunContext& ctx, const State& s, const T* x, const T* grid, T* y) {
  const int64_t n = s.x.channels;
  ctx.parallel_for(s.x.images * s.out_pixels, grain_for_work(n * 8),
                   [&](int64_t b, int64_t e, int) {
                     for (int64_t m = b; m < e; ++m) {
                       const Sampler<T> sampler{s,
                                                static_cast<int>(ctx.attr_int(kMode)),
                                                static_cast<int>(ctx.attr_int(kPadding)),
                                                ctx.attr_bool(kAlign),
                                                n,
                                                x + m / s.out_pixels * s.in_pixels * n};
                       sampler.sample(grid + m * s.rank, y + m * n);
                     }
                   });
}

Status run(RunContext& ctx) {
  const State& s = *ctx.state<State>();
  Tensor& out = ctx.output(0);
  if (out.shape.elements() == 0) return Status();
  const void* x = stage_in(ctx, ctx.input(kX), s.x);
  void* y = stage_target(ctx, out, s.y);
  if (out.dtype == DType::kFloat64)
    sample_all(ctx, s, static_cast<const double*>(x), ctx.input(kGrid).as<double>(),
               static_cast<double*>(y));
  else
    sample_all(ctx, s, static_cast<const float*>(x), as_float(ctx, ctx.input(kGrid), s.at_grid),
               static_cast<float*>(y));
  stage_out(ctx, out, s.y);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(GridSample, 1)
    .doc(
        "Samples x at the positions in grid, which count from -1 to 1 across the image, last "
        "spatial axis first.")
    .input("x", sampan::kFloats)
    .input("grid", sampan::kFloats, 0, 0)
    .output("y")
    .attr_enum(sampan::kMode, "mode", "nearest|linear|cubic", 1)
    .attr_enum(sampan::kPadding, "padding_mode", "zeros|border|reflection", 0)
    .attr_bool(sampan::kAlign, "align_corners", false, "-1 and 1 are centers of the outer pixels")
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
