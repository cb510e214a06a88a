#include "kernels/depthwise/depthwise.h"

namespace sampan {

void depthwise_f32_portable(const DepthwiseF32& d, int64_t y0, int64_t y1, int64_t c0, int64_t c1);
void depthwise_f32_avx2(const DepthwiseF32& d, int64_t y0, int64_t y1, int64_t c0, int64_t c1);
void depthwise_f32_avx512(const DepthwiseF32& d, int64_t y0, int64_t y1, int64_t c0, int64_t c1);

const DepthwiseF32Kernels& depthwise_f32_kernels(Isa isa) {
#if SAMPAN_X86
  static constexpr DepthwiseF32Kernels avx512 = {"depthwise_f32_1x16_avx512", Isa::kAvx512, 16,
                                                 depthwise_f32_avx512};
  static constexpr DepthwiseF32Kernels avx2 = {"depthwise_f32_1x8_avx2", Isa::kAvx2, 8,
                                               depthwise_f32_avx2};
  if (isa >= Isa::kAvx512) return avx512;
  if (isa >= Isa::kAvx2) return avx2;
#endif
  static constexpr DepthwiseF32Kernels portable = {"depthwise_f32_1x1_portable", Isa::kPortable, 1,
                                                   depthwise_f32_portable};
  (void)isa;
  return portable;
}

}  // namespace sampan
