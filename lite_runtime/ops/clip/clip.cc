#include <limits>

#include "ops/common/convert.h"
#include "ops/common/unary.h"

namespace sampan {
namespace {

enum { kMin, kMax };
enum { kX, kLow, kHigh };
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Status infer(InferContext& ctx) {
  SAMPAN_TRY(check_parameter(ctx, kMin, "min"));
  SAMPAN_TRY(check_parameter(ctx, kMax, "max"));
  for (int i = kLow; i <= kHigh; ++i) {
    if (!ctx.has_input(i)) continue;
    const DimShape& s = ctx.shape(i);
    SAMPAN_RULE(s.rank == 0 || (s.rank == 1 && ctx.math().equal(s[0], 1) != Tri::kNo),
                "%s must be a scalar, got shape %s", i == kLow ? "min" : "max",
                ShapeText(s).c_str());
  }
  return same_as_first(ctx);
}

// The tighter of attribute and input.
template <class T>
void bounds(const RunContext& ctx, Wide<T>* low, Wide<T>* high) {
  using W = Wide<T>;
  *low = static_cast<W>(convert<T>(ctx.attr_float(kMin)));
  *high = static_cast<W>(convert<T>(ctx.attr_float(kMax)));
  if (ctx.has_input(kLow)) {
    const W v = static_cast<W>(*ctx.input(kLow).as<T>());
    if (v > *low) *low = v;
  }
  if (ctx.has_input(kHigh)) {
    const W v = static_cast<W>(*ctx.input(kHigh).as<T>());
    if (v < *high) *high = v;
  }
}

Status run(RunContext& ctx) {
  const DType type = ctx.input(kX).dtype;
  if (type == DType::kFloat64 || in_set(kInts, type)) {
    bool known = with_type<kInts | dtype_bit(DType::kFloat64)>(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      T low, high;
      bounds<T>(ctx, &low, &high);
      const T* x = ctx.input(kX).as<T>();
      T* y = ctx.output(0).as<T>();
      ctx.parallel_for(ctx.input(kX).shape.elements(), grain_for(sizeof(T)),
                       [&](int64_t begin, int64_t end, int) {
                         for (int64_t i = begin; i < end; ++i) {
                           const T v = low > x[i] ? low : x[i];
                           y[i] = high < v ? high : v;
                         }
                       });
    });
    return known ? Status() : type_not_built(type);
  }
  float low = 0, high = 0;
  const bool known = with_type<kF32 | kHalfs>(
      type, [&](auto tag) { bounds<typename decltype(tag)::type>(ctx, &low, &high); });
  if (!known) return type_not_built(type);
  return run_unary_op(ctx, UnaryOp::kClip, low, high);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Clip, 1)
    .doc(
        "Limits every element to [min, max]: min(max, max(min, x)), so max wins where min > max. "
        "NaN "
        "stays NaN. Bounds may be attributes, scalar inputs, or both: the tighter one holds.")
    .input("x", sampan::kNumbers)
    .input("min", sampan::kNumbers, sampan::kOptional, 0)
    .input("max", sampan::kNumbers, sampan::kOptional, 0)
    .output("y")
    .attr_float(sampan::kMin, "min", -sampan::kInfinity)
    .attr_float(sampan::kMax, "max", sampan::kInfinity)
    .infer(sampan::infer)
    .in_place(sampan::kX)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kClip>, sampan::run);
