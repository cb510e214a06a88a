#include <cinttypes>

#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAxes };

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  AxisSet axes;
  SAMPAN_TRY(axes_of(ctx.attr_list(kAxes), x.rank, &axes));
  if (ctx.has_input(1)) {
    if (!values_of(ctx, 1).known) {
      const int n = list_length(ctx, 1);
      return unknown_sizes(ctx, 1, ctx.dtype(0), n < 0 ? -1 : x.rank - n);
    }
    SAMPAN_TRY(axes_of_input(ctx, 1, x.rank, &axes));
  }
  const bool all = axes.count == 0 && !ctx.has_input(1);
  DimShape y;
  for (int i = 0; i < x.rank; ++i) {
    const bool drop = all ? ctx.math().is(x[i], 1) : axes.has[i];
    SAMPAN_RULE(!drop || !x[i].known() || x[i].value == 1,
                "axis %d of %s has size %" PRId64 ": only axes of size 1 can be removed", i,
                ShapeText(x).c_str(), x[i].value);
    if (!drop) y[y.rank++] = x[i];
  }
  ctx.set_output(0, ctx.dtype(0), y);
  copy_values(ctx, ctx.dtype(0), y);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Squeeze, 1)
    .doc("Removes axes of size 1: the named ones, or all if none are named.")
    .input("x", sampan::kAnyType)
    .input("axes", sampan::kIndices, sampan::kOptional)
    .output("y")
    .attr_ints(sampan::kAxes, "axes", -sampan::kMaxRank, sampan::kMaxRank - 1,
               "negative counts from the end")
    .infer(sampan::infer)
    .view();
