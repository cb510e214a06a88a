#include "kernels/math/math_impl.h"
#include "kernels/softmax/softmax.h"

namespace sampan {
namespace {

using simd::F32x1;

// The oracle, in plain loops.
float exp_sum(const float* x, int64_t n, int64_t stride, float m) {
  float lane[16] = {};
  const int64_t lanes = stride == 1 ? 16 : 1;
  for (int64_t i = 0; i < n; ++i) lane[i % lanes] += math::exp(F32x1{x[i * stride] - m}).v;
  if (lanes == 1) return lane[0];
  for (int w = 8; w > 0; w /= 2)
    for (int j = 0; j < w; ++j) lane[j] += lane[j + w];
  return lane[0];
}

template <bool kLog>
void softmax_portable(const float* x_, float* y_, int64_t n, int64_t inner, int64_t begin,
                      int64_t end) {
  for (int64_t i = begin; i < end && n > 0; ++i) {
    const int64_t offset = i / inner * n * inner + i % inner;
    const float* x = x_ + offset;
    float* y = y_ + offset;
    float m = x[0];
    for (int64_t k = 1; k < n; ++k) m = m > x[k * inner] ? m : x[k * inner];
    const float sum = exp_sum(x, n, inner, m);
    const float log_sum = math::log(F32x1{sum}).v;
    for (int64_t k = 0; k < n; ++k) {
      const float d = x[k * inner] - m;
      y[k * inner] = kLog ? d - log_sum : math::exp(F32x1{d}).v / sum;
    }
  }
}

}  // namespace

const SoftmaxKernels kSoftmaxPortable = {softmax_portable<false>, softmax_portable<true>,
                                         "softmax_f32_portable", "log_softmax_f32_portable"};

const SoftmaxKernels& softmax_kernels(Isa isa) {
#if SAMPAN_X86
  if (isa == Isa::kAvx512) return kSoftmaxAvx512;
  if (isa == Isa::kAvx2) return kSoftmaxAvx2;
#endif
  (void)isa;
  return kSoftmaxPortable;
}

}  // namespace sampan
