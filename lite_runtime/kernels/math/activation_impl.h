// Activation loops over a vector type. Included by one translation unit per instruction set.
#pragma once
#include "kernels/math/math.h"
#include "kernels/math/math_impl.h"

namespace sampan {
namespace {

template <class V, Activation A>
inline V activate(V x, V p0, V p1) {
  switch (A) {
    case Activation::kNone:
      return x;
    case Activation::kClip:
      return V::min(p1, V::max(p0, x));
    case Activation::kLeakyRelu:
      return math::leaky_relu(x, p0);
    case Activation::kHardSwish:
      return math::hard_swish(x);
    case Activation::kHardSigmoid:
      return math::hard_sigmoid(x, p0, p1);
    case Activation::kSigmoid:
      return math::sigmoid(x);
    case Activation::kSilu:
      return math::silu(x);
    case Activation::kTanh:
      return math::tanh(x);
    case Activation::kGelu:
      return math::gelu(x);
    case Activation::kGeluTanh:
      return math::gelu_tanh(x);
    case Activation::kElu:
      return math::elu(x, p0);
    case Activation::kSoftplus:
      return math::softplus(x);
    case Activation::kMish:
      return math::mish(x);
  }
  return x;
}

template <class V, Activation A>
void activate_array(float* x, int64_t n, float p0, float p1) {
  if (A == Activation::kNone) return;
  const V v0 = V::set1(p0), v1 = V::set1(p1);
  int64_t i = 0;
  for (; i + V::W <= n; i += V::W) V::store(x + i, activate<V, A>(V::load(x + i), v0, v1));
  if (i < n) {
    const int rest = static_cast<int>(n - i);
    V::store(x + i, activate<V, A>(V::load(x + i, rest), v0, v1), rest);
  }
}

// The rows of a table, in the order of the enumeration.
#define SAMPAN_ACTIVATION_TABLE(V)                                                            \
  {                                                                                           \
    activate_array<V, Activation::kNone>, activate_array<V, Activation::kClip>,               \
        activate_array<V, Activation::kLeakyRelu>, activate_array<V, Activation::kHardSwish>, \
        activate_array<V, Activation::kHardSigmoid>, activate_array<V, Activation::kSigmoid>, \
        activate_array<V, Activation::kSilu>, activate_array<V, Activation::kTanh>,           \
        activate_array<V, Activation::kGelu>, activate_array<V, Activation::kGeluTanh>,       \
        activate_array<V, Activation::kElu>, activate_array<V, Activation::kSoftplus>,        \
        activate_array<V, Activation::kMish>                                                  \
  }

}  // namespace
}  // namespace sampan
