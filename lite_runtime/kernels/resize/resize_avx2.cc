#include "kernels/resize/resize_impl.h"

namespace sampan {

const ResizeKernels kResizeAvx2 = {resize_pass<simd::F32x8>, "resize_f32_avx2"};

}  // namespace sampan
