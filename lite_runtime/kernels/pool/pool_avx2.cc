#include "kernels/pool/pool_impl.h"

namespace sampan {

using V = simd::F32x8;
const PoolKernels kPoolAvx2 = {pool_2d<V, true>,        pool_2d<V, false>,
                               global_average<V>,       "max_pool_f32_avx2",
                               "average_pool_f32_avx2", "global_average_f32_avx2"};

}  // namespace sampan
