#include "kernels/depthwise/depthwise_impl.h"

namespace sampan {

void depthwise_f32_avx2(const DepthwiseF32& d, int64_t y0, int64_t y1, int64_t c0, int64_t c1) {
  Depthwise<simd::F32x8>::run(d, y0, y1, c0, c1);
}

}  // namespace sampan
