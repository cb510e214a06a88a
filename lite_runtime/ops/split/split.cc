#include <cinttypes>

#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAxis };

// Without sizes the axis is cut into equal parts; if it does not divide, the last one is smaller.
Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  const int parts = ctx.num_outputs();
  int axis = 0;
  SAMPAN_RULE(x.rank > 0, "a scalar has no axis to split");
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.rank, &axis));
  DimMath& m = ctx.math();
  Values sizes;
  if (ctx.has_input(1)) {
    SAMPAN_RULE(ctx.shape(1).rank == 1, "the sizes must be a list (rank 1), got rank %d",
                ctx.shape(1).rank);
    sizes = values_of(ctx, 1);
    if (!sizes.known && !ctx.wants_values()) return ctx.need_values(1);
    SAMPAN_RULE(!sizes.known || sizes.n == parts,
                "%d sizes are given for %d outputs: they must agree", sizes.n, parts);
  }
  const Dim part = parts == 1 ? x[axis] : m.ceil_div(x[axis], parts);
  Dim at = 0;
  for (int i = 0; i < parts; ++i) {
    DimShape y = x;
    if (ctx.has_input(1) && !sizes.known) {
      y[axis] = m.fresh();
    } else if (sizes.known) {
      SAMPAN_RULE(!sizes[i].known() || sizes[i].value >= 0, "size %d is negative: %" PRId64, i,
                  sizes[i].value);
      y[axis] = sizes[i];
    } else {
      y[axis] = i < parts - 1 ? part : m.sub(x[axis], at);
      SAMPAN_RULE(m.less(y[axis], 0) != Tri::kYes,
                  "an axis of %" PRId64 " elements cannot be cut into %d parts", x[axis].value,
                  parts);
    }
    ctx.set_output(i, ctx.dtype(0), y);
    int n = 0;
    Values v = values_of(ctx, 0);
    if (x.rank == 1 && v.known && at.known() && can_set_values(ctx, ctx.dtype(0), y, &n) &&
        at.value + n <= v.n)
      ctx.set_output_values(i, v.v + at.value, n);
    at = m.add(at, y[axis]);
  }
  SAMPAN_RULE(m.equal(at, x[axis]) != Tri::kNo,
              "the sizes add up to %" PRId64 ", the axis has %" PRId64 " elements", at.value,
              x[axis].value);
  return Status();
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.shape.rank, &axis));
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= x.shape[i];
  for (int i = axis + 1; i < x.shape.rank; ++i) inner *= x.shape[i];
  const size_t size = dtype_size(x.dtype);
  const int64_t row = x.shape[axis] * inner;
  // Sizes that changed since planning must not lead outside of x.
  const int64_t known = ctx.has_input(1) ? ctx.input(1).shape.elements() : 0;
  int64_t at = 0;
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    int64_t length = x.shape[axis] - at;
    if (i < known)
      length = index_at(ctx.input(1), i);
    else if (ctx.has_output(i))
      length = ctx.output(i).shape[axis];
    else if (i < ctx.num_outputs() - 1)
      length = (x.shape[axis] + ctx.num_outputs() - 1) / ctx.num_outputs();
    SAMPAN_CHECK(length >= 0 && length <= x.shape[axis] - at, Code::kDataError,
                 "size %d (%" PRId64 ") reaches beyond the axis of %" PRId64 " elements", i, length,
                 x.shape[axis]);
    if (ctx.has_output(i)) {
      SAMPAN_CHECK(ctx.output(i).shape[axis] == length, Code::kInternal,
                   "output %d was planned with another size", i);
      StridedCopy copy;
      copy.push(outer, length * inner, row);
      copy.push(length * inner, 1, 1);
      run_strided_copy(ctx, copy, ctx.output(i).data,
                       x.as<char>() + static_cast<size_t>(at * inner) * size, size);
    }
    at += length;
  }
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Split, 1)
    .doc(
        "Cuts a tensor along one axis, into the given sizes or into equal parts (the last one "
        "takes "
        "what is left).")
    .input("x", sampan::kAnyType)
    .input("sizes", sampan::kIndices, sampan::kOptional)
    .output("parts", sampan::kVariadic)
    .attr_int(sampan::kAxis, "axis", 0, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "negative counts from the end")
    .infer(sampan::infer)
    .kernel(sampan::run);
