#include <cmath>

#include "ops/common/unary.h"

namespace sampan {
namespace {

Status run(RunContext& ctx) {
  return run_map<kFloats, Bool>(ctx, [](auto x) { return x != x; });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(IsNaN, 1)
    .doc("True where x is not a number.")
    .input("x", sampan::kFloats)
    .output("y")
    .infer(sampan::bool_like_first)
    .kernel(sampan::run);
