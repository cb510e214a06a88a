#include "kernels/math/activation_impl.h"

namespace sampan {

const ActivationFn kActivationsAvx512[kActivationCount] = SAMPAN_ACTIVATION_TABLE(simd::F32x16);

}  // namespace sampan
