#include "kernels/elementwise/elementwise_f32_impl.h"

namespace sampan {

constexpr ElementwiseF32Table kElementwiseF32Avx512 = make_table<simd::F32x16>("avx512");

}  // namespace sampan
