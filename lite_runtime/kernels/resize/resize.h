// One axis of a separable interpolation: each output element is a weighted sum of a few input
// elements, which a table names. Linear, cubic and antialiased resizing are passes of this kind,
// one per axis; nearest is a pass with one tap of weight 1.
#pragma once
#include <cstdint>

#include "kernels/isa.h"

namespace sampan {

// y[o, i, :] = w[i, 0] * x[o, index[i, 0], :], then + w[i, t] * x[o, index[i, t], :] for t = 1, 2,
// ... Products are rounded before they are added. index: [out, taps] in [0, in); weight: [out,
// taps].
struct ResizePassF32 {
  int64_t in = 0, out = 0, inner = 1;
  int64_t taps = 1;
  const int32_t* index = nullptr;
  const float* weight = nullptr;
};

// Rows [begin, end) of the outer * out rows of `inner` elements. x and y must not overlap.
using ResizePassF32Fn = void (*)(const ResizePassF32& p, const float* x, float* y, int64_t begin,
                                 int64_t end);

struct ResizeKernels {
  ResizePassF32Fn pass;
  const char* name;
};
const ResizeKernels& resize_kernels(Isa isa);
extern const ResizeKernels kResizePortable, kResizeAvx2, kResizeAvx512;

}  // namespace sampan
