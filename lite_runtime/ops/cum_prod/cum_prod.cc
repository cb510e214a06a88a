#include "ops/common/reduce.h"

namespace sampan {
namespace {

enum { kExclusive, kReverse };

Status infer(InferContext& ctx) {
  const DimShape& axis = ctx.shape(1);
  SAMPAN_RULE(ctx.shape(0).rank > 0, "a scalar has no axis to multiply along");
  SAMPAN_RULE(axis.rank == 0 || (axis.rank == 1 && ctx.math().equal(axis[0], 1) != Tri::kNo),
              "the axis must be a scalar, got shape %s", ShapeText(axis).c_str());
  return same_as_first(ctx);
}

template <class T>
void multiply(const RunContext& ctx, const ReduceShape& s, const ReduceRange& range) {
  using W = Wide<T>;
  const bool exclusive = ctx.attr_bool(kExclusive), reverse = ctx.attr_bool(kReverse);
  for (int64_t o = range.outer0; o < range.outer1; ++o)
    for (int64_t i = range.inner0; i < range.inner1; ++i) {
      W product = W(1);
      for (int64_t k = 0; k < s.n; ++k) {
        const int64_t at = (o * s.n + (reverse ? s.n - 1 - k : k)) * s.inner + i;
        const W x = static_cast<W>(ctx.input(0).as<T>()[at]);
        W next = product;
        if constexpr (std::is_integral<W>::value)
          next = Wrap<W>::mul(product, x);
        else
          next = product * x;
        ctx.output(0).as<T>()[at] = narrow<T>(exclusive ? product : next);
        product = next;
      }
    }
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  const int rank = x.shape.rank;
  int64_t axis = index_at(ctx.input(1), 0);
  SAMPAN_CHECK(axis >= -rank && axis < rank, Code::kDataError,
               "axis %lld is out of range: x has %d axes", static_cast<long long>(axis), rank);
  if (axis < 0) axis += rank;
  if (x.shape.elements() == 0) return Status();
  const ReduceShape shape = around_axis(x.shape, static_cast<int>(axis));
  const bool known = with_type<kNumbers>(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    run_ranges(ctx, shape, sizeof(T),
               [&](const ReduceRange& range) { multiply<T>(ctx, shape, range); });
  });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(CumProd, 1)
    .doc(
        "Running products along an axis, each with its own element or without (exclusive), from "
        "the "
        "start or from the end (reverse).")
    .input("x", sampan::kNumbers)
    .input("axis", sampan::kIndices)
    .output("y")
    .attr_bool(sampan::kExclusive, "exclusive", false)
    .attr_bool(sampan::kReverse, "reverse", false)
    .infer(sampan::infer)
    .kernel(sampan::run);
