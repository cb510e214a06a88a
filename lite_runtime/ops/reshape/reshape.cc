#include <cinttypes>

#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAllowZero };

// Where the operand copies a dimension (0), that dimension cancels on both sides, so that -1 can be
// resolved beside symbols and beside dimensions of size 0.
Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_RULE(ctx.shape(1).rank == 1, "the shape must be a list (rank 1), got rank %d",
              ctx.shape(1).rank);
  Values shape = values_of(ctx, 1);
  if (!shape.known) return unknown_sizes(ctx, 1, ctx.dtype(0), list_length(ctx, 1));
  SAMPAN_RULE(shape.n <= kMaxRank, "the new shape has %d dimensions, at most %d are supported",
              shape.n, kMaxRank);
  DimMath& m = ctx.math();
  DimShape y;
  y.rank = shape.n;
  int open = -1;
  bool copied[kMaxRank] = {};
  Dim rest_out = 1;
  for (int i = 0; i < y.rank; ++i) {
    y[i] = shape[i];
    if (m.is(shape[i], -1)) {
      SAMPAN_RULE(open < 0, "dimensions %d and %d of the new shape are both -1: only one may be",
                  open, i);
      open = i;
    } else if (m.is(shape[i], 0) && !ctx.attr_bool(kAllowZero)) {
      SAMPAN_RULE(i < x.rank,
                  "dimension %d of the new shape is 0 (copy), but the input %s has only %d", i,
                  ShapeText(x).c_str(), x.rank);
      y[i] = x[i];
      copied[i] = true;
    } else {
      SAMPAN_RULE(!shape[i].known() || shape[i].value >= 0,
                  "dimension %d of the new shape is %" PRId64 ": expected a size, 0 or -1", i,
                  shape[i].value);
      rest_out = m.mul(rest_out, shape[i]);
    }
  }
  Dim rest_in = 1;
  for (int i = 0; i < x.rank; ++i)
    if (!copied[i]) rest_in = m.mul(rest_in, x[i]);
  if (open >= 0) {
    SAMPAN_RULE(!m.is(rest_out, 0), "-1 beside a dimension of size 0 cannot be resolved (input %s)",
                ShapeText(x).c_str());
    SAMPAN_RULE(!rest_in.known() || !rest_out.known() || rest_in.value % rest_out.value == 0,
                "the elements of %s do not divide into the new shape: %" PRId64
                " is no multiple of %" PRId64,
                ShapeText(x).c_str(), rest_in.value, rest_out.value);
    y[open] = m.divide_exact(rest_in, rest_out);
  } else {
    SAMPAN_RULE(m.equal(rest_in, rest_out) != Tri::kNo,
                "%s cannot be reshaped to %s: the numbers of elements differ", ShapeText(x).c_str(),
                ShapeText(y).c_str());
  }
  ctx.set_output(0, ctx.dtype(0), y);
  copy_values(ctx, ctx.dtype(0), y);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Reshape, 1)
    .doc(
        "The same elements in another shape. In shape, -1 stands for what is left, and 0 copies "
        "the "
        "input's dimension unless allow_zero is set.")
    .input("x", sampan::kAnyType)
    .input("shape", sampan::kI64)
    .output("y")
    .attr_bool(sampan::kAllowZero, "allow_zero", false, "0 means a dimension of size 0")
    .infer(sampan::infer)
    .view();
