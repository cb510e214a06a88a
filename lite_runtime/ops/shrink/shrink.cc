#include "ops/common/convert.h"
#include "ops/common/unary.h"

namespace sampan {
namespace {

enum { kLambd, kBias };

Status run(RunContext& ctx) {
  if (in_set(kFloats, ctx.input(0).dtype)) return run_unary_pp<UnaryOp::kShrink>(ctx);
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  const float lambd = ctx.attr_float(kLambd), bias = ctx.attr_float(kBias);
  const bool known = with_type<kInts>(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(
        x.shape.elements(), grain_for(sizeof(T)), [&](int64_t begin, int64_t end, int) {
          for (int64_t i = begin; i < end; ++i) {
            const double v = static_cast<double>(x.as<T>()[i]);
            y.as<T>()[i] = convert<T>(v < -lambd ? v + bias : v > lambd ? v - bias : 0.0);
          }
        });
  });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Shrink, 1)
    .doc("x + bias below -lambd, x - bias above lambd, 0 between.")
    .input("x", sampan::kNumbers)
    .output("y")
    .attr_float(sampan::kLambd, "lambd", 0.5f)
    .attr_float(sampan::kBias, "bias", 0.0f)
    .infer(sampan::infer_parameters)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kShrink>, sampan::run);
