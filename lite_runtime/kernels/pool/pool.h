// Pooling of float32 channels-last images.
//
// max: the taps in row-major order, y = y > x ? y : x, from -inf (a NaN stays only if it comes
// last). average: the taps inside the image are added in row-major order from +0; the sum is
// divided by their number, or with include_pad by the number of taps inside the image and its
// declared padding.
#pragma once
#include <cstdint>

#include "kernels/isa.h"

namespace sampan {

struct Pool2dF32 {
  int64_t height = 0, width = 0, channels = 0;
  int64_t x_stride = 0;  // floats between input pixels
  int64_t out_height = 0, out_width = 0;
  int64_t y_stride = 0;  // floats between output pixels
  int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  bool include_pad = false;
};

// Rows [begin, end) of the output rows of all images (row = image * out_height + y). x and y point
// to the first pixel of the first image; images lie one behind the other.
using Pool2dF32Fn = void (*)(const Pool2dF32& p, const float* x, float* y, int64_t begin,
                             int64_t end);

// y[c] = sum over pixels (one ascending chain from +0) / pixels.
using GlobalAverageF32Fn = void (*)(const float* x, int64_t pixels, int64_t channels,
                                    int64_t x_stride, float* y);

struct PoolKernels {
  Pool2dF32Fn max, average;
  GlobalAverageF32Fn global_average;
  const char *max_name, *average_name, *global_average_name;
};
const PoolKernels& pool_kernels(Isa isa);

extern const PoolKernels kPoolPortable, kPoolAvx2, kPoolAvx512;

}  // namespace sampan
