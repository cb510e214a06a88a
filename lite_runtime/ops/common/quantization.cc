#include "ops/common/quantization.h"

#include <cinttypes>

#include "ops/common/shape_rules.h"

namespace sampan {

namespace {

bool is_single(const DimShape& s) {
  for (int i = 0; i < s.rank; ++i)
    if (!s[i].known() || s[i].value != 1) return false;
  return true;
}

Status check_blocks(InferContext& ctx, const DimShape& x, const DimShape& scale, int axis) {
  DimMath& m = ctx.math();
  const int64_t block = ctx.attr_int(kQuantBlock);
  bool fits = scale.rank == x.rank;
  for (int i = 0; fits && i < x.rank; ++i) {
    const Dim expected = i == axis ? m.ceil_div(x[i], block) : x[i];
    fits = m.equal(scale[i], expected) != Tri::kNo;
  }
  SAMPAN_RULE(fits, "scale has shape %s: expected that of x %s with axis %d divided by %" PRId64,
              ShapeText(scale).c_str(), ShapeText(x).c_str(), axis, block);
  return Status();
}

}  // namespace

Status check_scales(InferContext& ctx) {
  const DimShape &x = ctx.shape(kQuantX), &scale = ctx.shape(kQuantScale);
  int axis = 0;
  if (ctx.attr_int(kQuantBlock) > 0) {
    SAMPAN_TRY(normalize_axis(ctx.attr_int(kQuantAxis), x.rank, &axis));
    SAMPAN_TRY(check_blocks(ctx, x, scale, axis));
  } else if (!is_single(scale)) {
    SAMPAN_TRY(normalize_axis(ctx.attr_int(kQuantAxis), x.rank, &axis));
    SAMPAN_RULE(scale.rank == 1 && ctx.math().equal(scale[0], x[axis]) != Tri::kNo,
                "scale has shape %s: expected a single number, or one for each index of axis %d of "
                "x %s",
                ShapeText(scale).c_str(), axis, ShapeText(x).c_str());
  }
  if (!ctx.has_input(kQuantZeroPoint)) return Status();
  const DimShape& zero = ctx.shape(kQuantZeroPoint);
  bool same = zero.rank == scale.rank || (is_single(zero) && is_single(scale));
  for (int i = 0; same && zero.rank == scale.rank && i < zero.rank; ++i)
    same = ctx.math().equal(zero[i], scale[i]) != Tri::kNo;
  SAMPAN_RULE(same, "zero_point has shape %s, scale %s: they must be equal",
              ShapeText(zero).c_str(), ShapeText(scale).c_str());
  return Status();
}

void plan_quantization(const TensorContext& ctx, QuantState* s) {
  const Shape &x = ctx.input(kQuantX).shape, &scale = ctx.input(kQuantScale).shape;
  const int64_t block = ctx.attr_int(kQuantBlock);
  s->kind = block > 0               ? ScaleKind::kBlock
            : scale.elements() == 1 ? ScaleKind::kTensor
                                    : ScaleKind::kAxis;
  int axis = 0;
  if (s->kind != ScaleKind::kTensor) {
    const int64_t a = ctx.attr_int(kQuantAxis);
    axis = static_cast<int>(a < 0 ? a + x.rank : a);
  }
  s->rows = rows_of(x, axis);
  if (s->kind == ScaleKind::kBlock) {
    s->block = block;
    s->blocks = (s->rows.n + block - 1) / block;
  }
}

void integer_limits(DType type, int32_t* low, int32_t* high) {
  const bool is_signed = type == DType::kInt8 || type == DType::kInt16;
  const int bits = dtype_size(type) == 1 ? 8 : 16;
  *low = is_signed ? -(1 << (bits - 1)) : 0;
  *high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
}

int32_t integer_at(const Tensor& t, int64_t i) {
  switch (t.dtype) {
    case DType::kInt8:
      return t.as<int8_t>()[i];
    case DType::kUInt8:
      return t.as<uint8_t>()[i];
    case DType::kInt16:
      return t.as<int16_t>()[i];
    case DType::kUInt16:
      return t.as<uint16_t>()[i];
    default:
      return t.as<int32_t>()[i];
  }
}

void set_integer(const Tensor& t, int64_t i, int32_t value) {
  if (dtype_size(t.dtype) == 1)
    static_cast<uint8_t*>(t.data)[i] = static_cast<uint8_t>(value);
  else
    static_cast<uint16_t*>(t.data)[i] = static_cast<uint16_t>(value);
}

const int32_t* axis_zero_points(const RunContext& ctx, const QuantState& s) {
  if (!ctx.has_input(kQuantZeroPoint)) return nullptr;
  int32_t* wide = workspace_at<int32_t>(ctx, s.at_zero_points);
  for (int64_t i = 0; i < s.rows.n; ++i) wide[i] = integer_at(ctx.input(kQuantZeroPoint), i);
  return wide;
}

}  // namespace sampan
