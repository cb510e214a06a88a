// What QuantizeLinear and DequantizeLinear share: which scale and zero point an element has.
#pragma once
#include "kernels/quantize/quantize.h"
#include "ops/common/rows.h"

namespace sampan {

enum { kQuantX, kQuantScale, kQuantZeroPoint };
enum { kQuantAxis, kQuantBlock };

// One scale for all, one for each index of `axis`, or (block_size > 0) one for each block of
// elements along it.
enum class ScaleKind : uint8_t { kTensor, kAxis, kBlock };

// Checks the shapes of inputs 1 and 2 against x.
Status check_scales(InferContext& ctx);

struct QuantState {
  ScaleKind kind = ScaleKind::kTensor;
  Rows rows;  // n: the axis
  int64_t block = 1, blocks = 1;
  int64_t at_zero_points = 0;  // as int32, for kAxis
};
void plan_quantization(const TensorContext& ctx, QuantState* s);

// The limits of an integer type of at most 16 bits.
void integer_limits(DType type, int32_t* low, int32_t* high);
int32_t integer_at(const Tensor& t, int64_t i);
void set_integer(const Tensor& t, int64_t i, int32_t value);

// Position of the scale of element (outer, i, inner).
inline int64_t scale_index(const QuantState& s, int64_t outer, int64_t i, int64_t inner) {
  if (s.kind == ScaleKind::kTensor) return 0;
  if (s.kind == ScaleKind::kAxis) return i;
  return (outer * s.blocks + i / s.block) * s.rows.inner + inner;
}
// Zero points widened into the workspace (kAxis), null when absent.
const int32_t* axis_zero_points(const RunContext& ctx, const QuantState& s);

}  // namespace sampan
