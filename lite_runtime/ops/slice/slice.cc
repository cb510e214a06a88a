#include <cinttypes>

#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kData, kStarts, kEnds, kAxesIn, kSteps };

// A position that may count from the end, clamped to [low, high].
Dim clamp_position(DimMath& m, Dim v, Dim size, Dim low, Dim high) {
  const Tri negative = m.less(v, 0);
  if (negative == Tri::kUnknown) return m.fresh();
  if (negative == Tri::kYes) {
    if (v.known() && v.value < INT64_MIN / 2) return low;
    v = m.add(v, size);
  } else if (v.known() && v.value > INT64_MAX / 2) {
    return high;
  }
  return m.min(high, m.max(low, v));  // in this order: high is -1 on an empty axis
}

struct Cut {
  Dim start, length;
};

Status cut_axis(InferContext& ctx, Dim size, Dim start, Dim end, int64_t step, Cut* out) {
  DimMath& m = ctx.math();
  SAMPAN_RULE(step != 0, "a step of 0 makes no slice: steps must be positive or negative");
  // Beyond any axis, so that the arithmetic below cannot overflow.
  constexpr int64_t kLargeStep = int64_t{1} << 48;
  step = step > kLargeStep ? kLargeStep : step < -kLargeStep ? -kLargeStep : step;
  if (step > 0) {
    out->start = clamp_position(m, start, size, 0, size);
    const Dim stop = clamp_position(m, end, size, 0, size);
    out->length = m.max(0, m.ceil_div(m.sub(stop, out->start), step));
  } else {
    const Dim last = m.sub(size, 1);
    out->start = clamp_position(m, start, size, 0, last);
    const Dim stop = clamp_position(m, end, size, -1, last);
    out->length = m.max(0, m.ceil_div(m.sub(out->start, stop), -step));
  }
  return Status();
}

Status operand(InferContext& ctx, int i, int count, Values* out) {
  SAMPAN_RULE(ctx.shape(i).rank == 1, "%s must be a list (rank 1), got rank %d",
              i == kStarts   ? "starts"
              : i == kEnds   ? "ends"
              : i == kAxesIn ? "axes"
                             : "steps",
              ctx.shape(i).rank);
  *out = values_of(ctx, i);
  if (!out->known) return Status();
  SAMPAN_RULE(count < 0 || out->n == count, "starts has %d entries, %s has %d: they must agree",
              count,
              i == kEnds     ? "ends"
              : i == kAxesIn ? "axes"
                             : "steps",
              out->n);
  return Status();
}

void set_values(InferContext& ctx, const DimShape& y, Dim start, int64_t step) {
  int n = 0;
  Values x = values_of(ctx, kData);
  if (y.rank != 1 || !x.known || !start.known() || !can_set_values(ctx, ctx.dtype(0), y, &n))
    return;
  Dim picked[InferContext::kMaxValues];
  for (int i = 0; i < n; ++i) {
    const int64_t from = start.value + i * step;
    if (from < 0 || from >= x.n) return;
    picked[i] = x[static_cast<int>(from)];
  }
  ctx.set_output_values(0, picked, n);
}

// Host only, for an operand whose elements come at run time: the axes that are cut have sizes
// nobody knows.
Status guess(InferContext& ctx, int i, const Values& axes) {
  if (!ctx.wants_values()) return ctx.need_values(i);
  DimShape y = ctx.shape(kData);
  const int count = list_length(ctx, kStarts);
  AxisSet cut;
  bool exact = ctx.has_input(kAxesIn) ? axes.known : count >= 0;
  for (int k = 0; exact && k < (axes.known ? axes.n : count); ++k) {
    if (axes.known && !axes[k].known())
      exact = false;
    else
      SAMPAN_TRY(add_axis(axes.known ? axes[k].value : k, y.rank, &cut));
  }
  for (int d = 0; d < y.rank; ++d)
    if (!exact || cut.has[d]) y[d] = ctx.math().fresh();
  ctx.set_output(0, ctx.dtype(kData), y);
  return Status();
}

Status infer(InferContext& ctx) {
  DimShape y = ctx.shape(kData);
  Values starts, ends, axes, steps;
  SAMPAN_TRY(operand(ctx, kStarts, -1, &starts));
  const int count = starts.known ? starts.n : -1;
  SAMPAN_TRY(operand(ctx, kEnds, count, &ends));
  if (ctx.has_input(kAxesIn)) SAMPAN_TRY(operand(ctx, kAxesIn, count, &axes));
  if (ctx.has_input(kSteps)) SAMPAN_TRY(operand(ctx, kSteps, count, &steps));
  for (int i = kStarts; i <= kSteps; ++i)
    if (ctx.has_input(i) && !values_of(ctx, i).known) return guess(ctx, i, axes);
  AxisSet seen;
  Dim first_start = 0;
  int64_t first_step = 1;
  for (int i = 0; i < starts.n; ++i) {
    int axis = 0;
    int64_t step = 1;
    if (axes.known && !axes[i].known()) return ctx.need_values(kAxesIn);
    SAMPAN_TRY(add_axis(axes.known ? axes[i].value : i, y.rank, &seen));
    SAMPAN_TRY(normalize_axis(axes.known ? axes[i].value : i, y.rank, &axis));
    if (steps.known) {
      if (!steps[i].known()) return ctx.need_values(kSteps);
      step = steps[i].value;
    }
    Cut cut;
    SAMPAN_TRY(cut_axis(ctx, y[axis], starts[i], ends[i], step, &cut));
    y[axis] = cut.length;
    if (axis == 0) {
      first_start = cut.start;
      first_step = step;
    }
  }
  ctx.set_output(0, ctx.dtype(kData), y);
  set_values(ctx, y, first_start, first_step);
  return Status();
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(kData);
  Tensor& y = ctx.output(0);
  int64_t src[kMaxRank], dst[kMaxRank], steps[kMaxRank], from = 0;
  row_major_strides(x.shape, src);
  row_major_strides(y.shape, dst);
  if (y.shape.elements() == 0) return Status();
  for (int i = 0; i < kMaxRank; ++i) steps[i] = 1;
  const int64_t count = ctx.input(kStarts).shape.elements();
  for (int64_t i = 0; i < count; ++i) {
    int axis = 0;
    SAMPAN_TRY(normalize_axis(ctx.has_input(kAxesIn) ? index_at(ctx.input(kAxesIn), i) : i,
                              x.shape.rank, &axis));
    const int64_t size = x.shape[axis];
    const int64_t step = ctx.has_input(kSteps) ? index_at(ctx.input(kSteps), i) : 1;
    int64_t start = index_at(ctx.input(kStarts), i);
    if (start < 0) start = start < -size ? -1 : start + size;
    if (start < 0) start = 0;
    if (start > size - 1) start = size - 1;  // y is not empty, so neither is the axis
    // A step beyond the axis is taken once only: its length does not matter.
    steps[axis] = y.shape[axis] > 1 ? step : 1;
    from += start * src[axis];
  }
  StridedCopy copy;
  for (int i = 0; i < x.shape.rank; ++i) copy.push(y.shape[i], dst[i], src[i] * steps[i]);
  const size_t size = dtype_size(x.dtype);
  run_strided_copy(ctx, copy, y.data,
                   static_cast<const char*>(x.data) + static_cast<size_t>(from) * size, size);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Slice, 1)
    .doc(
        "Takes every step-th element from start to end (exclusive) of each axis, as Python slices "
        "do.")
    .input("x", sampan::kAnyType)
    .input("starts", sampan::kIndices)
    .input("ends", sampan::kIndices)
    .input("axes", sampan::kIndices, sampan::kOptional)
    .input("steps", sampan::kIndices, sampan::kOptional)
    .output("y")
    .infer(sampan::infer)
    .kernel(sampan::run);
