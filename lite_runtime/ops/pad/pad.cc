#include <cinttypes>
#include <cstring>

#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kMode };
enum { kX, kPads, kValue, kAxesIn };
enum Mode { kConstant, kReflect, kEdge, kWrap };

struct Padding {
  Dim before[kMaxRank], after[kMaxRank];
};

Status padding_of(InferContext& ctx, Padding* out) {
  const int rank = ctx.shape(kX).rank;
  SAMPAN_RULE(ctx.shape(kPads).rank == 1, "pads must be a list (rank 1), got rank %d",
              ctx.shape(kPads).rank);
  Values pads = values_of(ctx, kPads), axes;
  if (!pads.known) return ctx.need_values(kPads);
  int count = rank;
  if (ctx.has_input(kAxesIn)) {
    axes = values_of(ctx, kAxesIn);
    if (!axes.known) return ctx.need_values(kAxesIn);
    count = axes.n;
  }
  SAMPAN_RULE(
      pads.n == 2 * count,
      "pads has %d entries for %d axes: a begin for each axis, then an end for each, are needed",
      pads.n, count);
  AxisSet seen;
  for (int i = 0; i < count; ++i) {
    int axis = i;
    if (axes.known) {
      if (!axes[i].known()) return ctx.need_values(kAxesIn);
      SAMPAN_TRY(add_axis(axes[i].value, rank, &seen));
      SAMPAN_TRY(normalize_axis(axes[i].value, rank, &axis));
    }
    out->before[axis] = pads[i];
    out->after[axis] = pads[i + count];
  }
  return Status();
}

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(kX);
  Padding pads;
  if (!values_of(ctx, kPads).known || (ctx.has_input(kAxesIn) && !values_of(ctx, kAxesIn).known))
    return unknown_sizes(ctx, values_of(ctx, kPads).known ? kAxesIn : kPads, ctx.dtype(kX), x.rank);
  SAMPAN_TRY(padding_of(ctx, &pads));
  if (ctx.has_input(kValue)) {
    const DimShape& v = ctx.shape(kValue);
    SAMPAN_RULE(ctx.math().equal(ctx.math().product(v, 0, v.rank), 1) != Tri::kNo,
                "the constant must be one element, got shape %s", ShapeText(v).c_str());
  }
  DimMath& m = ctx.math();
  DimShape y;
  y.rank = x.rank;
  for (int i = 0; i < x.rank; ++i) {
    y[i] = m.add(m.add(x[i], pads.before[i]), pads.after[i]);
    SAMPAN_RULE(m.less(y[i], 0) != Tri::kYes,
                "pads take away more than axis %d of %s has: the result would have %" PRId64
                " elements",
                i, ShapeText(x).c_str(), y[i].value);
    // Negative pads crop first; the other modes then need something to repeat.
    if (ctx.attr_int(kMode) != kConstant) {
      const Dim kept = m.add(m.add(x[i], m.min(pads.before[i], 0)), m.min(pads.after[i], 0));
      SAMPAN_RULE(m.less(kept, 1) != Tri::kYes || m.is(y[i], 0),
                  "axis %d of %s has nothing left to repeat: only mode constant can pad it", i,
                  ShapeText(x).c_str());
    }
  }
  ctx.set_output(0, ctx.dtype(kX), y);
  return Status();
}

// Where output position p of an axis comes from, in [0, size); -1: the constant. The axis keeps
// [crop, crop + kept) of the input, and position p - before of that.
int64_t source_of(int64_t p, int64_t kept, Mode mode) {
  if (p >= 0 && p < kept) return p;
  switch (mode) {
    case kConstant:
      return -1;
    case kEdge:
      return p < 0 ? 0 : kept - 1;
    case kWrap: {
      const int64_t r = p % kept;
      return r < 0 ? r + kept : r;
    }
    case kReflect:
      break;
  }
  if (kept == 1) return 0;
  const int64_t period = 2 * (kept - 1);
  int64_t r = p % period;
  if (r < 0) r += period;
  return r < kept ? r : period - r;
}

struct Plan {
  int64_t before[kMaxRank], after[kMaxRank];
};

void pads_of(const RunContext& ctx, Plan* out) {
  const int rank = ctx.input(kX).shape.rank;
  for (int i = 0; i < rank; ++i) out->before[i] = out->after[i] = 0;
  const Tensor& pads = ctx.input(kPads);
  const bool some = ctx.has_input(kAxesIn);
  const int64_t count = some ? ctx.input(kAxesIn).shape.elements() : rank;
  for (int64_t i = 0; i < count; ++i) {
    int64_t axis = some ? index_at(ctx.input(kAxesIn), i) : i;
    if (axis < 0) axis += rank;
    out->before[axis] = index_at(pads, i);
    out->after[axis] = index_at(pads, i + count);
  }
}

void pad_constant(const RunContext& ctx, const Plan& plan) {
  const Tensor& x = ctx.input(kX);
  Tensor& y = ctx.output(0);
  const size_t size = dtype_size(x.dtype);
  const uint64_t zero = 0;
  const void* value = ctx.has_input(kValue) ? ctx.input(kValue).data : &zero;
  bool grows = false;
  for (int i = 0; i < x.shape.rank; ++i) grows = grows || plan.before[i] > 0 || plan.after[i] > 0;
  if (grows) run_fill(ctx, y.data, value, size, y.shape.elements());
  int64_t src[kMaxRank], dst[kMaxRank], from = 0, to = 0;
  row_major_strides(x.shape, src);
  row_major_strides(y.shape, dst);
  StridedCopy copy;
  for (int i = 0; i < x.shape.rank; ++i) {
    const int64_t crop = plan.before[i] < 0 ? -plan.before[i] : 0;
    const int64_t end = x.shape[i] + (plan.after[i] < 0 ? plan.after[i] : 0);
    if (end <= crop) return;  // nothing of x is left
    from += crop * src[i];
    to += (plan.before[i] > 0 ? plan.before[i] : 0) * dst[i];
    copy.push(end - crop, dst[i], src[i]);
  }
  run_strided_copy(ctx, copy, y.as<char>() + static_cast<size_t>(to) * size,
                   x.as<char>() + static_cast<size_t>(from) * size, size);
}

// Tables of input offsets for every axis, then one row of the innermost axis after the other.
void pad_repeat(const RunContext& ctx, const Plan& plan, Mode mode) {
  const Tensor& x = ctx.input(kX);
  Tensor& y = ctx.output(0);
  const int rank = x.shape.rank;
  int64_t src[kMaxRank];
  row_major_strides(x.shape, src);
  int64_t* table[kMaxRank];
  int64_t* next = static_cast<int64_t*>(ctx.workspace());
  for (int i = 0; i < rank; ++i) {
    table[i] = next;
    const int64_t crop = plan.before[i] < 0 ? -plan.before[i] : 0;
    const int64_t lead = plan.before[i] > 0 ? plan.before[i] : 0;
    const int64_t kept = x.shape[i] - crop + (plan.after[i] < 0 ? plan.after[i] : 0);
    for (int64_t p = 0; p < y.shape[i]; ++p)
      table[i][p] = (crop + source_of(p - lead, kept, mode)) * src[i];
    next += y.shape[i];
  }
  const int inner = rank - 1;
  const size_t size = dtype_size(x.dtype);
  const int64_t n = y.shape[inner], rows = y.shape.elements() / n;
  const int64_t lead = plan.before[inner] > 0 ? plan.before[inner] : 0;
  const int64_t trail = plan.after[inner] > 0 ? plan.after[inner] : 0;
  ctx.parallel_for(rows, grain_for(n * static_cast<int64_t>(size)),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t r = begin; r < end; ++r) {
                       int64_t at = 0, rest = r;
                       for (int i = inner - 1; i >= 0; --i) {
                         at += table[i][rest % y.shape[i]];
                         rest /= y.shape[i];
                       }
                       const char* from = x.as<char>() + static_cast<size_t>(at) * size;
                       char* to = y.as<char>() + static_cast<size_t>(r * n) * size;
                       auto one = [&](int64_t p) {
                         std::memcpy(to + static_cast<size_t>(p) * size,
                                     from + static_cast<size_t>(table[inner][p]) * size, size);
                       };
                       for (int64_t p = 0; p < lead; ++p) one(p);
                       if (n > lead + trail)
                         std::memcpy(to + static_cast<size_t>(lead) * size,
                                     from + static_cast<size_t>(table[inner][lead]) * size,
                                     static_cast<size_t>(n - lead - trail) * size);
                       for (int64_t p = n - trail; p < n; ++p) one(p);
                     }
                   });
}

Status prepare(PrepareContext& ctx) {
  if (ctx.attr_int(kMode) == kConstant) return Status();
  const Shape& y = ctx.output(0).shape;
  int64_t entries = 0;
  for (int i = 0; i < y.rank; ++i) entries += y[i];
  return ctx.workspace(entries * 8);
}

Status run(RunContext& ctx) {
  if (ctx.output(0).shape.elements() == 0) return Status();
  Plan plan;
  pads_of(ctx, &plan);
  const Mode mode = static_cast<Mode>(ctx.attr_int(kMode));
  if (mode == kConstant || ctx.input(kX).shape.rank == 0)
    pad_constant(ctx, plan);
  else
    pad_repeat(ctx, plan, mode);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Pad, 1)
    .doc(
        "Adds elements before and after each axis: a constant, the nearest (edge), mirrored "
        "without "
        "the border (reflect), or from the other end (wrap). Negative pads crop, before anything "
        "is "
        "added.")
    .input("x", sampan::kAnyType)
    .input("pads", sampan::kIndices)
    .input("value", sampan::kAnyType, sampan::kOptional, 0)
    .input("axes", sampan::kIndices, sampan::kOptional)
    .output("y")
    .attr_enum(sampan::kMode, "mode", "constant|reflect|edge|wrap", 0)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
