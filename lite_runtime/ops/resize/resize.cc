#include "kernels/resize/resize.h"

#include <cinttypes>
#include <cmath>

#include "core/checked.h"
#include "ops/common/dtypes.h"
#include "ops/common/rows.h"
#include "ops/common/shape_rules.h"
#include "ops/common/spatial.h"
#include "ops/resize/resize_table.h"

namespace sampan {
namespace {

enum { kX, kRoi, kScales, kSizes };
enum {
  kMode,
  kCoordinates,
  kNearest,
  kCubicA,
  kExclude,
  kExtrapolation,
  kAntialias,
  kAxes,
  kPolicy,
  kLayout
};
enum { kStretch, kNotLarger, kNotSmaller };

// Axis `a` of [N, C, spatial...] in the tensor as it lies.
int physical_axis(const NodeView& node, int rank, int a) {
  if (rank < 3 || static_cast<Layout>(node.attr_int(kLayout)) == Layout::kNchw || a == 0) return a;
  return a == 1 ? rank - 1 : a - 1;
}

// The axes that scales and sizes speak of.
Status listed_axes(const NodeView& node, int rank, int* axes, int* count) {
  const AttrValue& list = node.attr_list(kAxes);
  AxisSet seen;
  *count = list.size ? list.size : rank;
  SAMPAN_RULE(*count <= rank, "axes has %d entries, x has %d axes", *count, rank);
  for (int i = 0; i < *count; ++i) {
    int a = i;
    if (list.size) {
      SAMPAN_TRY(add_axis(list.ints[i], rank, &seen));
      SAMPAN_TRY(normalize_axis(list.ints[i], rank, &a));
    }
    axes[i] = physical_axis(node, rank, a);
  }
  return Status();
}

// ---- shapes --------------------------------------------------------------------------------

Status scaled(InferContext& ctx, Dim in, float scale, Dim* out) {
  DimMath& m = ctx.math();
  SAMPAN_RULE(scale > 0 && std::isfinite(scale), "a scale is %g: it must be positive and finite",
              static_cast<double>(scale));
  if (in.known()) {
    const float product = static_cast<float>(in.value) * scale;
    SAMPAN_RULE(product < 1e12f, "an axis of %" PRId64 " elements times the scale %g is too large",
                in.value, static_cast<double>(scale));
    *out = static_cast<int64_t>(product);
    return Status();
  }
  const float inverse = 1.0f / scale;
  if (scale == std::floor(scale) && scale < 1e6f)
    *out = m.mul(in, static_cast<int64_t>(scale));
  else if (inverse == 2.0f || inverse == 4.0f || inverse == 8.0f || inverse == 16.0f)
    *out = m.floor_div(in, static_cast<int64_t>(inverse));
  else
    *out = m.fresh();
  return Status();
}

Status infer_scales(InferContext& ctx, const int* axes, int count, DimShape* y) {
  const DimShape& s = ctx.shape(kScales);
  SAMPAN_RULE(s.rank == 1 && (!s[0].known() || s[0].value == count),
              "scales has shape %s: expected one for each of %d axes", ShapeText(s).c_str(), count);
  const float* scales = ctx.float_values(kScales);
  if (!scales) return ctx.need_values(kScales);
  for (int i = 0; i < count; ++i) SAMPAN_TRY(scaled(ctx, (*y)[axes[i]], scales[i], &(*y)[axes[i]]));
  return Status();
}

// Under a policy all axes share one scale: the least or the greatest that the sizes ask for.
double shared_scale(int policy, const int64_t* in, const int64_t* sizes, int count) {
  double scale = 0;
  for (int i = 0; i < count; ++i) {
    const double s = static_cast<double>(sizes[i]) / static_cast<double>(in[i]);
    if (i == 0 || (policy == kNotLarger ? s < scale : s > scale)) scale = s;
  }
  return scale;
}

int64_t rounded_extent(double scale, int64_t in) {
  return static_cast<int64_t>(scale * static_cast<double>(in) + 0.5);
}

Status infer_sizes(InferContext& ctx, const int* axes, int count, DimShape* y) {
  const DimShape& s = ctx.shape(kSizes);
  SAMPAN_RULE(s.rank == 1 && (!s[0].known() || s[0].value == count),
              "sizes has shape %s: expected one for each of %d axes", ShapeText(s).c_str(), count);
  const Values sizes = values_of(ctx, kSizes);
  if (!sizes.known || sizes.n != count) return ctx.need_values(kSizes);
  const int policy = static_cast<int>(ctx.attr_int(kPolicy));
  int64_t in[kMaxRank], asked[kMaxRank];
  bool known = true;
  for (int i = 0; i < count; ++i) {
    SAMPAN_RULE(!sizes[i].known() || (sizes[i].value >= 0 && sizes[i].value < (int64_t{1} << 40)),
                "a size is %" PRId64 ": it must be 0 or more, and reasonable", sizes[i].value);
    const Dim d = (*y)[axes[i]];
    known = known && sizes[i].known() && d.known();
    if (known) {
      in[i] = d.value;
      asked[i] = sizes[i].value;
      SAMPAN_RULE(policy == kStretch || in[i] > 0, "x has an empty axis: no scale keeps its shape");
    }
  }
  const double scale = known && policy != kStretch ? shared_scale(policy, in, asked, count) : 1;
  for (int i = 0; i < count; ++i) {
    Dim& d = (*y)[axes[i]];
    if (policy == kStretch) {
      d = sizes[i];
    } else if (known) {
      SAMPAN_RULE(scale * static_cast<double>(in[i]) < 1e12, "the scale %g makes an axis too large",
                  scale);
      d = rounded_extent(scale, in[i]);
    } else {
      d = ctx.math().fresh();
    }
  }
  return Status();
}

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(kX);
  SAMPAN_RULE(x.rank >= 1, "x is a scalar: there is no axis to resize");
  SAMPAN_RULE(ctx.has_input(kScales) != ctx.has_input(kSizes), "give either scales or sizes: %s",
              ctx.has_input(kScales) ? "both came" : "none came");
  const ResizeMode mode = static_cast<ResizeMode>(ctx.attr_int(kMode));
  SAMPAN_CHECK(mode == ResizeMode::kNearest || in_set(kFloats, ctx.dtype(kX)), Code::kUnsupported,
               "elements of type %s can be resized by mode nearest only: cast them to float32",
               dtype_name(ctx.dtype(kX)));
  int axes[kMaxRank], count = 0;
  SAMPAN_TRY(listed_axes(ctx, x.rank, axes, &count));
  if (static_cast<ResizeCoordinates>(ctx.attr_int(kCoordinates)) ==
      ResizeCoordinates::kTfCropAndResize) {
    SAMPAN_RULE(ctx.has_input(kRoi), "tf_crop_and_resize needs the input roi");
    const DimShape& roi = ctx.shape(kRoi);
    SAMPAN_RULE(roi.rank == 1 && (!roi[0].known() || roi[0].value == 2 * count),
                "roi has shape %s: expected begin and end for each of %d axes",
                ShapeText(roi).c_str(), count);
  }
  DimShape y = x;
  if (ctx.has_input(kScales))
    SAMPAN_TRY(infer_scales(ctx, axes, count, &y));
  else
    SAMPAN_TRY(infer_sizes(ctx, axes, count, &y));
  for (int i = 0; i < x.rank; ++i) {
    SAMPAN_RULE(!(x[i].known() && x[i].value == 0 && y[i].known() && y[i].value > 0),
                "axis %d of x is empty: it cannot grow", i);
  }
  ctx.set_output(0, ctx.dtype(kX), y);
  return Status();
}

// ---- prepare -------------------------------------------------------------------------------

struct Pass {
  int axis = 0;
  ResizeAxis shape;
  int64_t taps = 1;
  int roi_entry = -1;  // of the listed axes; -1: the whole axis
  int32_t* index = nullptr;
  void* weight = nullptr;  // float, or double for float64
  uint8_t* outside = nullptr;
};

struct State {
  Pass passes[kMaxRank];  // last axis of [N, C, spatial...] first
  int count = 0, listed = 0;
  bool roi_at_run = false, may_leave_image = false;
  WideTensors wide;
  int64_t at_first = 0, at_second = 0;  // results of passes, in turn
};

float float_at(const Tensor& t, int64_t i) {
  switch (t.dtype) {
    case DType::kFloat16:
      return t.as<Half>()[i];
    case DType::kBFloat16:
      return t.as<BFloat16>()[i];
    case DType::kFloat64:
      return static_cast<float>(t.as<double>()[i]);
    default:
      return t.as<float>()[i];
  }
}

ResizeAxis common_axis(const NodeView& node) {
  ResizeAxis a;
  a.mode = static_cast<ResizeMode>(node.attr_int(kMode));
  a.coordinates = static_cast<ResizeCoordinates>(node.attr_int(kCoordinates));
  a.nearest = static_cast<ResizeNearest>(node.attr_int(kNearest));
  a.antialias = node.attr_bool(kAntialias);
  a.exclude_outside = node.attr_bool(kExclude);
  a.cubic_a = static_cast<double>(node.attr_float(kCubicA));
  return a;
}

void set_roi(const Tensor& roi, int listed, Pass* p) {
  p->shape.roi_begin = static_cast<double>(float_at(roi, p->roi_entry));
  p->shape.roi_end = static_cast<double>(float_at(roi, p->roi_entry + listed));
}

void fill_table(DType type, Pass* p) {
  if (type == DType::kFloat64)
    fill_resize_table(p->shape, p->index, static_cast<double*>(p->weight), p->outside);
  else
    fill_resize_table(p->shape, p->index, static_cast<float*>(p->weight), p->outside);
}

Status plan_table(PrepareContext& ctx, Pass* p) {
  SAMPAN_CHECK(p->shape.in <= INT32_MAX, Code::kLimit,
               "an axis has %" PRId64 " elements: at most 2^31 - 1 can be resized", p->shape.in);
  p->taps = resize_taps(p->shape);
  int64_t entries = 0, bytes = 0;
  SAMPAN_CHECK(checked_mul(p->shape.out, p->taps, &entries) && checked_mul(entries, 13, &bytes) &&
                   bytes < kMaxTensorBytes,
               Code::kLimit, "the table of weights passes the limit: use a larger scale");
  void* memory = nullptr;
  SAMPAN_TRY(ctx.plan_memory(static_cast<size_t>(entries) * sizeof(double), &p->weight));
  SAMPAN_TRY(ctx.plan_memory(static_cast<size_t>(entries) * sizeof(int32_t), &memory));
  p->index = static_cast<int32_t*>(memory);
  SAMPAN_TRY(ctx.plan_memory(static_cast<size_t>(p->shape.out), &memory));
  p->outside = static_cast<uint8_t*>(memory);
  return Status();
}

// The scale of each listed axis, as its coordinates use it.
Status scales_of(const TensorContext& ctx, const int* axes, int count, double* scales) {
  const Shape &x = ctx.input(kX).shape, &y = ctx.output(0).shape;
  if (ctx.has_input(kScales)) {
    SAMPAN_CHECK(ctx.input(kScales).data, Code::kInternal, "the scales are not known yet");
    for (int i = 0; i < count; ++i)
      scales[i] = static_cast<double>(float_at(ctx.input(kScales), i));
    return Status();
  }
  const int policy = static_cast<int>(ctx.attr_int(kPolicy));
  double shared = 1;
  if (policy != kStretch) {
    SAMPAN_CHECK(ctx.input(kSizes).data, Code::kInternal, "the sizes are not known yet");
    int64_t in[kMaxRank], asked[kMaxRank];
    for (int i = 0; i < count; ++i) {
      in[i] = x[axes[i]];
      asked[i] = index_at(ctx.input(kSizes), i);
    }
    shared = shared_scale(policy, in, asked, count);
  }
  for (int i = 0; i < count; ++i)
    scales[i] = policy != kStretch
                    ? shared
                    : static_cast<double>(y[axes[i]]) / static_cast<double>(x[axes[i]]);
  return Status();
}

// Intermediate results: each pass reads one half of the workspace and writes the other.
void plan_passes(const Shape& x, DType type, State* s, WorkspacePlan* plan) {
  Shape shape = x;
  int64_t most[2] = {0, 0};
  for (int i = 0; i + 1 < s->count; ++i) {
    shape[s->passes[i].axis] = s->passes[i].shape.out;
    const int64_t n = shape.elements();
    if (n > most[i % 2]) most[i % 2] = n;
  }
  const int64_t size = static_cast<int64_t>(dtype_size(compute_type(type)));
  s->at_first = plan->add(most[0], size);
  s->at_second = plan->add(most[1], size);
}

Status plan_axes(PrepareContext& ctx, State* s) {
  const Shape &x = ctx.input(kX).shape, &y = ctx.output(0).shape;
  int axes[kMaxRank];
  double scales[kMaxRank];
  SAMPAN_TRY(listed_axes(ctx, x.rank, axes, &s->listed));
  SAMPAN_TRY(scales_of(ctx, axes, s->listed, scales));
  const bool crop = static_cast<ResizeCoordinates>(ctx.attr_int(kCoordinates)) ==
                    ResizeCoordinates::kTfCropAndResize;
  s->roi_at_run = crop && !ctx.input(kRoi).data;
  s->may_leave_image = crop;
  for (int a = x.rank - 1; a >= 0; --a) {
    const int physical = physical_axis(ctx, x.rank, a);
    for (int i = 0; i < s->listed; ++i) {
      if (axes[i] != physical) continue;
      Pass p;
      p.axis = physical;
      p.shape = common_axis(ctx);
      p.shape.in = x[physical];
      p.shape.out = y[physical];
      p.shape.scale = scales[i];
      if (crop) {
        p.roi_entry = i;
        if (!s->roi_at_run) set_roi(ctx.input(kRoi), s->listed, &p);
      }
      const bool whole = !s->roi_at_run && p.shape.roi_begin == 0 && p.shape.roi_end == 1;
      if (whole && p.shape.in == p.shape.out && p.shape.scale == 1) continue;
      SAMPAN_TRY(plan_table(ctx, &p));
      if (!s->roi_at_run) fill_table(ctx.input(kX).dtype, &p);
      s->passes[s->count++] = p;
    }
  }
  return Status();
}

Status prepare(PrepareContext& ctx) {
  State* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  if (ctx.output(0).shape.elements() == 0) return Status();
  SAMPAN_TRY(plan_axes(ctx, s));
  const bool nearest = static_cast<ResizeMode>(ctx.attr_int(kMode)) == ResizeMode::kNearest;
  ctx.kernel_name(nearest ? "resize_nearest_copy" : resize_kernels(ctx.isa()).name);
  if (nearest) return Status();
  WorkspacePlan plan;
  s->wide = plan_wide(ctx.input(kX), ctx.output(0), &plan);
  plan_passes(ctx.input(kX).shape, ctx.input(kX).dtype, s, &plan);
  return plan.request(ctx);
}

// ---- run -----------------------------------------------------------------------------------

// The pass over an axis, or null where the axis is not resized.
const Pass* pass_of(const State& s, int axis) {
  for (int i = 0; i < s.count; ++i)
    if (s.passes[i].axis == axis) return &s.passes[i];
  return nullptr;
}

void copy_elements(const char* src, char* dst, const int32_t* index, int64_t n, size_t bytes) {
  switch (bytes) {
    case 1:
      for (int64_t i = 0; i < n; ++i) dst[i] = src[index[i]];
      return;
    case 4:
      for (int64_t i = 0; i < n; ++i)
        std::memcpy(dst + i * 4, src + static_cast<int64_t>(index[i]) * 4, 4);
      return;
    default:
      for (int64_t i = 0; i < n; ++i)
        std::memcpy(dst + static_cast<size_t>(i) * bytes,
                    src + static_cast<size_t>(index[i]) * bytes, bytes);
  }
}

void run_nearest(const RunContext& ctx, const State& s) {
  const Tensor& x = ctx.input(kX);
  Tensor& y = ctx.output(0);
  int last = x.shape.rank - 1;  // axes after it are copied whole
  while (last > 0 && !pass_of(s, last)) --last;
  size_t bytes = dtype_size(x.dtype);
  for (int i = last + 1; i < x.shape.rank; ++i) bytes *= static_cast<size_t>(x.shape[i]);
  int64_t rows = 1;
  for (int i = 0; i < last; ++i) rows *= y.shape[i];
  const Pass* pass = pass_of(s, last);
  const size_t row_in = bytes * static_cast<size_t>(x.shape[last]);
  const size_t row_out = bytes * static_cast<size_t>(y.shape[last]);
  ctx.parallel_for(rows, grain_for_work(static_cast<int64_t>(row_out)),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t row = begin; row < end; ++row) {
                       int64_t from = 0, scale = 1, left = row;
                       for (int a = last - 1; a >= 0; --a) {
                         const int64_t at = left % y.shape[a];
                         left /= y.shape[a];
                         const Pass* p = pass_of(s, a);
                         from += (p ? p->index[at] : at) * scale;
                         scale *= x.shape[a];
                       }
                       const char* src = x.as<char>() + static_cast<size_t>(from) * row_in;
                       char* dst = y.as<char>() + static_cast<size_t>(row) * row_out;
                       if (pass)
                         copy_elements(src, dst, pass->index, y.shape[last], bytes);
                       else
                         std::memcpy(dst, src, row_out);
                     }
                   });
}

// y[o, i, :] = sum over taps of weight * x[o, index, :], in ascending order of the taps.
template <class T>
void run_pass(const RunContext& ctx, const Pass& p, const Rows& r, const T* x, T* y) {
  const T* weights = static_cast<const T*>(p.weight);
  if constexpr (std::is_same<T, float>::value) {
    const ResizePassF32Fn pass = resize_kernels(ctx.isa()).pass;
    const ResizePassF32 shape{p.shape.in, p.shape.out, r.inner, p.taps, p.index, weights};
    return ctx.parallel_for(r.outer * p.shape.out, grain_for_work(p.taps * r.inner),
                            [&](int64_t b, int64_t e, int) { pass(shape, x, y, b, e); });
  }
  const int64_t out = p.shape.out, inner = r.inner;
  ctx.parallel_for(r.outer * out, grain_for_work(p.taps * inner), [&](int64_t b, int64_t e, int) {
    for (int64_t row = b; row < e; ++row) {
      const int64_t o = row % out;
      const T* from = x + row / out * p.shape.in * inner;
      const int32_t* index = p.index + o * p.taps;
      const T* weight = weights + o * p.taps;
      T* to = y + row * inner;
      const T* first = from + index[0] * inner;
      for (int64_t i = 0; i < inner; ++i) to[i] = weight[0] * first[i];
      for (int64_t t = 1; t < p.taps; ++t) {
        const T* tap = from + index[t] * inner;
        const T w = weight[t];
        for (int64_t i = 0; i < inner; ++i) to[i] += w * tap[i];
      }
    }
  });
}

template <class T>
void run_interpolation(const RunContext& ctx, const State& s, const T* x, T* y) {
  Shape shape = ctx.input(kX).shape;
  T* buffers[] = {workspace_at<T>(ctx, s.at_first), workspace_at<T>(ctx, s.at_second)};
  const T* from = x;
  for (int i = 0; i < s.count; ++i) {
    const Pass& p = s.passes[i];
    T* to = i + 1 == s.count ? y : buffers[i % 2];
    run_pass(ctx, p, rows_of(shape, p.axis), from, to);
    shape[p.axis] = p.shape.out;
    from = to;
  }
  if (s.count == 0) std::memcpy(y, x, static_cast<size_t>(shape.elements()) * sizeof(T));
}

// What lies outside the image takes the extrapolation value.
template <class T>
void extrapolate(const RunContext& ctx, const State& s, T* y) {
  const Shape& shape = ctx.output(0).shape;
  const T value = narrow<T>(static_cast<Wide<T>>(ctx.attr_float(kExtrapolation)));
  for (int i = 0; i < s.count; ++i) {
    const Pass& p = s.passes[i];
    const Rows r = rows_of(shape, p.axis);
    for (int64_t o = 0; o < r.outer * r.n; ++o) {
      if (!p.outside[o % r.n]) continue;
      for (int64_t k = 0; k < r.inner; ++k) y[o * r.inner + k] = value;
    }
  }
}

Status run(RunContext& ctx) {
  State& s = *ctx.state<State>();
  Tensor& y = ctx.output(0);
  if (y.shape.elements() == 0) return Status();
  for (int i = 0; s.roi_at_run && i < s.count; ++i) {
    set_roi(ctx.input(kRoi), s.listed, &s.passes[i]);
    fill_table(y.dtype, &s.passes[i]);
  }
  if (static_cast<ResizeMode>(ctx.attr_int(kMode)) == ResizeMode::kNearest) {
    run_nearest(ctx, s);
  } else {
    run_wide(ctx, s.wide, [&](const auto* x, auto* to) { run_interpolation(ctx, s, x, to); });
  }
  if (s.may_leave_image)
    with_type<kFloats | kInts>(
        y.dtype, [&](auto t) { extrapolate(ctx, s, y.as<typename decltype(t)::type>()); });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Resize, 1)
    .doc(
        "Resizes axes by scales or to sizes. Each axis is interpolated on its own, the last first; "
        "weights are computed in float64. roi, scales, sizes and axes always count the axes as "
        "[N, C, spatial...], whatever the layout.")
    .input("x", sampan::kAnyType)
    .input("roi", sampan::kFloats, sampan::kOptional)
    .input("scales", sampan::kF32, sampan::kOptional)
    .input("sizes", sampan::kI64, sampan::kOptional)
    .output("y")
    .attr_enum(sampan::kMode, "mode", "nearest|linear|cubic", 0)
    .attr_enum(sampan::kCoordinates, "coordinates",
               "half_pixel|half_pixel_symmetric|pytorch_half_pixel|align_corners|asymmetric|"
               "tf_crop_and_resize|tf_half_pixel_for_nn",
               0)
    .attr_enum(sampan::kNearest, "nearest_mode", "round_prefer_floor|round_prefer_ceil|floor|ceil",
               0)
    .attr_float(sampan::kCubicA, "cubic_coeff_a", -0.75f)
    .attr_bool(sampan::kExclude, "exclude_outside", false, "elements outside have no weight")
    .attr_float(sampan::kExtrapolation, "extrapolation_value", 0.0f)
    .attr_bool(sampan::kAntialias, "antialias", false, "widen the filter when shrinking")
    .attr_ints(sampan::kAxes, "axes", -sampan::kMaxRank, sampan::kMaxRank - 1, "empty: all")
    .attr_enum(sampan::kPolicy, "keep_aspect_ratio_policy", "stretch|not_larger|not_smaller", 0)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
