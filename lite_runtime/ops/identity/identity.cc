#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

Status infer(InferContext& ctx) {
  SAMPAN_TRY(same_as_first(ctx));
  copy_values(ctx, ctx.dtype(0), ctx.shape(0));
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Identity, 1)
    .doc("x itself.")
    .input("x", sampan::kAnyType)
    .output("y")
    .infer(sampan::infer)
    .view();
