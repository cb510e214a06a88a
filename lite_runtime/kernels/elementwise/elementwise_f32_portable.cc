#include "kernels/elementwise/elementwise_f32_impl.h"

namespace sampan {

constexpr ElementwiseF32Table kElementwiseF32Portable = make_table<simd::F32x1>("portable");

}  // namespace sampan
