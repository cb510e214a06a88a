// Convolution and transposed convolution in float32, NHWC, any kernel, stride, dilation, padding
// and group count, over the tiles of the matrix product.
//
// Order of every sum: k runs over kernel rows, kernel columns, input channels (of the group), in
// the chunks of gemm.h. A tap in the padding is computed, with x = +0.
//
// A transposed convolution sums, for each output pixel, over the taps that reach it, in the same
// order: (kernel row, kernel column, channel) ascending, k counting only the taps of the pixel's
// phase (those with (out + pad - tap * dilation) divisible by the stride, in both directions); of
// these, taps whose input pixel lies outside are computed with x = +0.
#pragma once
#include <cstdint>

#include "kernels/activation.h"
#include "kernels/gemm/gemm.h"
#include "kernels/isa.h"

namespace sampan {

enum class ConvAlgorithm : uint8_t { kDirect = 0 };

struct ConvF32 {
  ConvAlgorithm algorithm = ConvAlgorithm::kDirect;
  const float* x =
      nullptr;  // pixel (b, i, j) at x + b * image_stride + (i * in_w + j) * pixel_stride
  int64_t image_stride = 0;
  int64_t pixel_stride = 0;
  int64_t in_h = 0, in_w = 0;
  int64_t channels = 0;  // input channels of one group; group g starts g * channels later
  int64_t groups = 1;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  int64_t out_h = 0, out_w = 0;
  int64_t out_channels = 0;       // of one group
  const float* panels = nullptr;  // of each group in turn: K = kernel_h * kernel_w * channels
  float* y = nullptr;             // pixel m = (b * out_h + i) * out_w + j at y + m * y_stride
  int64_t y_stride = 0;
  EpilogueF32 ep;  // bias and residual over all groups' channels
};

// Units of output channels that a convolution can be split into: the panels of all groups.
inline int64_t conv_units(int64_t groups, int64_t out_channels) {
  return groups * panels_f32_count(out_channels);
}

struct ConvF32Kernels {
  const char* name;
  Isa isa;
  int mr, nr;
  // Bytes that each call of `run` needs as scratch (64-byte aligned), whatever its rectangle; may
  // be 0. Reads sizes only, no pointers.
  int64_t (*workspace)(const ConvF32& c);
  // Output pixels m0..m1 (counted over the whole batch) of the units u0..u1.
  void (*run)(const ConvF32& c, int64_t m0, int64_t m1, int64_t u0, int64_t u1, void* workspace);
  // The same for a transposed convolution, of which kernel, stride, ... are those of its definition
  // and `panels` come from pack_conv_transpose_f32. Output rows r0..r1 are counted over the batch.
  int64_t (*workspace_transpose)(const ConvF32& c);
  void (*run_transpose)(const ConvF32& c, int64_t r0, int64_t r1, int64_t u0, int64_t u1,
                        void* workspace);
};

const ConvF32Kernels& conv_f32_kernels(Isa isa);

// Strides, in floats, of a weight array in which (group, ky, kx, ic, oc) may lie anywhere.
struct ConvWeightStrides {
  int64_t group, ky, kx, ic, oc;
};

// Panels of all groups: groups * panels_f32_size(kernel_h * kernel_w * channels, out_channels)
// floats.
void pack_conv_f32(const ConvF32& c, const float* w, const ConvWeightStrides& strides, float* out);

// As many floats as pack_conv_f32. Each group holds one panel matrix per phase (row phases
// outside), of the taps of that phase; kernel, dilation and stride of `c` decide which these are.
void pack_conv_transpose_f32(const ConvF32& c, const float* w, const ConvWeightStrides& strides,
                             float* out);

}  // namespace sampan
