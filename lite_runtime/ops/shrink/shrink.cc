#include "ops/common/convert.h"
#include "ops/common/functions.h"

namespace sampan {
namespace {

enum { kLambd, kBias };

Status run(RunContext& ctx) {
  if (in_set(kFloats, ctx.input(0).dtype)) return run_unary_pp<ShrinkFn>(ctx);
  const double lambd = static_cast<double>(ctx.attr_float(kLambd));
  const double bias = static_cast<double>(ctx.attr_float(kBias));
  return run_map<kInts>(ctx, [=](auto x) {
    const double y = ShrinkFn::f64(static_cast<double>(x), lambd, bias);
    return convert<decltype(x)>(y);
  });
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
    .kernel(sampan::run);
