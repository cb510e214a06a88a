#include "ops/common/group_norm.h"

#include <cinttypes>
#include <cmath>

#include "kernels/norm/norm.h"
#include "ops/common/conv_common.h"
#include "ops/common/shape_rules.h"

namespace sampan {

Status infer_group_norm(InferContext& ctx, Layout layout, int64_t groups, float epsilon) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_TRY(check_image(x, "x"));
  SAMPAN_RULE(epsilon >= 0.0f, "epsilon is %g: it must be 0 or more", static_cast<double>(epsilon));
  const Dim channels = x[channel_axis(layout, x.rank)];
  SAMPAN_RULE(groups == 0 || !channels.known() || channels.value % groups == 0,
              "x has %" PRId64 " channels, which %" PRId64 " groups do not divide", channels.value,
              groups);
  for (int i = 1; i <= 2; ++i) {
    const DimShape& p = ctx.shape(i);
    SAMPAN_RULE(p.rank == 1 && ctx.math().equal(p[0], channels) != Tri::kNo,
                "%s has shape %s: expected one value for each channel of x %s",
                i == 1 ? "scale" : "bias", ShapeText(p).c_str(), ShapeText(x).c_str());
  }
  return same_as_first(ctx);
}

Status prepare_group_norm(PrepareContext& ctx, Layout layout, int64_t groups, float epsilon,
                          const char* name) {
  GroupNormState* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const Tensor& x = ctx.input(0);
  WorkspacePlan plan;
  s->x = plan_staged(x, layout, &plan);
  s->y = plan_staged(ctx.output(0), layout, &plan);
  s->groups = groups > 0 ? groups : s->x.channels;
  s->epsilon = epsilon;
  if (compute_type(x.dtype) != x.dtype) {
    s->at_scale = plan.add(s->x.channels, 4);
    s->at_bias = plan.add(s->x.channels, 4);
  }
  // Mean and factor of each channel of each image.
  s->at_sums = plan.add(s->x.images * s->x.channels, 16);
  ctx.kernel_name(name);
  return plan.request(ctx);
}

namespace {

template <class T>
struct Normalizer {
  const GroupNormState& s;
  Isa isa;
  const T *x, *scale, *bias;
  T* y;
  T *mean, *factor;  // [images][channels]

  // Replaces sums of channels c0..c1, whole groups, by the group's mean of them.
  void average_groups(T* sums, int64_t c0, int64_t c1) const {
    const int64_t size = s.x.channels / s.groups;
    const T count = static_cast<T>(size * s.x.pixels);
    for (int64_t g = c0; g < c1; g += size) {
      T total = sums[g];
      for (int64_t c = g + 1; c < g + size; ++c) total += sums[c];
      for (int64_t c = g; c < g + size; ++c) sums[c] = total / count;
    }
  }

  // sum[c] += elements of channel c, or with mean the squares of their distances from it.
  void add_up(const T* from, int64_t channels, const T* means, T* sum) const {
    if constexpr (std::is_same<T, float>::value) {
      norm_kernels(isa).channel_sum(from, s.x.pixels, channels, s.x.channels, means, sum);
    } else {
      for (int64_t p = 0; p < s.x.pixels; ++p) {
        for (int64_t c = 0; c < channels; ++c) {
          const T v = from[p * s.x.channels + c];
          sum[c] += means ? (v - means[c]) * (v - means[c]) : v;
        }
      }
    }
  }

  // Channels c0..c1 (whole groups) of one image.
  void statistics(int64_t image, int64_t c0, int64_t c1) const {
    const int64_t n = s.x.channels;
    const T* from = x + image * s.x.pixels * n;
    T *m = mean + image * n, *v = factor + image * n;
    for (int64_t c = c0; c < c1; ++c) m[c] = v[c] = 0;
    add_up(from + c0, c1 - c0, nullptr, m + c0);
    average_groups(m, c0, c1);
    add_up(from + c0, c1 - c0, m + c0, v + c0);
    average_groups(v, c0, c1);
    for (int64_t c = c0; c < c1; ++c) v[c] = scale[c] / std::sqrt(v[c] + static_cast<T>(s.epsilon));
  }

  // `rows` pixels of one image, from `row` on.
  void apply(int64_t row, int64_t rows) const {
    const int64_t n = s.x.channels, image = row / s.x.pixels;
    const T *m = mean + image * n, *f = factor + image * n;
    if constexpr (std::is_same<T, float>::value) {
      norm_kernels(isa).channel_affine(x + row * n, y + row * n, rows, n, m, f, bias);
    } else {
      for (int64_t i = row * n; i < (row + rows) * n; ++i)
        y[i] = (x[i] - m[i % n]) * f[i % n] + bias[i % n];
    }
  }
};

template <class T>
void normalize(const RunContext& ctx, const Normalizer<T>& n) {
  const GroupNormState& s = n.s;
  const int64_t size = s.x.channels / s.groups;
  ctx.parallel_for(s.x.images * s.groups, grain_for_work(size * s.x.pixels * 3),
                   [&](int64_t begin, int64_t end, int) {
                     while (begin < end) {
                       const int64_t image = begin / s.groups, g0 = begin % s.groups;
                       const int64_t g1 = end - begin < s.groups - g0 ? g0 + end - begin : s.groups;
                       n.statistics(image, g0 * size, g1 * size);
                       begin += g1 - g0;
                     }
                   });
  ctx.parallel_for(s.x.images * s.x.pixels, grain_for_work(s.x.channels * 4),
                   [&](int64_t begin, int64_t end, int) {
                     while (begin < end) {
                       const int64_t left = s.x.pixels - begin % s.x.pixels;
                       const int64_t rows = left < end - begin ? left : end - begin;
                       n.apply(begin, rows);
                       begin += rows;
                     }
                   });
}

}  // namespace

Status run_group_norm(RunContext& ctx) {
  const GroupNormState& s = *ctx.state<GroupNormState>();
  Tensor& out = ctx.output(0);
  if (out.shape.elements() == 0) return Status();
  const void* x = stage_in(ctx, ctx.input(0), s.x);
  void* y = stage_target(ctx, out, s.y);
  const int64_t sums = s.x.images * s.x.channels;
  if (out.dtype == DType::kFloat64) {
    double* mean = workspace_at<double>(ctx, s.at_sums);
    normalize(ctx, Normalizer<double>{s, ctx.isa(), static_cast<const double*>(x),
                                      ctx.input(1).as<double>(), ctx.input(2).as<double>(),
                                      static_cast<double*>(y), mean, mean + sums});
  } else {
    float* mean = workspace_at<float>(ctx, s.at_sums);
    normalize(ctx, Normalizer<float>{s, ctx.isa(), static_cast<const float*>(x),
                                     as_float(ctx, ctx.input(1), s.at_scale),
                                     as_float(ctx, ctx.input(2), s.at_bias), static_cast<float*>(y),
                                     mean, mean + sums});
  }
  stage_out(ctx, out, s.y);
  return Status();
}

}  // namespace sampan
