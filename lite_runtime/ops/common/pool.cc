#include "ops/common/pool.h"

#include "ops/common/shape_rules.h"

namespace sampan {

Status infer_pool(InferContext& ctx, const WindowAttrs& attrs, const AttrValue& kernel_shape) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_TRY(check_image(x, "x"));
  SAMPAN_RULE(kernel_shape.size == x.rank - 2,
              "kernel_shape has %d entries, x %s has %d spatial axes: give one entry for each",
              static_cast<int>(kernel_shape.size), ShapeText(x).c_str(), x.rank - 2);
  Dim kernel[kMaxSpatial], out[kMaxSpatial];
  for (int i = 0; i < x.rank - 2; ++i) kernel[i] = kernel_shape.ints[i];
  SAMPAN_TRY(infer_window(ctx, attrs, x, kernel, out));
  DimShape y = x;
  for (int i = 0; i < x.rank - 2; ++i) y[spatial_axis(attrs.layout, i)] = out[i];
  ctx.set_output(0, ctx.dtype(0), y);
  if (ctx.num_outputs() > 1) ctx.set_output(1, DType::kInt64, y);
  return Status();
}

Status infer_global_pool(InferContext& ctx, Layout layout) {
  DimShape y = ctx.shape(0);
  SAMPAN_TRY(check_image(y, "x"));
  for (int i = 0; i < y.rank - 2; ++i) {
    Dim& d = y[spatial_axis(layout, i)];
    SAMPAN_RULE(ctx.math().less(d, 1) != Tri::kYes, "x %s has no pixels: there is nothing to pool",
                ShapeText(ctx.shape(0)).c_str());
    d = 1;
  }
  ctx.set_output(0, ctx.dtype(0), y);
  return Status();
}

Status prepare_pool(PrepareContext& ctx, const WindowAttrs& attrs, const AttrValue* kernel_shape) {
  PoolState* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  const Tensor &x = ctx.input(0), &y = ctx.output(0);
  int64_t kernel[kMaxSpatial];
  for (int i = 0; i < x.shape.rank - 2; ++i)
    kernel[i] = kernel_shape ? kernel_shape->ints[i] : x.shape[spatial_axis(attrs.layout, i)];
  s->window = resolve_window(attrs, x.shape, y.shape, kernel);
  s->images = x.shape[0];
  s->channels = x.shape[channel_axis(attrs.layout, x.shape.rank)];
  WorkspacePlan plan;
  s->x = plan_staged(x, attrs.layout, &plan);
  s->y = plan_staged(y, attrs.layout, &plan);
  if (ctx.has_output(1)) s->indices = plan_staged(ctx.output(1), attrs.layout, &plan);
  return plan.request(ctx);
}

Pool2dF32 pool_2d_of(const PoolState& s) {
  const Window& w = s.window;
  const int last = w.rank - 1;
  Pool2dF32 p;
  p.channels = p.x_stride = p.y_stride = s.channels;
  p.height = p.out_height = 1;
  p.width = w.in[last];
  p.out_width = w.out[last];
  p.kernel_w = w.kernel[last];
  p.stride_w = w.stride[last];
  p.dilation_w = w.dilation[last];
  p.pad_left = w.pad[last];
  p.pad_right = w.pad_end[last];
  if (w.rank == 1) return p;
  p.height = w.in[0];
  p.out_height = w.out[0];
  p.kernel_h = w.kernel[0];
  p.stride_h = w.stride[0];
  p.dilation_h = w.dilation[0];
  p.pad_top = w.pad[0];
  p.pad_bottom = w.pad_end[0];
  return p;
}

void run_pool_2d(const RunContext& ctx, const PoolState& s, const Pool2dF32& p, Pool2dF32Fn fn,
                 const float* x, float* y) {
  ctx.parallel_for(s.images * p.out_height,
                   grain_for_work(p.out_width * s.window.taps * s.channels),
                   [&](int64_t begin, int64_t end, int) { fn(p, x, y, begin, end); });
}

}  // namespace sampan
