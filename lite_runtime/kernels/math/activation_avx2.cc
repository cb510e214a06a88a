#include "kernels/math/activation_impl.h"

namespace sampan {

const ActivationFn kActivationsAvx2[kActivationCount] = SAMPAN_ACTIVATION_TABLE(simd::F32x8);

}  // namespace sampan
