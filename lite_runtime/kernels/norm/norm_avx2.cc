#include "kernels/norm/norm_impl.h"

namespace sampan {

using V = simd::F32x8;
const NormKernels kNormAvx2 = {row_norm<V, false>, row_norm<V, true>, channel_affine<V>,
                               channel_sum<V>, "avx2"};

}  // namespace sampan
