// Reductions over any set of axes. Kept and reduced axes are joined where they are neighbours; what
// remains is done one reduced group after the other, the innermost first, each as
// [outer, n, inner] -> [outer, inner]. Float sums follow the order of docs/numerics.md: 16 lanes
// and a fixed tree over the innermost axis, one ascending chain over others.
//
//   struct SumReduction {
//     static constexpr DTypeSet kTypes = kNumbers;
//     template <class A> static A init();
//     template <class A> static A combine(A a, A b);
//     template <class A> static A finish(A sum, int64_t n);   // n: elements per result
//   };
#pragma once
#include <limits>

#include "ops/common/convert.h"
#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {

enum ReduceAttr { kReduceAxes, kReduceKeepDims, kReduceNoop };

// The axes to reduce: attribute and input together; none at all means all, unless noop is set.
// Shapes only, so that it serves the shape rule.
Status infer_reduce(InferContext& ctx, AxisSet* axes);
Status infer_reduce(InferContext& ctx);

struct ReducePass {
  int64_t outer, n, inner;
};
struct ReducePlan {
  int count = 0;        // passes, at most one per group of reduced axes
  int64_t reduced = 1;  // input elements per result
  ReducePass passes[kMaxRank];
};
// From the run-time inputs.
Status reduce_plan(const TensorContext& ctx, ReducePlan* plan);
// Room for the intermediate results, 8 bytes each.
Status prepare_reduce(PrepareContext& ctx);

// What is summed in: float for the halves, 64 bits for integers.
template <class T>
using Accumulator = std::conditional_t<
    kIsFloat<T>, Wide<T>,
    std::conditional_t<std::is_same<T, Bool>::value || std::is_unsigned<T>::value, uint64_t,
                       int64_t>>;

// One innermost row: 16 lanes, then the tree 8-4-2-1.
template <class A, class Op, class T>
A reduce_row(const T* x, int64_t n) {
  constexpr int kLanes = 16;
  A lane[kLanes];
  for (int j = 0; j < kLanes; ++j) lane[j] = Op::template init<A>();
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int j = 0; j < kLanes; ++j)
      lane[j] = Op::template combine<A>(lane[j], static_cast<A>(x[i + j]));
  for (int j = 0; i + j < n; ++j)
    lane[j] = Op::template combine<A>(lane[j], static_cast<A>(x[i + j]));
  for (int w = kLanes / 2; w > 0; w /= 2)
    for (int j = 0; j < w; ++j) lane[j] = Op::template combine<A>(lane[j], lane[j + w]);
  return lane[0];
}

// y[outer, inner] = combine over n of x[outer, n, inner], for the outer rows [begin, end).
template <class A, class Op, class T>
void reduce_outer(const T* x, A* y, const ReducePass& p, int64_t begin, int64_t end) {
  for (int64_t o = begin; o < end; ++o) {
    const T* from = x + o * p.n * p.inner;
    A* to = y + o * p.inner;
    if (p.inner == 1) {
      *to = reduce_row<A, Op>(from, p.n);
      continue;
    }
    for (int64_t i = 0; i < p.inner; ++i) to[i] = Op::template init<A>();
    for (int64_t k = 0; k < p.n; ++k)
      for (int64_t i = 0; i < p.inner; ++i)
        to[i] = Op::template combine<A>(to[i], static_cast<A>(from[k * p.inner + i]));
  }
}

template <class A, class Op, class T>
void reduce_pass(const RunContext& ctx, const T* x, A* y, const ReducePass& p) {
  const int64_t bytes = p.n * p.inner * static_cast<int64_t>(sizeof(T));
  ctx.parallel_for(p.outer, grain_for(bytes), [&](int64_t begin, int64_t end, int) {
    reduce_outer<A, Op>(x, y, p, begin, end);
  });
}

template <class Op, class T>
void reduce_typed(const RunContext& ctx, const ReducePlan& plan) {
  using A = Accumulator<T>;
  const T* x = ctx.input(0).as<T>();
  T* y = ctx.output(0).as<T>();
  const int64_t results = ctx.output(0).shape.elements();
  if (results == 0) return;
  if (plan.count == 0) {  // nothing to reduce: every element is its own result
    ctx.parallel_for(results, grain_for(sizeof(T)), [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const A v = Op::template combine<A>(Op::template init<A>(), static_cast<A>(x[i]));
        y[i] = convert<T>(Op::template finish<A>(v, 1));
      }
    });
    return;
  }
  A* from = static_cast<A*>(ctx.workspace());
  reduce_pass<A, Op>(ctx, x, from, plan.passes[0]);
  for (int i = 1; i < plan.count; ++i) {
    A* to = from + plan.passes[i - 1].outer * plan.passes[i - 1].inner;
    reduce_pass<A, Op>(ctx, static_cast<const A*>(from), to, plan.passes[i]);
    from = to;
  }
  for (int64_t i = 0; i < results; ++i)
    y[i] = convert<T>(Op::template finish<A>(from[i], plan.reduced));
}

template <class Op>
Status run_reduce(RunContext& ctx) {
  ReducePlan plan;
  SAMPAN_TRY(reduce_plan(ctx, &plan));
  const DType type = ctx.input(0).dtype;
  const bool known = with_type<Op::kTypes>(
      type, [&](auto tag) { reduce_typed<Op, typename decltype(tag)::type>(ctx, plan); });
  return known ? Status() : type_not_built(type);
}

// ---- the reductions ------------------------------------------------------------------------

struct SumReduction {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class A>
  static A init() {
    return A(0);
  }
  template <class A>
  static A combine(A a, A b) {
    if constexpr (std::is_integral<A>::value)
      return Wrap<A>::add(a, b);
    else
      return a + b;
  }
  template <class A>
  static A finish(A sum, int64_t) {
    return sum;
  }
};
struct MeanReduction : SumReduction {
  template <class A>
  static A finish(A sum, int64_t n) {
    if constexpr (std::is_integral<A>::value)
      return n == 0 ? A(0) : static_cast<A>(sum / static_cast<A>(n));
    else
      return sum / static_cast<A>(n);
  }
};
struct ProdReduction {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class A>
  static A init() {
    return A(1);
  }
  template <class A>
  static A combine(A a, A b) {
    if constexpr (std::is_integral<A>::value)
      return Wrap<A>::mul(a, b);
    else
      return a * b;
  }
  template <class A>
  static A finish(A v, int64_t) {
    return v;
  }
};
struct MaxReduction {
  static constexpr DTypeSet kTypes = kAnyType;
  template <class A>
  static A init() {
    return std::is_integral<A>::value ? std::numeric_limits<A>::lowest()
                                      : -std::numeric_limits<A>::infinity();
  }
  template <class A>
  static A combine(A a, A b) {
    return a > b || a != a ? a : b;
  }
  template <class A>
  static A finish(A v, int64_t) {
    return v;
  }
};
struct MinReduction {
  static constexpr DTypeSet kTypes = kAnyType;
  template <class A>
  static A init() {
    return std::is_integral<A>::value ? std::numeric_limits<A>::max()
                                      : std::numeric_limits<A>::infinity();
  }
  template <class A>
  static A combine(A a, A b) {
    return a < b || a != a ? a : b;
  }
  template <class A>
  static A finish(A v, int64_t) {
    return v;
  }
};

}  // namespace sampan

#define SAMPAN_REDUCTION(types, text)                                                          \
  .doc(text " Without axes: over all, or over none if noop_with_empty_axes is set.")           \
      .input("x", types)                                                                       \
      .input("axes", ::sampan::kIndices, ::sampan::kOptional)                                  \
      .output("y")                                                                             \
      .attr_ints(::sampan::kReduceAxes, "axes", -::sampan::kMaxRank, ::sampan::kMaxRank - 1,   \
                 "negative counts from the end")                                               \
      .attr_bool(::sampan::kReduceKeepDims, "keepdims", true, "reduced axes stay with size 1") \
      .attr_bool(::sampan::kReduceNoop, "noop_with_empty_axes", false)
