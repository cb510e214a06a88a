#include <cinttypes>

#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAxis, kLargest, kSorted };

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  int axis = 0;
  SAMPAN_RULE(x.rank > 0, "a scalar has no axis to choose from");
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.rank, &axis));
  Values k = values_of(ctx, 1);
  if (!k.known) {
    if (!ctx.wants_values()) return ctx.need_values(1);
    DimShape y = x;
    y[axis] = ctx.math().fresh();
    ctx.set_output(0, ctx.dtype(0), y);
    if (ctx.num_outputs() > 1) ctx.set_output(1, DType::kInt64, y);
    return Status();
  }
  SAMPAN_RULE(k.n == 1, "k must be one number, got %d", k.n);
  SAMPAN_RULE(!k[0].known() || (k[0].value >= 0 && ctx.math().less(x[axis], k[0]) != Tri::kYes),
              "k is %" PRId64 ": expected 0 to the size of axis %d of %s", k[0].value, axis,
              ShapeText(x).c_str());
  DimShape y = x;
  y[axis] = k[0];
  ctx.set_output(0, ctx.dtype(0), y);
  if (ctx.num_outputs() > 1) ctx.set_output(1, DType::kInt64, y);
  return Status();
}

template <class W>
struct Item {
  W value;
  int64_t index;
};

// Whether a comes before b: the larger (or smaller), NaN beyond every number, then the lower index.
template <class W>
struct Before {
  bool largest;
  bool operator()(const Item<W>& a, const Item<W>& b) const {
    const bool nan_a = a.value != a.value, nan_b = b.value != b.value;
    if (nan_a != nan_b) return nan_a == largest;
    if (!nan_a && a.value != b.value) return (a.value > b.value) == largest;
    return a.index < b.index;
  }
};

// heap[0] is the last in order of the n items; moves the item at i down to its place.
template <class W>
void sift(Item<W>* heap, int64_t n, int64_t i, const Before<W>& before) {
  const Item<W> item = heap[i];
  for (;;) {
    int64_t child = 2 * i + 1;
    if (child >= n) break;
    if (child + 1 < n && before(heap[child], heap[child + 1])) ++child;
    if (!before(item, heap[child])) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = item;
}

template <class T>
void top_row(const T* x, int64_t n, int64_t step, int64_t k, bool largest, Item<Wide<T>>* heap,
             T* values, int64_t* indices) {
  using W = Wide<T>;
  const Before<W> before{largest};
  for (int64_t i = 0; i < k; ++i) heap[i] = {static_cast<W>(x[i * step]), i};
  for (int64_t i = k / 2 - 1; i >= 0; --i) sift(heap, k, i, before);
  for (int64_t i = k; i < n; ++i) {
    const Item<W> item = {static_cast<W>(x[i * step]), i};
    if (!before(item, heap[0])) continue;
    heap[0] = item;
    sift(heap, k, 0, before);
  }
  for (int64_t size = k; size > 0; --size) {
    if (values) values[(size - 1) * step] = narrow<T>(heap[0].value);
    if (indices) indices[(size - 1) * step] = heap[0].index;
    heap[0] = heap[size - 1];
    sift(heap, size - 1, 0, before);
  }
}

Status prepare(PrepareContext& ctx) {
  const Shape& y = ctx.output(0).shape;
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), y.rank, &axis));
  int64_t bytes = 0;
  SAMPAN_CHECK(checked_mul(y[axis], 16 * ctx.threads(), &bytes), Code::kLimit, "k is too large");
  return ctx.workspace(bytes);
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Shape& y = ctx.output(0).shape;
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.shape.rank, &axis));
  const int64_t n = x.shape[axis], k = y[axis];
  if (y.elements() == 0) return Status();
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= x.shape[i];
  for (int i = axis + 1; i < x.shape.rank; ++i) inner *= x.shape[i];
  const bool known = with_type<kNumbers>(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(outer * inner, grain_for(n * static_cast<int64_t>(sizeof(T))),
                     [&](int64_t begin, int64_t end, int thread) {
                       auto* heap = static_cast<Item<Wide<T>>*>(ctx.workspace()) + thread * k;
                       for (int64_t r = begin; r < end; ++r) {
                         const int64_t o = r / inner, i = r % inner, at = o * k * inner + i;
                         top_row(x.as<T>() + o * n * inner + i, n, inner, k,
                                 ctx.attr_bool(kLargest), heap, ctx.output(0).as<T>() + at,
                                 ctx.has_output(1) ? ctx.output(1).as<int64_t>() + at : nullptr);
                       }
                     });
  });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(TopK, 1)
    .doc(
        "The k largest (or smallest) elements along an axis in order, and their positions. Of "
        "equal "
        "elements the first comes first; NaN counts as the largest.")
    .input("x", sampan::kNumbers)
    .input("k", sampan::kIndices)
    .output("values")
    .output("indices", sampan::kOptional)
    .attr_int(sampan::kAxis, "axis", -1, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "negative counts from the end")
    .attr_bool(sampan::kLargest, "largest", true)
    .attr_bool(sampan::kSorted, "sorted", true, "without it the order is free; it is the same here")
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
