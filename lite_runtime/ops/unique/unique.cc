#include <cstring>

#include "ops/common/dtypes.h"
#include "ops/common/reduce.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAxis, kSorted };
enum { kValues, kFirst, kInverse, kCounts };

Status infer(InferContext& ctx) {
  DimShape y = ctx.shape(0);
  int axis = 0;
  SAMPAN_RULE(y.rank > 0, "a scalar has no axis to look along");
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), y.rank, &axis));
  DimShape all;
  all.rank = 1;
  all[0] = y[axis];
  // In the runtime an upper bound, on the host a size that nobody knows.
  if (ctx.wants_values()) y[axis] = ctx.math().fresh();
  DimShape found;
  found.rank = 1;
  found[0] = y[axis];
  ctx.set_output(kValues, ctx.dtype(0), y);
  for (int i = kFirst; i < ctx.num_outputs(); ++i)
    ctx.set_output(i, DType::kInt64, i == kInverse ? all : found);
  return Status();
}

// How slices of x along the axis compare: -1, 0, 1. NaN is above all numbers and equal to itself.
template <class T>
struct Slices {
  const T* x;
  ReduceShape s;
  int compare(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t i = 0; i < s.inner; ++i) {
        const auto u = static_cast<Wide<T>>(x[(o * s.n + a) * s.inner + i]);
        const auto v = static_cast<Wide<T>>(x[(o * s.n + b) * s.inner + i]);
        if (u < v) return -1;
        if (v < u) return 1;
        if ((u != u) != (v != v)) return u != u ? 1 : -1;
      }
    return 0;
  }
};

// Stable, bottom-up; the result is in order[0, n).
template <class T>
void sort_slices(const Slices<T>& slices, int64_t n, int64_t* order, int64_t* spare) {
  int64_t *from = order, *to = spare;
  for (int64_t i = 0; i < n; ++i) from[i] = i;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t begin = 0; begin < n; begin += 2 * width) {
      const int64_t middle = begin + width < n ? begin + width : n;
      const int64_t end = begin + 2 * width < n ? begin + 2 * width : n;
      int64_t a = begin, b = middle;
      for (int64_t k = begin; k < end; ++k)
        to[k] = a < middle && (b >= end || slices.compare(from[a], from[b]) <= 0) ? from[a++]
                                                                                  : from[b++];
    }
    int64_t* swap = from;
    from = to;
    to = swap;
  }
  if (from != order) std::memcpy(order, from, static_cast<size_t>(n) * sizeof(int64_t));
}

Status prepare(PrepareContext& ctx) {
  const Shape& x = ctx.input(0).shape;
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.rank, &axis));
  int64_t bytes = 0;
  SAMPAN_CHECK(checked_mul(x[axis], 4 * 8, &bytes), Code::kLimit, "the axis is too long");
  return ctx.workspace(bytes);
}

struct Tables {
  int64_t *order, *spare, *group, *first;
};

// group[i]: the number of slice i's value, counted in ascending order or in that of appearance;
// first[g]: where it appears first. Returns how many there are.
template <class T>
int64_t group_slices(const Slices<T>& slices, int64_t n, bool sorted, const Tables& t) {
  sort_slices(slices, n, t.order, t.spare);
  int64_t count = 0;
  for (int64_t k = 0; k < n; ++k) {
    const bool fresh = k == 0 || slices.compare(t.order[k - 1], t.order[k]) != 0;
    if (fresh) t.first[count++] = t.order[k];  // the sort is stable, so this is the first one
    t.group[t.order[k]] = count - 1;
  }
  if (sorted) return count;
  // Numbers again, by first appearance.
  for (int64_t g = 0; g < count; ++g) t.spare[g] = -1;
  int64_t next = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t g = t.group[i];
    if (t.spare[g] < 0) {
      t.spare[g] = next;
      t.first[next++] = i;  // of a group that was numbered already, or this one
    }
    t.group[i] = t.spare[g];
  }
  return count;
}

template <class T>
void write_outputs(const RunContext& ctx, const ReduceShape& s, int axis, int64_t count,
                   const Tables& t) {
  const T* x = ctx.input(0).as<T>();
  if (ctx.has_output(kValues)) {
    T* y = ctx.output(kValues).as<T>();
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t g = 0; g < count; ++g)
        std::memcpy(y + (o * count + g) * s.inner, x + (o * s.n + t.first[g]) * s.inner,
                    static_cast<size_t>(s.inner) * sizeof(T));
    Shape shape = ctx.input(0).shape;
    shape[axis] = count;
    ctx.shrink_output(kValues, shape);
  }
  Shape list;
  list.rank = 1;
  list[0] = count;
  if (ctx.has_output(kFirst)) {
    for (int64_t g = 0; g < count; ++g) ctx.output(kFirst).as<int64_t>()[g] = t.first[g];
    ctx.shrink_output(kFirst, list);
  }
  if (ctx.has_output(kInverse))
    for (int64_t i = 0; i < s.n; ++i) ctx.output(kInverse).as<int64_t>()[i] = t.group[i];
  if (ctx.has_output(kCounts)) {
    int64_t* counts = ctx.output(kCounts).as<int64_t>();
    for (int64_t g = 0; g < count; ++g) counts[g] = 0;
    for (int64_t i = 0; i < s.n; ++i) ++counts[t.group[i]];
    ctx.shrink_output(kCounts, list);
  }
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.shape.rank, &axis));
  const ReduceShape s = around_axis(x.shape, axis);
  int64_t* work = static_cast<int64_t*>(ctx.workspace());
  const Tables tables = {work, work + s.n, work + 2 * s.n, work + 3 * s.n};
  const bool known = with_type<kAnyType>(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Slices<T> slices = {x.as<T>(), s};
    const int64_t count = group_slices(slices, s.n, ctx.attr_bool(kSorted), tables);
    write_outputs<T>(ctx, s, axis, count, tables);
  });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Unique, 1)
    .doc(
        "The different slices of x along an axis, in ascending order or in that of their first "
        "appearance; where each appears first, which one every slice is, and how often it occurs.")
    .input("x", sampan::kAnyType)
    .output("values")
    .output("first", sampan::kOptional)
    .output("inverse", sampan::kOptional)
    .output("counts", sampan::kOptional)
    .attr_int(sampan::kAxis, "axis", 0, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "negative counts from the end")
    .attr_bool(sampan::kSorted, "sorted", true)
    .infer(sampan::infer)
    .dynamic_output()
    .kernel(sampan::prepare, sampan::run);
