#include "ops/common/unary.h"

#include <cstring>

namespace sampan {
namespace {

template <class T>
void half_block(const T* x, T* y, int64_t n, BlockF32 f, float p0, float p1) {
  constexpr int64_t kBlock = 512;
  float block[kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t part = n - at < kBlock ? n - at : kBlock;
    for (int64_t i = 0; i < part; ++i) block[i] = static_cast<float>(x[at + i]);
    f(block, part, p0, p1);
    for (int64_t i = 0; i < part; ++i) y[at + i] = T::from(block[i]);
  }
}

void float_block(const float* x, float* y, int64_t n, BlockF32 f, float p0, float p1) {
  constexpr int64_t kBlock = 2048;  // copied and worked on while in the first-level cache
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t part = n - at < kBlock ? n - at : kBlock;
    if (x != y) std::memcpy(y + at, x + at, static_cast<size_t>(part) * sizeof(float));
    f(y + at, part, p0, p1);
  }
}

}  // namespace

Status run_float_unary(RunContext& ctx, BlockF32 f32, ScalarF64 f64, float p0, float p1) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  const bool known = with_type<kFloats>(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = x.as<T>();
    T* to = y.as<T>();
    ctx.parallel_for(x.shape.elements(), grain_for(sizeof(T)),
                     [&](int64_t begin, int64_t end, int) {
                       if constexpr (std::is_same<T, float>::value) {
                         float_block(from + begin, to + begin, end - begin, f32, p0, p1);
                       } else if constexpr (std::is_same<T, double>::value) {
                         for (int64_t i = begin; i < end; ++i)
                           to[i] = f64(from[i], static_cast<double>(p0), static_cast<double>(p1));
                       } else {
                         half_block(from + begin, to + begin, end - begin, f32, p0, p1);
                       }
                     });
  });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace sampan
