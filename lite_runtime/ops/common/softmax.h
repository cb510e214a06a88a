// What Softmax, LogSoftmax and Hardmax share: one attribute, `axis`, and a function of each row.
#pragma once
#include <limits>
#include <type_traits>

#include "kernels/softmax/softmax.h"
#include "ops/common/lanes.h"
#include "ops/common/rows.h"

namespace sampan {

// Attribute 0 is the axis.
Status infer_softmax(InferContext& ctx);

struct SoftmaxState {
  Rows rows;
  WideTensors wide;
};
Status prepare_softmax(PrepareContext& ctx, const char* name);

template <class T>
T row_max(const T* x, int64_t n, int64_t stride) {
  T m = -std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < n; ++i) m = m > x[i * stride] ? m : x[i * stride];
  return m;
}

// exp(x - m) added up in one chain.
template <class T>
T exp_sum(const T* x, int64_t n, int64_t stride, T m) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += exp_of(x[i * stride] - m);
  return sum;
}

// Calls fast(x, y, n, inner, begin, end) for lines of float32 if it is given, else row(x, y, n,
// stride) for every line along the axis.
template <class F>
Status run_softmax(const RunContext& ctx, SoftmaxF32Fn fast, F&& row) {
  const SoftmaxState& s = *ctx.state<SoftmaxState>();
  const Rows& r = s.rows;
  if (r.total() == 0) return Status();
  run_wide(ctx, s.wide, [&](const auto* x, auto* y) {
    ctx.parallel_for(r.outer * r.inner, grain_for_work(r.n * 16), [&](int64_t b, int64_t e, int) {
      if constexpr (std::is_same<decltype(y), float*>::value) {
        if (fast) return fast(x, y, r.n, r.inner, b, e);
      }
      for (int64_t i = b; i < e; ++i) {
        const int64_t at = i / r.inner * r.n * r.inner + i % r.inner;
        row(x + at, y + at, r.n, r.inner);
      }
    });
  });
  return Status();
}

}  // namespace sampan
