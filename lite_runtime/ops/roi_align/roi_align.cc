#include <cinttypes>
#include <cmath>
#include <limits>

#include "ops/common/conv_common.h"
#include "ops/common/shape_rules.h"
#include "ops/common/spatial.h"

namespace sampan {
namespace {

enum { kX, kRois, kBatchIndices };
enum { kMode, kOutHeight, kOutWidth, kSampling, kScale, kHalfPixel, kLayout };

// Samples along each side of an output element, when they follow from the box.
constexpr double kMaxSamples = 4096;

Layout layout_of(const NodeView& node) { return static_cast<Layout>(node.attr_int(kLayout)); }

Status infer(InferContext& ctx) {
  const DimShape &x = ctx.shape(kX), &rois = ctx.shape(kRois), &batch = ctx.shape(kBatchIndices);
  DimMath& m = ctx.math();
  SAMPAN_RULE(x.rank == 4, "x has shape %s: expected a batch of images (rank 4)",
              ShapeText(x).c_str());
  SAMPAN_RULE(rois.rank == 2 && m.equal(rois[1], 4) != Tri::kNo,
              "rois has shape %s: expected [boxes, 4]", ShapeText(rois).c_str());
  SAMPAN_RULE(batch.rank == 1 && m.equal(batch[0], rois[0]) != Tri::kNo,
              "batch_indices has shape %s: expected one for each box of rois %s",
              ShapeText(batch).c_str(), ShapeText(rois).c_str());
  DimShape y = x;
  y[0] = rois[0];
  const int h = spatial_axis(layout_of(ctx), 0), w = spatial_axis(layout_of(ctx), 1);
  SAMPAN_RULE(m.less(x[h], 1) != Tri::kYes && m.less(x[w], 1) != Tri::kYes, "x %s has no pixels",
              ShapeText(x).c_str());
  y[h] = ctx.attr_int(kOutHeight);
  y[w] = ctx.attr_int(kOutWidth);
  ctx.set_output(0, ctx.dtype(kX), y);
  return Status();
}

struct State {
  Staged x, y;
  int64_t h = 0, w = 0, at_rois = 0;
};

Status prepare(PrepareContext& ctx) {
  State* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const Tensor& x = ctx.input(kX);
  WorkspacePlan plan;
  s->x = plan_staged(x, layout_of(ctx), &plan);
  s->y = plan_staged(ctx.output(0), layout_of(ctx), &plan);
  s->h = x.shape[spatial_axis(layout_of(ctx), 0)];
  s->w = x.shape[spatial_axis(layout_of(ctx), 1)];
  if (compute_type(x.dtype) != x.dtype) s->at_rois = plan.add(ctx.input(kRois).shape.elements(), 4);
  ctx.kernel_name("roi_align_portable");
  return plan.request(ctx);
}

// One box in pixels, cut into output elements, each of which is sampled on a grid.
template <class T>
struct Box {
  T y, x, element_h, element_w;
  int64_t samples_h, samples_w;
};

template <class T>
Status box_of(const RunContext& ctx, const T* roi, Box<T>* box) {
  const T scale = static_cast<T>(ctx.attr_float(kScale));
  const bool half = ctx.attr_bool(kHalfPixel);
  const T offset = half ? T(0.5) : T(0);
  box->x = roi[0] * scale - offset;
  box->y = roi[1] * scale - offset;
  T w = roi[2] * scale - offset - box->x, h = roi[3] * scale - offset - box->y;
  if (!half) {
    w = w > 1 ? w : T(1);
    h = h > 1 ? h : T(1);
  }
  box->element_h = h / static_cast<T>(ctx.attr_int(kOutHeight));
  box->element_w = w / static_cast<T>(ctx.attr_int(kOutWidth));
  const int64_t sampling = ctx.attr_int(kSampling);
  box->samples_h = box->samples_w = sampling;
  if (sampling > 0) return Status();
  const double sh = std::ceil(static_cast<double>(box->element_h));
  const double sw = std::ceil(static_cast<double>(box->element_w));
  SAMPAN_CHECK(sh <= kMaxSamples && sw <= kMaxSamples, Code::kDataError,
               "a box of rois is %g x %g pixels: at most %g for each output element are supported",
               static_cast<double>(h), static_cast<double>(w), kMaxSamples);
  box->samples_h = sh > 0 ? static_cast<int64_t>(sh) : 0;
  box->samples_w = sw > 0 ? static_cast<int64_t>(sw) : 0;
  return Status();
}

// The four pixels around a position and their weights; false outside of the image.
template <class T>
bool corners(T y, T x, int64_t h, int64_t w, int64_t* pixel, T* weight) {
  if (!(y >= -1 && y <= static_cast<T>(h) && x >= -1 && x <= static_cast<T>(w))) return false;
  y = y > 0 ? y : T(0);
  x = x > 0 ? x : T(0);
  int64_t y0 = static_cast<int64_t>(y), x0 = static_cast<int64_t>(x), y1 = y0 + 1, x1 = x0 + 1;
  if (y0 >= h - 1) {
    y0 = y1 = h - 1;
    y = static_cast<T>(y0);
  }
  if (x0 >= w - 1) {
    x0 = x1 = w - 1;
    x = static_cast<T>(x0);
  }
  const T ly = y - static_cast<T>(y0), lx = x - static_cast<T>(x0), hy = 1 - ly, hx = 1 - lx;
  pixel[0] = y0 * w + x0;
  pixel[1] = y0 * w + x1;
  pixel[2] = y1 * w + x0;
  pixel[3] = y1 * w + x1;
  weight[0] = hy * hx;
  weight[1] = hy * lx;
  weight[2] = ly * hx;
  weight[3] = ly * lx;
  return true;
}

// One output element of all channels. max takes the greatest weighted corner, as ONNX does.
template <class T>
void pool_element(const State& s, const T* image, const Box<T>& box, int64_t oy, int64_t ox,
                  bool max, T* to) {
  const int64_t n = s.x.channels;
  for (int64_t c = 0; c < n; ++c) to[c] = 0;
  bool first = true;
  for (int64_t sy = 0; sy < box.samples_h; ++sy) {
    const T y = box.y + static_cast<T>(oy) * box.element_h +
                (static_cast<T>(sy) + T(0.5)) * box.element_h / static_cast<T>(box.samples_h);
    for (int64_t sx = 0; sx < box.samples_w; ++sx) {
      const T x = box.x + static_cast<T>(ox) * box.element_w +
                  (static_cast<T>(sx) + T(0.5)) * box.element_w / static_cast<T>(box.samples_w);
      int64_t pixel[4] = {0, 0, 0, 0};
      T w[4] = {0, 0, 0, 0};
      corners(y, x, s.h, s.w, pixel, w);
      for (int64_t c = 0; c < n; ++c) {
        T v[4];
        for (int k = 0; k < 4; ++k) v[k] = w[k] * image[pixel[k] * n + c];
        if (max) {
          T best = v[0];
          for (int k = 1; k < 4; ++k) best = v[k] > best ? v[k] : best;
          to[c] = first || best > to[c] ? best : to[c];
        } else {
          to[c] += v[0] + v[1] + v[2] + v[3];
        }
      }
      first = false;
    }
  }
  if (max) return;
  const int64_t count = box.samples_h * box.samples_w;
  const T divisor = static_cast<T>(count > 0 ? count : 1);
  for (int64_t c = 0; c < n; ++c) to[c] /= divisor;
}

template <class T>
Status align(const RunContext& ctx, const State& s, const T* x, const T* rois, T* y) {
  const int64_t boxes = s.y.images, oh = ctx.attr_int(kOutHeight), ow = ctx.attr_int(kOutWidth);
  const int64_t n = s.x.channels;
  for (int64_t r = 0; r < boxes; ++r) {
    const int64_t image = index_at(ctx.input(kBatchIndices), r);
    SAMPAN_CHECK(image >= 0 && image < s.x.images, Code::kDataError,
                 "batch_indices[%" PRId64 "] is %" PRId64 ": x has %" PRId64 " images", r, image,
                 s.x.images);
    Box<T> box;
    SAMPAN_TRY(box_of(ctx, rois + r * 4, &box));
    const T* from = x + image * s.x.pixels * n;
    T* to = y + r * oh * ow * n;
    ctx.parallel_for(oh * ow, grain_for_work(box.samples_h * box.samples_w * n * 4),
                     [&](int64_t b, int64_t e, int) {
                       for (int64_t i = b; i < e; ++i)
                         pool_element(s, from, box, i / ow, i % ow, ctx.attr_int(kMode) == 1,
                                      to + i * n);
                     });
  }
  return Status();
}

Status run(RunContext& ctx) {
  const State& s = *ctx.state<State>();
  Tensor& out = ctx.output(0);
  if (out.shape.elements() == 0) return Status();
  const void* x = stage_in(ctx, ctx.input(kX), s.x);
  void* y = stage_target(ctx, out, s.y);
  if (out.dtype == DType::kFloat64)
    SAMPAN_TRY(align(ctx, s, static_cast<const double*>(x), ctx.input(kRois).as<double>(),
                     static_cast<double*>(y)));
  else
    SAMPAN_TRY(align(ctx, s, static_cast<const float*>(x),
                     as_float(ctx, ctx.input(kRois), s.at_rois), static_cast<float*>(y)));
  stage_out(ctx, out, s.y);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(RoiAlign, 1)
    .doc(
        "Cuts boxes (x0, y0, x1, y1) out of images and pools each to output_height x output_width "
        "by bilinear samples.")
    .input("x", sampan::kFloats)
    .input("rois", sampan::kFloats, 0, 0)
    .input("batch_indices", sampan::kIndices)
    .output("y")
    .attr_enum(sampan::kMode, "mode", "avg|max", 0)
    .attr_int(sampan::kOutHeight, "output_height", 1, 1, 1 << 20)
    .attr_int(sampan::kOutWidth, "output_width", 1, 1, 1 << 20)
    .attr_int(sampan::kSampling, "sampling_ratio", 0, 0, 4096, "0: as many as the box has pixels")
    .attr_float(sampan::kScale, "spatial_scale", 1.0f)
    .attr_bool(sampan::kHalfPixel, "half_pixel", true, "pixel centers lie at .5")
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
