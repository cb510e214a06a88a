#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  DimShape y;
  y.rank = 2;
  y[0] = x.rank > 0 ? x.rank : 1;  // a scalar counts as a list of one
  // In the runtime an upper bound, on the host a size that nobody knows.
  y[1] = ctx.wants_values() ? ctx.math().fresh() : ctx.math().product(x, 0, x.rank);
  ctx.set_output(0, DType::kInt64, y);
  return Status();
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  const int64_t n = x.shape.elements();
  int64_t* y = ctx.output(0).as<int64_t>();
  int64_t count = 0;
  const bool known = with_type<kAnyType>(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = Wide<T>;
    const T* v = x.as<T>();
    auto set = [](T e) { return static_cast<W>(e) != W(0); };
    for (int64_t i = 0; i < n; ++i) count += set(v[i]);
    int64_t at = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (!set(v[i])) continue;
      int64_t rest = i;
      y[at] = 0;
      for (int d = x.shape.rank - 1; d >= 0; --d) {
        y[d * count + at] = rest % x.shape[d];
        rest /= x.shape[d];
      }
      ++at;
    }
  });
  if (!known) return type_not_built(x.dtype);
  Shape shape;
  shape.rank = 2;
  shape[0] = ctx.output(0).shape[0];
  shape[1] = count;
  ctx.shrink_output(0, shape);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(NonZero, 1)
    .doc("The positions of all elements that are not 0, in row-major order: one column for each.")
    .input("x", sampan::kAnyType)
    .output("y")
    .infer(sampan::infer)
    .dynamic_output()
    .kernel(sampan::run);
