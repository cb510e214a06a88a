#include <cmath>

#include "ops/common/unary.h"

namespace sampan {
namespace {

Status run(RunContext& ctx) {
  return run_map<kInts>(ctx, [](auto x) { return static_cast<decltype(x)>(~x); });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(BitwiseNot, 1)
    .doc("All bits of x inverted.")
    .input("x", sampan::kInts)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::run);
