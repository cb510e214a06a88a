#include "kernels/math/f64.h"
#include "ops/common/binary.h"
#include "ops/common/convert.h"

namespace sampan {
namespace {

// Integer powers wrap like products do; a negative exponent gives what 1 / x truncates to, 0 for 0.
template <class T, class E>
T integer_power(T base, E exponent) {
  if constexpr (std::is_signed<E>::value) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if constexpr (std::is_signed<T>::value)
        if (base == -1) return exponent % 2 ? T(-1) : T(1);
      return 0;
    }
  }
  T result = 1;
  for (auto e = static_cast<uint64_t>(exponent); e; e >>= 1) {
    if (e & 1) result = Wrap<T>::mul(result, base);
    base = Wrap<T>::mul(base, base);
  }
  return result;
}

template <class T, class E>
T power(T base, E exponent) {
  using WT = Wide<T>;
  using WE = Wide<E>;
  const WT b = static_cast<WT>(base);
  const WE e = static_cast<WE>(exponent);
  if constexpr (std::is_integral<WT>::value && std::is_integral<WE>::value)
    return integer_power(b, e);
  else if constexpr (std::is_same<WT, float>::value && std::is_same<WE, float>::value)
    return narrow<T>(math::pow_f32(b, e));
  else
    return convert<T>(math::pow_f64(static_cast<double>(b), static_cast<double>(e)));
}

template <class T, class E>
void power_row(const void* pa, int64_t step_a, const void* pb, int64_t step_b, void* py,
               int64_t n) {
  const T* a = static_cast<const T*>(pa);
  const E* b = static_cast<const E*>(pb);
  T* y = static_cast<T*>(py);
  for (int64_t i = 0; i < n; ++i) y[i] = power(a[i * step_a], b[i * step_b]);
}

using PowerRow = void (*)(const void* a, int64_t step_a, const void* b, int64_t step_b, void* y,
                          int64_t n);

Status run(RunContext& ctx) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  if (a.dtype == b.dtype) return run_binary_op(ctx, BinaryOp::kPow);
  PowerRow row = nullptr;
  with_type<kNumbers>(a.dtype, [&](auto ta) {
    with_type<kNumbers>(b.dtype, [&](auto tb) {
      row = power_row<typename decltype(ta)::type, typename decltype(tb)::type>;
    });
  });
  if (!row) return type_not_built(a.dtype);
  const BroadcastPlan plan = plan_inputs(ctx, 0, 2);
  const int last = plan.rank - 1;
  const size_t size_a = dtype_size(a.dtype), size_b = dtype_size(b.dtype);
  ctx.parallel_for(plan.total, grain_for(64), [&](int64_t begin, int64_t end, int) {
    for_each_piece(plan, begin, end, [&](const int64_t* at, int64_t first, int64_t n) {
      row(a.as<char>() + static_cast<size_t>(at[0]) * size_a, plan.strides[0][last],
          b.as<char>() + static_cast<size_t>(at[1]) * size_b, plan.strides[1][last],
          ctx.output(0).as<char>() + static_cast<size_t>(first) * size_a, n);
    });
  });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Pow, 1)
    .doc("a to the power of b, with broadcasting, in a's type. Integer powers wrap.")
    .input("a", sampan::kNumbers)
    .input("b", sampan::kNumbers)
    .output("y")
    .infer(sampan::infer_binary<nullptr>)
    .in_place(0)
    .kernel(sampan::run);
