#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAxis };

void set_values(InferContext& ctx, const DimShape& y) {
  int n = 0;
  if (y.rank != 1 || !can_set_values(ctx, ctx.dtype(0), y, &n)) return;
  Dim all[InferContext::kMaxValues];
  int at = 0;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    Values v = values_of(ctx, i);
    if (!v.known || at + v.n > n) return;
    for (int k = 0; k < v.n; ++k) all[at++] = v[k];
  }
  if (at == n) ctx.set_output_values(0, all, n);
}

Status infer(InferContext& ctx) {
  DimShape y = ctx.shape(0);
  int axis = 0;
  SAMPAN_RULE(y.rank > 0, "scalars cannot be concatenated: give them an axis (Unsqueeze) first");
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), y.rank, &axis));
  DimMath& m = ctx.math();
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    const DimShape& x = ctx.shape(i);
    SAMPAN_RULE(x.rank == y.rank, "input %d has rank %d, input 0 has %d: all must agree", i, x.rank,
                y.rank);
    for (int d = 0; d < y.rank; ++d) {
      if (d == axis) {
        y[d] = m.add(y[d], x[d]);
        continue;
      }
      SAMPAN_RULE(m.equal(x[d], y[d]) != Tri::kNo,
                  "inputs 0 and %d differ in axis %d (%s and %s): only axis %d may differ", i, d,
                  ShapeText(ctx.shape(0)).c_str(), ShapeText(x).c_str(), axis);
      if (x[d].known()) y[d] = x[d];  // the more definite of the two
    }
  }
  ctx.set_output(0, ctx.dtype(0), y);
  set_values(ctx, y);
  return Status();
}

Status run(RunContext& ctx) {
  Tensor& y = ctx.output(0);
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), y.shape.rank, &axis));
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= y.shape[i];
  for (int i = axis + 1; i < y.shape.rank; ++i) inner *= y.shape[i];
  const size_t size = dtype_size(y.dtype);
  const int64_t row = y.shape[axis] * inner;
  int64_t at = 0;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Tensor& x = ctx.input(i);
    const int64_t part = x.shape[axis] * inner;
    StridedCopy copy;
    copy.push(outer, row, part);
    copy.push(part, 1, 1);
    run_strided_copy(ctx, copy, static_cast<char*>(y.data) + static_cast<size_t>(at) * size, x.data,
                     size);
    at += part;
  }
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Concat, 1)
    .doc("Joins tensors along one axis.")
    .input("inputs", sampan::kAnyType, sampan::kVariadic, 0)
    .output("y")
    .attr_int(sampan::kAxis, "axis", 0, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "negative counts from the end")
    .infer(sampan::infer)
    .kernel(sampan::run);
