#include "ops/common/unary.h"

namespace sampan {
namespace {

enum { kNegative, kPositive };

Status run(RunContext& ctx) {
  return run_unary_op(ctx, UnaryOp::kIsInf, ctx.attr_bool(kNegative) ? 1.0f : 0.0f,
                      ctx.attr_bool(kPositive) ? 1.0f : 0.0f);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(IsInf, 1)
    .doc("True where x is infinite, of the signs asked for.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_bool(sampan::kNegative, "detect_negative", true)
    .attr_bool(sampan::kPositive, "detect_positive", true)
    .infer(sampan::bool_like_first)
    .kernel(sampan::run);
