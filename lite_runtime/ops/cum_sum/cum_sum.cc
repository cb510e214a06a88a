#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/indexing.h"

namespace sampan {
namespace {

enum { kExclusive, kReverse };

Status infer(InferContext& ctx) {
  const DimShape& axis = ctx.shape(1);
  SAMPAN_RULE(ctx.shape(0).rank > 0, "a scalar has no axis to sum along");
  SAMPAN_RULE(axis.rank == 0 || (axis.rank == 1 && ctx.math().equal(axis[0], 1) != Tri::kNo),
              "the axis must be a scalar, got shape %s", ShapeText(axis).c_str());
  Values v = values_of(ctx, 1);
  int ignored = 0;
  if (v.known && v.n == 1 && v[0].known())
    SAMPAN_TRY(normalize_axis(v[0].value, ctx.shape(0).rank, &ignored));
  return same_as_first(ctx);
}

template <class T>
void sum_rows(const RunContext& ctx, int axis) {
  using W = Wide<T>;
  const Tensor& x = ctx.input(0);
  const bool exclusive = ctx.attr_bool(kExclusive), reverse = ctx.attr_bool(kReverse);
  int64_t outer = 1, inner = 1;
  const int64_t n = x.shape[axis];
  for (int i = 0; i < axis; ++i) outer *= x.shape[i];
  for (int i = axis + 1; i < x.shape.rank; ++i) inner *= x.shape[i];
  ctx.parallel_for(outer * inner, grain_for(n * static_cast<int64_t>(sizeof(T))),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t r = begin; r < end; ++r) {
                       const int64_t base = r / inner * n * inner + r % inner;
                       W sum = W(0);
                       for (int64_t k = 0; k < n; ++k) {
                         const int64_t at = base + (reverse ? n - 1 - k : k) * inner;
                         const W v = static_cast<W>(x.as<T>()[at]);
                         W next = sum;
                         if constexpr (std::is_integral<W>::value)
                           next = Wrap<W>::add(sum, v);
                         else
                           next = sum + v;
                         ctx.output(0).as<T>()[at] = narrow<T>(exclusive ? sum : next);
                         sum = next;
                       }
                     }
                   });
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  const int rank = x.shape.rank;
  int64_t axis = index_at(ctx.input(1), 0);
  SAMPAN_CHECK(axis >= -rank && axis < rank, Code::kDataError,
               "axis %lld is out of range: x has %d axes", static_cast<long long>(axis), rank);
  if (axis < 0) axis += rank;
  if (x.shape.elements() == 0) return Status();
  const bool known = with_type<kNumbers>(x.dtype, [&](auto tag) {
    sum_rows<typename decltype(tag)::type>(ctx, static_cast<int>(axis));
  });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(CumSum, 1)
    .doc(
        "Running sums along an axis, each with its own element or without (exclusive), from the "
        "start "
        "or from the end (reverse).")
    .input("x", sampan::kNumbers)
    .input("axis", sampan::kIndices)
    .output("y")
    .attr_bool(sampan::kExclusive, "exclusive", false)
    .attr_bool(sampan::kReverse, "reverse", false)
    .infer(sampan::infer)
    .in_place(0)
    .kernel(sampan::run);
