// Softmax and log-softmax along the middle axis of a contiguous [outer, n, inner] array.
//
//   softmax      exp(x - m) / s,     m = max(x), s = sum(exp(x - m))
//   log_softmax  (x - m) - log(s)
//
// s is summed in 16 lanes when inner is 1, else as one ascending chain. A line that holds a NaN, or
// an infinity of its own sign rule (+inf, or nothing but -inf), gives NaN throughout, as IEEE
// arithmetic has it. y may be x.
#pragma once
#include <cstdint>

#include "kernels/isa.h"

namespace sampan {

// Lines [begin, end) of the outer * inner lines; line = outer index * inner + inner index.
using SoftmaxF32Fn = void (*)(const float* x, float* y, int64_t n, int64_t inner, int64_t begin,
                              int64_t end);

struct SoftmaxKernels {
  SoftmaxF32Fn softmax, log_softmax;
  const char *softmax_name, *log_softmax_name;
};
const SoftmaxKernels& softmax_kernels(Isa isa);

extern const SoftmaxKernels kSoftmaxPortable, kSoftmaxAvx2, kSoftmaxAvx512;

}  // namespace sampan
