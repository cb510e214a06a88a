#include "kernels/norm/norm_impl.h"

namespace sampan {

using V = simd::F32x16;
const NormKernels kNormAvx512 = {row_norm<V, false>, row_norm<V, true>, channel_affine<V>,
                                 channel_sum<V>, "avx512"};

}  // namespace sampan
