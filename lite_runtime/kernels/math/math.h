// Activations over arrays, one table per instruction set, all with the same bits.
#pragma once
#include "kernels/activation.h"
#include "kernels/isa.h"

namespace sampan {

// The function that applies `activation` in place (see ActivationFn). Never null; kNone does
// nothing.
ActivationFn activation_fn(Isa isa, Activation activation);

constexpr int kActivationCount = static_cast<int>(Activation::kMish) + 1;

// One table per instruction set; use activation_fn.
extern const ActivationFn kActivationsPortable[kActivationCount];
extern const ActivationFn kActivationsAvx2[kActivationCount];
extern const ActivationFn kActivationsAvx512[kActivationCount];

}  // namespace sampan
