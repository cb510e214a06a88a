// The activations that matrix, convolution and depthwise kernels can apply to their results, and
// how they are handed over. kNone and kClip are done in registers by the kernels themselves; every
// other kind is a function over freshly stored, still cached results (ActivationFn).
#pragma once
#include <cstdint>

namespace sampan {

enum class Activation : uint8_t {
  kNone = 0,
  kClip = 1,         // min(p1, max(p0, x)); relu is clip(0, inf), relu6 is clip(0, 6)
  kLeakyRelu = 2,    // x < 0 ? p0 * x : x
  kHardSwish = 3,    // x * hard_sigmoid(x; 1/6, 1/2)
  kHardSigmoid = 4,  // min(1, max(0, p0 * x + p1))
  kSigmoid = 5,
  kSilu = 6,  // x * sigmoid(x)
  kTanh = 7,
  kGelu = 8,      // x * (1 + erf(x / sqrt 2)) / 2
  kGeluTanh = 9,  // the tanh approximation of gelu
  kElu = 10,      // x < 0 ? p0 * (exp(x) - 1) : x
  kSoftplus = 11,
  kMish = 12,
};

// x[0..n) = activation(x[0..n)). The result of an element must not depend on n or on its position.
using ActivationFn = void (*)(float* x, int64_t n, float p0, float p1);

// What happens to a sum before it is stored: + bias, + residual, activation, in this order.
struct EpilogueF32 {
  const float* bias = nullptr;      // one value per output channel, or null: nothing is added
  const float* residual = nullptr;  // same shape as the output, or null; may be the output itself
  int64_t residual_stride = 0;      // floats between pixels (rows) of residual
  Activation act = Activation::kNone;
  float p0 = 0.0f;
  float p1 = 0.0f;
  ActivationFn act_fn = nullptr;  // required unless act is kNone or kClip
};

}  // namespace sampan
