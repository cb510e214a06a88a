#include "kernels/pool/pool_impl.h"

namespace sampan {

using V = simd::F32x16;
const PoolKernels kPoolAvx512 = {pool_2d<V, true>,          pool_2d<V, false>,
                                 global_average<V>,         "max_pool_f32_avx512",
                                 "average_pool_f32_avx512", "global_average_f32_avx512"};

}  // namespace sampan
