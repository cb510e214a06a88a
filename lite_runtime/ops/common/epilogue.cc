#include "ops/common/epilogue.h"

#include "kernels/math/math.h"

namespace sampan {

EpilogueF32 epilogue_of(const TensorContext& ctx, int attr) {
  EpilogueF32 ep;
  ep.act = static_cast<Activation>(ctx.attr_int(attr));
  ep.p0 = ctx.attr_float(attr + 1);
  ep.p1 = ctx.attr_float(attr + 2);
  if (ep.act != Activation::kNone && ep.act != Activation::kClip)
    ep.act_fn = activation_fn(ctx.isa(), ep.act);
  return ep;
}

Status check_activation(const NodeView& node, int attr, DType type) {
  if (type == DType::kFloat32 || type == DType::kFloat16 || type == DType::kBFloat16)
    return Status();
  const Activation act = static_cast<Activation>(node.attr_int(attr));
  const bool plain =
      act == Activation::kNone || (type == DType::kFloat64 && act <= Activation::kLeakyRelu);
  SAMPAN_CHECK(plain, Code::kUnsupported,
               "this activation cannot be part of the operator for elements of type %s: apply it "
               "with an operator of its own",
               dtype_name(type));
  return Status();
}

double activate_f64(Activation act, double x, double p0, double p1) {
  switch (act) {
    case Activation::kClip: {
      const double low = p0 > x ? p0 : x;
      return p1 < low ? p1 : low;
    }
    case Activation::kLeakyRelu:
      return x < 0 ? p0 * x : x;
    default:
      return x;
  }
}

}  // namespace sampan
