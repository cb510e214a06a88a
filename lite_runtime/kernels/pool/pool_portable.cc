#include <limits>

#include "kernels/pool/pool.h"

namespace sampan {
namespace {

// The oracle: every tap is looked at.
template <bool kMax>
void pool_portable(const Pool2dF32& p, const float* x, float* y, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const int64_t image = row / p.out_height, oy = row % p.out_height;
    for (int64_t ox = 0; ox < p.out_width; ++ox) {
      for (int64_t c = 0; c < p.channels; ++c) {
        float acc = kMax ? -std::numeric_limits<float>::infinity() : 0.0f;
        int64_t inside = 0, padded = 0;
        for (int64_t t = 0; t < p.kernel_h * p.kernel_w; ++t) {
          const int64_t iy = oy * p.stride_h - p.pad_top + t / p.kernel_w * p.dilation_h;
          const int64_t ix = ox * p.stride_w - p.pad_left + t % p.kernel_w * p.dilation_w;
          padded += iy < p.height + p.pad_bottom && ix < p.width + p.pad_right;
          if (iy < 0 || iy >= p.height || ix < 0 || ix >= p.width) continue;
          ++inside;
          const float v = x[((image * p.height + iy) * p.width + ix) * p.x_stride + c];
          if (kMax)
            acc = acc > v ? acc : v;
          else
            acc = acc + v;
        }
        int64_t count = p.include_pad ? padded : inside;
        if (count < 1) count = 1;
        y[(row * p.out_width + ox) * p.y_stride + c] = kMax ? acc : acc / static_cast<float>(count);
      }
    }
  }
}

void global_average_portable(const float* x, int64_t pixels, int64_t channels, int64_t x_stride,
                             float* y) {
  for (int64_t c = 0; c < channels; ++c) {
    float sum = 0.0f;
    for (int64_t k = 0; k < pixels; ++k) sum = sum + x[k * x_stride + c];
    y[c] = sum / static_cast<float>(pixels);
  }
}

}  // namespace

const PoolKernels kPoolPortable = {pool_portable<true>,         pool_portable<false>,
                                   global_average_portable,     "max_pool_f32_portable",
                                   "average_pool_f32_portable", "global_average_f32_portable"};

const PoolKernels& pool_kernels(Isa isa) {
#if SAMPAN_X86
  if (isa == Isa::kAvx512) return kPoolAvx512;
  if (isa == Isa::kAvx2) return kPoolAvx2;
#endif
  (void)isa;
  return kPoolPortable;
}

}  // namespace sampan
