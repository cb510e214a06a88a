// The activation attributes of Conv, ConvTranspose and MatMul, and what follows their sums.
#pragma once
#include <cstdint>

#include "core/op.h"
#include "kernels/activation.h"

namespace sampan {

// In the order of kernels/activation.h.
constexpr const char* kActivationChoices =
    "none|clip|leaky_relu|hard_swish|hard_sigmoid|sigmoid|silu|tanh|gelu|gelu_tanh|elu|softplus|"
    "mish";
constexpr const char* kActivationDoc =
    "applied to the result, with the parameters act_alpha, act_beta";

// The attribute `activation` at index `attr`, followed by act_alpha and act_beta.
EpilogueF32 epilogue_of(const TensorContext& ctx, int attr);

// float64 knows the activations that need no tables only: fusing is for float32.
Status check_activation(const NodeView& node, int attr, DType type);
double activate_f64(Activation act, double x, double p0, double p1);

}  // namespace sampan
