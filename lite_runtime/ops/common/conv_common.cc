#include "ops/common/conv_common.h"

#include "core/checked.h"
#include "ops/common/shape_rules.h"

namespace sampan {

Status check_bias(InferContext& ctx, int input, Dim channels) {
  const DimShape& bias = ctx.shape(input);
  SAMPAN_RULE(bias.rank == 1 && ctx.math().equal(bias[0], channels) != Tri::kNo,
              "bias has shape %s: expected one value for each of the %lld output channels",
              ShapeText(bias).c_str(), static_cast<long long>(channels.value));
  return Status();
}

Status check_residual(InferContext& ctx, int input, const DimShape& y) {
  const DimShape& r = ctx.shape(input);
  bool same = r.rank == y.rank;
  for (int i = 0; same && i < y.rank; ++i) same = ctx.math().equal(r[i], y[i]) != Tri::kNo;
  SAMPAN_RULE(same, "residual has shape %s, the output %s: they must be equal",
              ShapeText(r).c_str(), ShapeText(y).c_str());
  return Status();
}

void lower_to_2d(const Window& w, ConvF32* c) {
  const int last = w.rank - 1;
  c->in_w = w.in[last];
  c->out_w = w.out[last];
  c->kernel_w = w.kernel[last];
  c->stride_w = w.stride[last];
  c->dilation_w = w.dilation[last];
  c->pad_left = w.pad[last];
  c->in_h = c->out_h = 1;
  if (w.rank < 2) return;
  c->in_h = w.in[0];
  c->out_h = w.out[0];
  c->kernel_h = w.kernel[0];
  c->stride_h = w.stride[0];
  c->dilation_h = w.dilation[0];
  c->pad_top = w.pad[0];
}

ConvWeightStrides conv_weight_strides(Layout layout, const Window& w, int64_t in_channels,
                                      int64_t out_channels) {
  const int64_t step = layout == Layout::kNhwc ? in_channels : 1;  // from tap to tap
  ConvWeightStrides s;
  s.group = out_channels * in_channels * w.taps;
  s.oc = in_channels * w.taps;
  s.ic = layout == Layout::kNhwc ? 1 : w.taps;
  s.kx = step;
  s.ky = w.rank == 2 ? w.kernel[1] * step : step;
  return s;
}

ConvWeightStrides conv_transpose_weight_strides(Layout layout, const Window& w, int64_t in_channels,
                                                int64_t out_channels) {
  const int64_t step = layout == Layout::kNhwc ? out_channels : 1;
  ConvWeightStrides s;
  s.group = out_channels * in_channels * w.taps;
  s.ic = out_channels * w.taps;
  s.oc = layout == Layout::kNhwc ? 1 : w.taps;
  s.kx = step;
  s.ky = w.rank == 2 ? w.kernel[1] * step : step;
  return s;
}

Status conv_panel_floats(int64_t groups, int64_t k, int64_t n, int64_t* floats) {
  int64_t columns = 0, bytes = 0;
  SAMPAN_CHECK(checked_add(n, kPanelWidth - 1, &columns) &&
                   checked_mul(columns / kPanelWidth * kPanelWidth, k, floats) &&
                   checked_mul(*floats, groups, floats) && checked_mul(*floats, 4, &bytes),
               Code::kLimit, "the weights are too large: their panels pass 2^63 bytes");
  return Status();
}

const float* as_float(const RunContext& ctx, const Tensor& t, int64_t offset) {
  if (t.dtype == DType::kFloat32) return t.as<float>();
  float* wide = workspace_at<float>(ctx, offset);
  widen(ctx, t.dtype, t.data, wide, t.shape.elements());
  return wide;
}

}  // namespace sampan
