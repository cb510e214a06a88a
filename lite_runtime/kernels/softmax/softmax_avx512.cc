#include "kernels/softmax/softmax_impl.h"

namespace sampan {

const SoftmaxKernels kSoftmaxAvx512 = {softmax_lines<simd::F32x16, false>,
                                       softmax_lines<simd::F32x16, true>, "softmax_f32_avx512",
                                       "log_softmax_f32_avx512"};

}  // namespace sampan
