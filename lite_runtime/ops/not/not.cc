#include <cmath>

#include "ops/common/unary.h"

namespace sampan {
namespace {

Status run(RunContext& ctx) {
  return run_map<kBool>(ctx, [](auto x) { return !x; });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Not, 1)
    .doc("True where x is false.")
    .input("x", sampan::kBool)
    .output("y")
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::run);
