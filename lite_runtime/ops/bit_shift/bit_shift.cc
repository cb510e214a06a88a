#include "ops/common/binary.h"

namespace sampan {
namespace {

enum { kDirection };

Status run(RunContext& ctx) {
  return ctx.attr_int(kDirection) == 0 ? run_binary<BinaryOp::kShiftLeft>(ctx)
                                       : run_binary<BinaryOp::kShiftRight>(ctx);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(BitShift, 1)
    .doc("a shifted by b bits, with broadcasting. A shift by the width or more gives 0.")
    .input("a", sampan::kUnsigned)
    .input("b", sampan::kUnsigned, 0, 0)
    .output("y")
    .attr_enum(sampan::kDirection, "direction", "LEFT|RIGHT", 0)
    .infer(sampan::infer_binary<nullptr>)
    .in_place(0)
    .kernel(sampan::run);
