#include <cmath>

#include "ops/common/unary.h"

namespace sampan {
namespace {

Status run(RunContext& ctx) {
  return run_map<kNumbers>(ctx, [](auto x) {
    using T = decltype(x);
    if constexpr (std::is_floating_point<T>::value)
      if (x != x) return x;
    return static_cast<T>(x > T(0) ? 1 : x < T(0) ? -1 : 0);
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Sign, 1)
    .doc("-1, 0 or 1; NaN for NaN.")
    .input("x", sampan::kNumbers)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::run);
