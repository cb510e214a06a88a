#include "ops/common/unary.h"

namespace sampan {
namespace {

enum { kApproximate };

Status run(RunContext& ctx) {
  return ctx.attr_int(kApproximate) == 0 ? run_unary<UnaryOp::kGelu>(ctx)
                                         : run_unary<UnaryOp::kGeluTanh>(ctx);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Gelu, 1)
    .doc("x times the normal distribution function of x; tanh is the usual approximation of it.")
    .input("x", sampan::kFloats)
    .output("y")
    .attr_enum(sampan::kApproximate, "approximate", "none|tanh", 0)
    .infer(sampan::same_as_first)
    .in_place(0)
    .kernel(sampan::prepare_unary<sampan::UnaryOp::kGelu>, sampan::run);
