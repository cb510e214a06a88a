#include <cinttypes>

#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

Status infer(InferContext& ctx) {
  SAMPAN_RULE(ctx.shape(0).rank == 1, "the shape must be a list (rank 1), got rank %d",
              ctx.shape(0).rank);
  Values shape = values_of(ctx, 0);
  if (!shape.known) return unknown_sizes(ctx, 0, ctx.dtype(1), list_length(ctx, 0));
  SAMPAN_RULE(shape.n <= kMaxRank, "the shape has %d dimensions, at most %d are supported", shape.n,
              kMaxRank);
  const DimShape& value = ctx.shape(1);
  SAMPAN_RULE(ctx.math().equal(ctx.math().product(value, 0, value.rank), 1) != Tri::kNo,
              "the value must be one element, got shape %s", ShapeText(value).c_str());
  DimShape y;
  y.rank = shape.n;
  for (int i = 0; i < y.rank; ++i) {
    SAMPAN_RULE(!shape[i].known() || shape[i].value >= 0,
                "dimension %d of the shape is %" PRId64 ": expected a size", i, shape[i].value);
    y[i] = shape[i];
  }
  ctx.set_output(0, ctx.dtype(1), y);
  int n = 0;
  Values v = values_of(ctx, 1);
  if (!v.known || v.n != 1 || !can_set_values(ctx, ctx.dtype(1), y, &n)) return Status();
  Dim all[InferContext::kMaxValues];
  for (int i = 0; i < n; ++i) all[i] = v[0];
  ctx.set_output_values(0, all, n);
  return Status();
}

Status run(RunContext& ctx) {
  Tensor& y = ctx.output(0);
  run_fill(ctx, y.data, ctx.input(1).data, dtype_size(y.dtype), y.shape.elements());
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(ConstantOfShape, 1)
    .doc("A tensor of the given shape whose elements all equal value.")
    .input("shape", sampan::kI64)
    .input("value", sampan::kAnyType)
    .output("y")
    .infer(sampan::infer)
    .kernel(sampan::run);
