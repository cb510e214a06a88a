#include "ops/common/pool.h"

namespace sampan {
namespace {

enum { kKernel, kStrides, kPads, kDilations, kAutoPad, kCeil, kColumnMajor, kLayout };
constexpr DTypeSet kTypes = kFloats | dtype_bit(DType::kInt8) | dtype_bit(DType::kUInt8);

WindowAttrs window_attrs(const NodeView& node) {
  WindowAttrs a;
  a.layout = static_cast<Layout>(node.attr_int(kLayout));
  a.auto_pad = static_cast<AutoPad>(node.attr_int(kAutoPad));
  a.ceil_mode = node.attr_bool(kCeil);
  a.strides = &node.attr_list(kStrides);
  a.dilations = &node.attr_list(kDilations);
  a.pads = &node.attr_list(kPads);
  return a;
}

Status infer(InferContext& ctx) {
  return infer_pool(ctx, window_attrs(ctx), ctx.attr_list(kKernel));
}

Status prepare(PrepareContext& ctx) {
  const bool fast = compute_type(ctx.input(0).dtype) == DType::kFloat32 && !ctx.has_output(1) &&
                    ctx.input(0).shape.rank <= 4;
  ctx.kernel_name(fast ? pool_kernels(ctx.isa()).max_name : "max_pool_portable");
  return prepare_pool(ctx, window_attrs(ctx), &ctx.attr_list(kKernel));
}

// Where an input pixel lies within its channel, as the output `indices` counts.
int64_t position(const Window& w, int64_t pixel, bool column_major) {
  if (!column_major) return pixel;
  int64_t at = 0, left = w.in_pixels;
  for (int i = w.rank - 1; i >= 0; --i) {
    left /= w.in[i];
    at += pixel % w.in[i] * left;
    pixel /= w.in[i];
  }
  return at;
}

// Values and, where the first of the greatest lies in [N, C, spatial...], its position.
template <class T>
void run_with_indices(const RunContext& ctx, const PoolState& s, const T* x, T* y, int64_t* index) {
  const Window& w = s.window;
  const int64_t n = s.channels;
  const bool column_major = ctx.attr_bool(kColumnMajor);
  ctx.parallel_for(s.images * w.out_pixels, grain_for_work(w.taps * n),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t m = begin; m < end; ++m) {
                       const int64_t image = m / w.out_pixels;
                       T* to = y + m * n;
                       int64_t* at = index + m * n;
                       for (int64_t c = 0; c < n; ++c) {
                         to[c] = MaxPooling<T>::lowest();
                         at[c] = (image * n + c) * w.in_pixels;
                       }
                       bool first = true;
                       TapWalk walk(w, m % w.out_pixels);
                       for (int64_t t = 0; t < w.taps; ++t, walk.next()) {
                         const int64_t pixel = walk.pixel();
                         if (pixel < 0) continue;
                         const T* from = x + (image * w.in_pixels + pixel) * n;
                         const int64_t place = position(w, pixel, column_major);
                         for (int64_t c = 0; c < n; ++c) {
                           if (!first && !(from[c] > to[c])) continue;
                           to[c] = from[c];
                           at[c] = (image * n + c) * w.in_pixels + place;
                         }
                         first = false;
                       }
                     }
                   });
}

template <class T>
void run_typed(const RunContext& ctx, const PoolState& s, const void* x, void* y) {
  if constexpr (std::is_same<T, float>::value) {
    if (!ctx.has_output(1) && s.window.rank <= 2) {
      return run_pool_2d(ctx, s, pool_2d_of(s), pool_kernels(ctx.isa()).max,
                         static_cast<const float*>(x), static_cast<float*>(y));
    }
  }
  if (!ctx.has_output(1))
    return run_windows(ctx, s, static_cast<const T*>(x), static_cast<T*>(y), MaxPooling<T>());
  void* index = stage_target(ctx, ctx.output(1), s.indices);
  run_with_indices(ctx, s, static_cast<const T*>(x), static_cast<T*>(y),
                   static_cast<int64_t*>(index));
  stage_out(ctx, ctx.output(1), s.indices);
}

Status run(RunContext& ctx) {
  const PoolState& s = *ctx.state<PoolState>();
  Tensor& out = ctx.output(0);
  if (out.shape.elements() == 0) return Status();
  const void* x = stage_in(ctx, ctx.input(0), s.x);
  void* y = stage_target(ctx, out, s.y);
  switch (out.dtype) {
    case DType::kFloat64:
      run_typed<double>(ctx, s, x, y);
      break;
    case DType::kInt8:
      run_typed<int8_t>(ctx, s, x, y);
      break;
    case DType::kUInt8:
      run_typed<uint8_t>(ctx, s, x, y);
      break;
    default:
      run_typed<float>(ctx, s, x, y);
  }
  stage_out(ctx, out, s.y);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(MaxPool, 1)
    .doc(
        "The greatest element of each window; padding takes no part. A window wholly in the "
        "padding "
        "gives -infinity (the least value for integers). indices are positions in the flattened "
        "[N, C, spatial...] tensor, whatever the layout.")
    .input("x", sampan::kTypes)
    .output("y")
    .output("indices", sampan::kOptional)
    .attr_ints(sampan::kKernel, "kernel_shape", 1, sampan::kMaxWindowAttr)
    .attr_ints(sampan::kStrides, "strides", 1, sampan::kMaxWindowAttr)
    .attr_ints(sampan::kPads, "pads", 0, sampan::kMaxWindowAttr, sampan::kPadsDoc)
    .attr_ints(sampan::kDilations, "dilations", 1, sampan::kMaxWindowAttr)
    .attr_enum(sampan::kAutoPad, "auto_pad", sampan::kAutoPadChoices, 0, sampan::kAutoPadDoc)
    .attr_bool(sampan::kCeil, "ceil_mode", false, "round the output's extent up")
    .attr_bool(sampan::kColumnMajor, "column_major", false,
               "indices count the spatial axes in reverse order")
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
