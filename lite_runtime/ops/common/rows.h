// Operators that work along one axis (Softmax) or the last axes (LayerNormalization): tensors seen
// as [outer, n, inner], halves computed in float32.
#pragma once
#include "ops/common/spatial.h"

namespace sampan {

struct Rows {
  int64_t outer = 1, n = 1, inner = 1;
  int64_t total() const { return outer * n * inner; }
};
Rows rows_of(const Shape& shape, int axis);  // n: that axis

// Workspace offsets for an input and an output that may be halves.
struct WideTensors {
  int64_t x = 0, y = 0;
};
WideTensors plan_wide(const Tensor& x, const Tensor& y, WorkspacePlan* plan);

// Calls compute(const T* x, T* y) with T float or double on input 0 and output 0.
template <class F>
void run_wide(const RunContext& ctx, const WideTensors& at, F&& compute) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  if (y.dtype == DType::kFloat64) return compute(x.as<double>(), y.as<double>());
  if (y.dtype == DType::kFloat32) return compute(x.as<float>(), y.as<float>());
  float* wide = workspace_at<float>(ctx, at.x);
  float* result = workspace_at<float>(ctx, at.y);
  widen(ctx, x.dtype, x.data, wide, x.shape.elements());
  compute(static_cast<const float*>(wide), result);
  narrow(ctx, y.dtype, result, y.data, y.shape.elements());
}

}  // namespace sampan
