#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAxes };

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  int64_t rank = int64_t{x.rank} + ctx.attr_list(kAxes).size;
  if (ctx.has_input(1)) {
    Values v = values_of(ctx, 1);
    if (!v.known) {
      const int n = list_length(ctx, 1);
      return unknown_sizes(ctx, 1, ctx.dtype(0), n < 0 ? -1 : x.rank + n);
    }
    rank += v.n;
  }
  SAMPAN_RULE(rank <= kMaxRank, "the result would have %d dimensions, at most %d are supported",
              static_cast<int>(rank), kMaxRank);
  AxisSet axes;
  SAMPAN_TRY(axes_of(ctx.attr_list(kAxes), static_cast<int>(rank), &axes));
  if (ctx.has_input(1)) SAMPAN_TRY(axes_of_input(ctx, 1, static_cast<int>(rank), &axes));
  DimShape y;
  y.rank = static_cast<int>(rank);
  for (int i = 0, from = 0; i < y.rank; ++i) y[i] = axes.has[i] ? Dim(1) : x[from++];
  ctx.set_output(0, ctx.dtype(0), y);
  copy_values(ctx, ctx.dtype(0), y);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Unsqueeze, 1)
    .doc("Inserts axes of size 1, at the positions they have in the result.")
    .input("x", sampan::kAnyType)
    .input("axes", sampan::kIndices, sampan::kOptional)
    .output("y")
    .attr_ints(sampan::kAxes, "axes", -sampan::kMaxRank, sampan::kMaxRank - 1,
               "negative counts from the end")
    .infer(sampan::infer)
    .view();
