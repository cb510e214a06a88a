#include "kernels/reduce/reduce_impl.h"

namespace sampan {

const ReduceFn kReduceF32Avx2[kReduceCount] = SAMPAN_REDUCE_TABLE(simd::F32x8);

}  // namespace sampan
