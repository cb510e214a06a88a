#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kTo };

Status infer(InferContext& ctx) {
  const DType from = ctx.dtype(0), to = ctx.attr_dtype(kTo);
  SAMPAN_RULE(dtype_size(to) == dtype_size(from),
              "the bits of %s cannot be read as %s: elements must have the same size",
              dtype_name(from), dtype_name(to));
  ctx.set_output(0, to, ctx.shape(0));
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(BitCast, 1)
    .doc("The same bytes read as another element type of the same size.")
    .input("x", sampan::kAnyType)
    .output("y")
    .attr_dtype(sampan::kTo, "to", sampan::DType::kFloat32)
    .infer(sampan::infer)
    .view();
