#include "kernels/resize/resize_impl.h"

namespace sampan {

const ResizeKernels kResizeAvx512 = {resize_pass<simd::F32x16>, "resize_f32_avx512"};

}  // namespace sampan
