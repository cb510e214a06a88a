#include <cinttypes>
#include <cmath>

#include "ops/common/convert.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

constexpr DTypeSet kTypes = kFloats | kSigned;

Status float_length(InferContext& ctx, Dim* out) {
  const float* v[3];
  for (int i = 0; i < 3; ++i) v[i] = ctx.float_values(i);
  const double start = static_cast<double>(*v[0]), limit = static_cast<double>(*v[1]);
  const double delta = static_cast<double>(*v[2]);
  const double n = std::ceil((limit - start) / delta);
  SAMPAN_RULE(delta != 0 && n == n,
              "start %g, limit %g, delta %g make no range: delta must not be 0", start, limit,
              delta);
  SAMPAN_RULE(n < 1e15, "the range would have %g elements", n);
  *out = n > 0 ? static_cast<int64_t>(n) : 0;
  return Status();
}

Status infer(InferContext& ctx) {
  for (int i = 0; i < 3; ++i) {
    const DimShape& s = ctx.shape(i);
    SAMPAN_RULE(s.rank == 0 || (s.rank == 1 && ctx.math().equal(s[0], 1) != Tri::kNo),
                "start, limit and delta must be scalars, input %d has shape %s", i,
                ShapeText(s).c_str());
  }
  const DType type = ctx.dtype(0);
  DimShape y;
  y.rank = 1;
  if (in_set(kFloats, type)) {
    for (int i = 0; i < 3; ++i)
      if (!ctx.float_values(i)) return unknown_sizes(ctx, i, type, 1);
    SAMPAN_TRY(float_length(ctx, &y[0]));
    ctx.set_output(0, type, y);
    return Status();
  }
  Values v[3];
  for (int i = 0; i < 3; ++i) {
    v[i] = values_of(ctx, i);
    if (!v[i].known || v[i].n < 1) return unknown_sizes(ctx, i, type, 1);
  }
  const Dim start = v[0][0], limit = v[1][0], delta = v[2][0];
  if (!delta.known()) return unknown_sizes(ctx, 2, type, 1);
  SAMPAN_RULE(delta.value != 0, "a range with delta 0 has no end");
  SAMPAN_RULE(delta.value != INT64_MIN, "delta %" PRId64 " is out of range", delta.value);
  DimMath& m = ctx.math();
  const Dim span = delta.value > 0 ? m.sub(limit, start) : m.sub(start, limit);
  const Dim step = delta.value > 0 ? delta.value : -delta.value;
  y[0] = m.less(span, 1) == Tri::kYes ? Dim(0) : m.max(0, m.ceil_div(span, step));
  ctx.set_output(0, type, y);
  int n = 0;
  if (!can_set_values(ctx, type, y, &n)) return Status();
  Dim all[InferContext::kMaxValues];
  for (int i = 0; i < n; ++i) all[i] = m.add(start, m.mul(delta, i));
  ctx.set_output_values(0, all, n);
  return Status();
}

Status run(RunContext& ctx) {
  Tensor& y = ctx.output(0);
  const int64_t n = y.shape.elements();
  const bool known = with_type<kTypes>(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = Wide<T>;
    const W start = static_cast<W>(*ctx.input(0).as<T>()),
            delta = static_cast<W>(*ctx.input(2).as<T>());
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral<W>::value)
        y.as<T>()[i] = Wrap<W>::add(start, Wrap<W>::mul(static_cast<W>(i), delta));
      else
        y.as<T>()[i] = narrow<T>(start + static_cast<W>(i) * delta);
    }
  });
  return known ? Status() : type_not_built(y.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Range, 1)
    .doc("start, start + delta, ... up to limit (exclusive).")
    .input("start", sampan::kTypes)
    .input("limit", sampan::kTypes, 0, 0)
    .input("delta", sampan::kTypes, 0, 0)
    .output("y")
    .infer(sampan::infer)
    .kernel(sampan::run);
