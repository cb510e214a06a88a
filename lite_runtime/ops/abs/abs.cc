#include <cmath>

#include "ops/common/unary.h"

namespace sampan {
namespace {

Status run(RunContext& ctx) {
  return run_map<kNumbers>(ctx, [](auto x) {
    using T = decltype(x);
    if constexpr (std::is_floating_point<T>::value)
      return std::fabs(x);
    else if constexpr (std::is_signed<T>::value)
      return x < 0 ? Wrap<T>::sub(0, x) : x;
    else
      return x;
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Abs, 1)
    .doc("The absolute value. The lowest integer stays itself.")
    .input("x", sampan::kNumbers)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::run);
