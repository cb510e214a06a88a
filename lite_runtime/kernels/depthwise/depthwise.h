// Depthwise convolution in float32, NHWC, any kernel, stride, dilation, padding; channel multiplier
// 1 is the fast case.
//
// Each output is one chain acc = fma(x, w, acc) from +0 over kernel rows, then kernel columns; a
// tap in the padding is computed, with x = +0. Then + bias, + residual, activation. (No chunks of
// 1024: no kernel has so many taps.)
#pragma once
#include <cstdint>

#include "kernels/activation.h"
#include "kernels/isa.h"

namespace sampan {

struct DepthwiseF32 {
  const float* x = nullptr;  // pixel (i, j) of one image at x + (i * in_w + j) * pixel_stride
  int64_t pixel_stride = 0;
  int64_t in_h = 0, in_w = 0;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  int64_t out_h = 0, out_w = 0;
  int64_t channels = 0;  // output channels; output channel c reads input channel c / multiplier
  int64_t multiplier = 1;
  const float* w = nullptr;  // [kernel_h * kernel_w][channels]
  float* y = nullptr;        // pixel (i, j) at y + (i * out_w + j) * y_stride
  int64_t y_stride = 0;
  EpilogueF32 ep;
};

struct DepthwiseF32Kernels {
  const char* name;
  Isa isa;
  int channels;  // of a vector: splitting at multiples of it wastes least
  // Output rows y0..y1, output channels c0..c1.
  void (*run)(const DepthwiseF32& d, int64_t y0, int64_t y1, int64_t c0, int64_t c1);
};

const DepthwiseF32Kernels& depthwise_f32_kernels(Isa isa);

}  // namespace sampan
