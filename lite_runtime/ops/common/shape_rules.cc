#include "ops/common/shape_rules.h"

#include <cinttypes>
#include <cstdio>

namespace sampan {

Status same_as_first(InferContext& ctx) {
  ctx.set_output(0, ctx.dtype(0), ctx.shape(0));
  return Status();
}

Status bool_like_first(InferContext& ctx) {
  ctx.set_output(0, DType::kBool, ctx.shape(0));
  return Status();
}

Status normalize_axis(int64_t axis, int rank, int* out) {
  SAMPAN_RULE(axis >= -rank && axis < rank,
              "axis %" PRId64 " is out of range: a tensor of rank %d has axes %d to %d", axis, rank,
              -rank, rank - 1);
  *out = static_cast<int>(axis < 0 ? axis + rank : axis);
  return Status();
}

Status add_axis(int64_t axis, int rank, AxisSet* set) {
  int a = 0;
  SAMPAN_TRY(normalize_axis(axis, rank, &a));
  SAMPAN_RULE(!set->has[a], "axis %d is given twice: every axis may be named once", a);
  set->has[a] = true;
  ++set->count;
  return Status();
}

Status axes_of(const AttrValue& list, int rank, AxisSet* set) {
  for (int i = 0; i < list.size; ++i) SAMPAN_TRY(add_axis(list.ints[i], rank, set));
  return Status();
}

Status axes_of_input(InferContext& ctx, int i, int rank, AxisSet* set) {
  Values axes = values_of(ctx, i);
  for (int k = 0; k < axes.n; ++k) {
    if (!axes[k].known()) return ctx.need_values(i);
    SAMPAN_TRY(add_axis(axes[k].value, rank, set));
  }
  return Status();
}

Status broadcast_shapes(InferContext& ctx, const DimShape& a, const DimShape& b, DimShape* out) {
  DimShape r;
  r.rank = a.rank > b.rank ? a.rank : b.rank;
  DimMath& m = ctx.math();
  for (int i = 0; i < r.rank; ++i) {
    const int ia = i - (r.rank - a.rank), ib = i - (r.rank - b.rank);
    const Dim da = ia < 0 ? Dim(1) : a[ia], db = ib < 0 ? Dim(1) : b[ib];
    if (m.is(da, 1)) {
      r[i] = db;
    } else if (m.is(db, 1)) {
      r[i] = da;
    } else {
      const Tri same = m.equal(da, db);
      if (same == Tri::kYes) {
        r[i] = da;
      } else if (da.known() && db.known()) {
        return Status::error(
            Code::kInvalidArgument,
            "shapes %s and %s do not broadcast: in dimension %d from the right, %" PRId64
            " and %" PRId64 " must be equal or one of them 1",
            ShapeText(a).c_str(), ShapeText(b).c_str(), r.rank - i, da.value, db.value);
      } else if (da.known()) {
        r[i] = da;  // the other one is 1 or equal
      } else if (db.known()) {
        r[i] = db;
      } else {
        r[i] = m.max(da, db);
      }
    }
  }
  *out = r;
  return Status();
}

Values values_of(const InferContext& ctx, int i) {
  Values r;
  const DimShape& s = ctx.shape(i);
  for (int d = 0; d < s.rank; ++d)
    if (s[d].known() && s[d].value == 0) {
      r.known = true;
      return r;
    }
  r.v = ctx.values(i);
  r.known = r.v != nullptr;
  r.n = r.known ? ctx.num_values(i) : 0;
  return r;
}

Status unknown_sizes(InferContext& ctx, int i, DType dtype, int rank) {
  if (!ctx.wants_values() || rank < 0 || rank > kMaxRank) return ctx.need_values(i);
  DimShape y;
  y.rank = rank;
  for (int d = 0; d < rank; ++d) y[d] = ctx.math().fresh();
  ctx.set_output(0, dtype, y);
  return Status();
}

int list_length(const InferContext& ctx, int i) {
  const DimShape& s = ctx.shape(i);
  return s.rank == 1 && s[0].known() && s[0].value <= kMaxRank ? static_cast<int>(s[0].value) : -1;
}

bool can_set_values(InferContext& ctx, DType dtype, const DimShape& shape, int* n) {
  if (!ctx.wants_values() || !in_set(kIndices | kBool, dtype) || !shape.known()) return false;
  int64_t total = 1;
  for (int i = 0; i < shape.rank; ++i) {
    if (shape[i].value > InferContext::kMaxValues) return false;
    total *= shape[i].value;
    if (total > InferContext::kMaxValues) return false;
  }
  *n = static_cast<int>(total);
  return true;
}

void copy_values(InferContext& ctx, DType dtype, const DimShape& shape) {
  int n = 0;
  if (!can_set_values(ctx, dtype, shape, &n)) return;
  Values x = values_of(ctx, 0);
  if (x.known && x.n == n) ctx.set_output_values(0, x.v, n);
}

ShapeText::ShapeText(const DimShape& shape) {
  size_t at = 0;
  auto put = [&](const char* format, auto... args) {
    const int n = snprintf(text + at, sizeof text - at, format, args...);
    if (n > 0) at += static_cast<size_t>(n) < sizeof text - at ? static_cast<size_t>(n) : 0;
  };
  put("%s", "[");
  for (int i = 0; i < shape.rank; ++i) {
    if (i) put("%s", ", ");
    if (shape[i].known())
      put("%" PRId64, shape[i].value);
    else
      put("%s", "?");
  }
  put("%s", "]");
}

}  // namespace sampan
