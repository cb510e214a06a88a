#include "ops/common/group_norm.h"
#include "ops/common/norm_names.h"

namespace sampan {
namespace {

enum { kEpsilon, kLayout };

Layout layout_of(const NodeView& node) { return static_cast<Layout>(node.attr_int(kLayout)); }

Status infer(InferContext& ctx) {
  return infer_group_norm(ctx, layout_of(ctx), 0, ctx.attr_float(kEpsilon));
}

Status prepare(PrepareContext& ctx) {
  return prepare_group_norm(ctx, layout_of(ctx), 0, ctx.attr_float(kEpsilon),
                            SAMPAN_NORM_NAME(ctx.isa(), "instance_norm_f32"));
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(InstanceNormalization, 1)
    .doc(
        "(x - mean) * (scale / sqrt(variance + epsilon)) + bias, with mean and variance of each "
        "channel of each image.")
    .input("x", sampan::kFloats)
    .input("scale", sampan::kFloats, 0, 0)
    .input("bias", sampan::kFloats, 0, 0)
    .output("y")
    .attr_float(sampan::kEpsilon, "epsilon", 1e-5f)
    .attr_enum(sampan::kLayout, "layout", sampan::kLayoutChoices, 0, sampan::kLayoutDoc)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run_group_norm);
