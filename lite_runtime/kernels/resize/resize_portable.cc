#include "kernels/resize/resize.h"

namespace sampan {
namespace {

void pass_portable(const ResizePassF32& p, const float* x, float* y, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const float* from = x + row / p.out * p.in * p.inner;
    const int32_t* index = p.index + row % p.out * p.taps;
    const float* weight = p.weight + row % p.out * p.taps;
    for (int64_t i = 0; i < p.inner; ++i) {
      float sum = weight[0] * from[index[0] * p.inner + i];
      for (int64_t t = 1; t < p.taps; ++t) sum = sum + weight[t] * from[index[t] * p.inner + i];
      y[row * p.inner + i] = sum;
    }
  }
}

}  // namespace

const ResizeKernels kResizePortable = {pass_portable, "resize_f32_portable"};

const ResizeKernels& resize_kernels(Isa isa) {
#if SAMPAN_X86
  if (isa == Isa::kAvx512) return kResizeAvx512;
  if (isa == Isa::kAvx2) return kResizeAvx2;
#endif
  (void)isa;
  return kResizePortable;
}

}  // namespace sampan
