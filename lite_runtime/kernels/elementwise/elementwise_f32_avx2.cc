#include "kernels/elementwise/elementwise_f32_impl.h"

namespace sampan {

constexpr ElementwiseF32Table kElementwiseF32Avx2 = make_table<simd::F32x8>("avx2");

}  // namespace sampan
