#include "ops/common/softmax.h"

namespace sampan {
namespace {

enum { kAxis };

Status prepare(PrepareContext& ctx) { return prepare_softmax(ctx, "hardmax_portable"); }

Status run(RunContext& ctx) {
  return run_softmax(ctx, nullptr, [](const auto* x, auto* y, int64_t n, int64_t stride) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; ++i)
      if (x[i * stride] > x[best * stride]) best = i;
    for (int64_t i = 0; i < n; ++i) y[i * stride] = i == best;
  });
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Hardmax, 1)
    .doc("1 at the first of the greatest elements along one axis, 0 elsewhere.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_int(sampan::kAxis, "axis", -1, -sampan::kMaxRank, sampan::kMaxRank - 1)
    .infer(sampan::infer_softmax)
    .in_place(0)
    .kernel(sampan::prepare, sampan::run);
