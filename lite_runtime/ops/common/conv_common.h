// What Conv, ConvTranspose and other products with weights share.
#pragma once
#include "kernels/conv/conv.h"
#include "ops/common/spatial.h"

namespace sampan {

// Optional inputs: one value for each of `channels`; a tensor of the output's shape.
Status check_bias(InferContext& ctx, int input, Dim channels);
Status check_residual(InferContext& ctx, int input, const DimShape& y);

// Fills the sizes of one or two spatial axes; one lies along the width.
void lower_to_2d(const Window& w, ConvF32* c);

// Where (group, ky, kx, ic, oc) lies in [O][I][taps] (NCHW) or [O][taps][I] (NHWC) weights; more
// than two spatial axes are taken as taps x 1.
ConvWeightStrides conv_weight_strides(Layout layout, const Window& w, int64_t in_channels,
                                      int64_t out_channels);
// The same for [I][O][taps] or [I][taps][O].
ConvWeightStrides conv_transpose_weight_strides(Layout layout, const Window& w, int64_t in_channels,
                                                int64_t out_channels);

// Floats in the panels of `groups` matrices k x n; an error if their bytes pass 2^63.
Status conv_panel_floats(int64_t groups, int64_t k, int64_t n, int64_t* floats);

// A tensor as float32: itself, or widened into the workspace.
const float* as_float(const RunContext& ctx, const Tensor& t, int64_t offset);

}  // namespace sampan
