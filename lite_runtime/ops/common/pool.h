// What the pooling operators share: shape rule, preparation, and a portable loop over windows.
#pragma once
#include <limits>

#include "kernels/pool/pool.h"
#include "ops/common/dtypes.h"
#include "ops/common/spatial.h"

namespace sampan {

// kernel_shape: one entry per spatial axis.
Status infer_pool(InferContext& ctx, const WindowAttrs& attrs, const AttrValue& kernel_shape);
// All spatial axes become 1.
Status infer_global_pool(InferContext& ctx, Layout layout);

struct PoolState {
  Window window;
  int64_t images = 0, channels = 0;
  Staged x, y, indices;
};
// `kernel` null: the whole image.
Status prepare_pool(PrepareContext& ctx, const WindowAttrs& attrs, const AttrValue* kernel_shape);

// The window as the two-dimensional kernels take it; only for one or two spatial axes.
Pool2dF32 pool_2d_of(const PoolState& s);
// Runs a float32 kernel over all output rows.
void run_pool_2d(const RunContext& ctx, const PoolState& s, const Pool2dF32& p, Pool2dF32Fn fn,
                 const float* x, float* y);

// What a pooling does with one output pixel. Elements are of type T, in channels-last order.
//   static void begin(T* y, int64_t n)
//   void tap(T* y, const T* x, int64_t n) const
//   void finish(T* y, int64_t n, int64_t taps_inside, int64_t taps_with_padding) const
template <class T, class Pooling>
void run_windows(const RunContext& ctx, const PoolState& s, const T* x, T* y, const Pooling& pool) {
  const Window& w = s.window;
  const int64_t n = s.channels;
  ctx.parallel_for(s.images * w.out_pixels, grain_for_work(w.taps * n),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t m = begin; m < end; ++m) {
                       const T* image = x + m / w.out_pixels * w.in_pixels * n;
                       T* to = y + m * n;
                       pool.begin(to, n);
                       int64_t inside = 0, padded = 0;
                       TapWalk walk(w, m % w.out_pixels);
                       for (int64_t t = 0; t < w.taps; ++t, walk.next()) {
                         const int64_t pixel = walk.pixel();
                         padded += walk.in_padding();
                         if (pixel < 0) continue;
                         ++inside;
                         pool.tap(to, image + pixel * n, n);
                       }
                       pool.finish(to, n, inside, padded);
                     }
                   });
}

// Stages input and output around `compute(const T* x, T* y)`, for float32 (halves too) and float64.
template <class F>
Status run_pool(const RunContext& ctx, F&& compute) {
  const PoolState& s = *ctx.state<PoolState>();
  Tensor& out = ctx.output(0);
  if (out.shape.elements() == 0) return Status();
  const void* x = stage_in(ctx, ctx.input(0), s.x);
  void* y = stage_target(ctx, out, s.y);
  if (out.dtype == DType::kFloat64)
    compute(s, static_cast<const double*>(x), static_cast<double*>(y));
  else
    compute(s, static_cast<const float*>(x), static_cast<float*>(y));
  stage_out(ctx, out, s.y);
  return Status();
}

template <class T>
struct AveragePooling {
  bool include_pad = false;
  static void begin(T* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = 0;
  }
  static void tap(T* y, const T* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] += x[i];
  }
  void finish(T* y, int64_t n, int64_t inside, int64_t padded) const {
    const int64_t count = include_pad ? padded : inside;
    const T divisor = static_cast<T>(count > 0 ? count : 1);
    for (int64_t i = 0; i < n; ++i) y[i] /= divisor;
  }
};

template <class T>
struct MaxPooling {
  static T lowest() {
    if constexpr (std::is_floating_point<T>::value)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
  static void begin(T* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = lowest();
  }
  static void tap(T* y, const T* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = y[i] > x[i] ? y[i] : x[i];
  }
  static void finish(T*, int64_t, int64_t, int64_t) {}
};

}  // namespace sampan
