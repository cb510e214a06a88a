#include "kernels/math/activation_impl.h"

namespace sampan {

const ActivationFn kActivationsPortable[kActivationCount] = SAMPAN_ACTIVATION_TABLE(simd::F32x1);

ActivationFn activation_fn(Isa isa, Activation activation) {
  const ActivationFn* table = kActivationsPortable;
#if SAMPAN_X86
  if (isa == Isa::kAvx2) table = kActivationsAvx2;
  if (isa == Isa::kAvx512) table = kActivationsAvx512;
#endif
  return table[static_cast<int>(activation)];
}

}  // namespace sampan
