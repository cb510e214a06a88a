#include "ops/common/binary.h"

namespace sampan {
namespace {

enum { kFmod };

Status infer(InferContext& ctx) {
  SAMPAN_RULE(ctx.attr_bool(kFmod) || !in_set(kFloats, ctx.dtype(0)),
              "Mod of %s needs fmod = 1: the sign rule of fmod = 0 is for integers",
              dtype_name(ctx.dtype(0)));
  return infer_broadcast(ctx, false, dim_mod);
}

Status run(RunContext& ctx) {
  return ctx.attr_bool(kFmod) ? run_division<BinaryOp::kFmod>(ctx)
                              : run_division<BinaryOp::kMod>(ctx);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Mod, 1)
    .doc("The remainder of a / b, with broadcasting: with the sign of b, or of a if fmod is set.")
    .input("a", sampan::kNumbers)
    .input("b", sampan::kNumbers, 0, 0)
    .output("y")
    .attr_bool(sampan::kFmod, "fmod", false, "C's fmod: the result has the sign of a")
    .infer(sampan::infer)
    .in_place(0)
    .kernel(sampan::run);
