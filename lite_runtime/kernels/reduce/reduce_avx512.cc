#include "kernels/reduce/reduce_impl.h"

namespace sampan {

const ReduceFn kReduceF32Avx512[kReduceCount] = SAMPAN_REDUCE_TABLE(simd::F32x16);

}  // namespace sampan
