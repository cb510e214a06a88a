#include "kernels/softmax/softmax_impl.h"

namespace sampan {

const SoftmaxKernels kSoftmaxAvx2 = {softmax_lines<simd::F32x8, false>,
                                     softmax_lines<simd::F32x8, true>, "softmax_f32_avx2",
                                     "log_softmax_f32_avx2"};

}  // namespace sampan
