#include "ops/common/quantization.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kTo = kQuantBlock + 1 };
constexpr DTypeSet kStored = dtype_bit(DType::kInt8) | dtype_bit(DType::kUInt8) |
                             dtype_bit(DType::kInt16) | dtype_bit(DType::kUInt16);

Status infer(InferContext& ctx) {
  SAMPAN_TRY(check_scales(ctx));
  const DType to = ctx.attr_dtype(kTo);
  SAMPAN_RULE(in_set(kStored, to),
              "`to` is %s: values can be stored as int8, uint8, int16 or uint16", dtype_name(to));
  SAMPAN_RULE(!ctx.has_input(kQuantZeroPoint) || ctx.dtype(kQuantZeroPoint) == to,
              "zero_point has type %s, `to` is %s: they must be equal",
              dtype_name(ctx.dtype(kQuantZeroPoint)), dtype_name(to));
  ctx.set_output(0, to, ctx.shape(kQuantX));
  return Status();
}

Status prepare(PrepareContext& ctx) {
  QuantState* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  plan_quantization(ctx, s);
  const bool fast = dtype_size(ctx.output(0).dtype) == 1 && s->kind != ScaleKind::kBlock;
  ctx.kernel_name(fast ? quantize_kernels(ctx.isa()).quantize_name : "quantize_f32_portable");
  WorkspacePlan plan;
  if (fast && s->kind == ScaleKind::kAxis) s->at_zero_points = plan.add(s->rows.n, 4);
  return plan.request(ctx);
}

// Any type and kind of scale, element by element.
void run_plain(const RunContext& ctx, const QuantState& s) {
  const Tensor& y = ctx.output(0);
  const float *x = ctx.input(kQuantX).as<float>(), *scales = ctx.input(kQuantScale).as<float>();
  const bool has_zero = ctx.has_input(kQuantZeroPoint);
  const Rows& r = s.rows;
  int32_t low = 0, high = 0;
  integer_limits(y.dtype, &low, &high);
  ctx.parallel_for(r.outer * r.n, grain_for_work(r.inner * 8), [&](int64_t b, int64_t e, int) {
    for (int64_t row = b; row < e; ++row) {
      for (int64_t k = 0; k < r.inner; ++k) {
        const int64_t at = row * r.inner + k, from = scale_index(s, row / r.n, row % r.n, k);
        const int32_t zero = has_zero ? integer_at(ctx.input(kQuantZeroPoint), from) : 0;
        set_integer(y, at, quantize_value(x[at], scales[from], zero, low, high));
      }
    }
  });
}

Status run(RunContext& ctx) {
  const QuantState& s = *ctx.state<QuantState>();
  Tensor& y = ctx.output(0);
  if (y.shape.elements() == 0) return Status();
  const float *x = ctx.input(kQuantX).as<float>(), *scales = ctx.input(kQuantScale).as<float>();
  const bool is_signed = y.dtype == DType::kInt8;
  if (dtype_size(y.dtype) != 1 || s.kind == ScaleKind::kBlock) {
    run_plain(ctx, s);
  } else if (s.kind == ScaleKind::kAxis) {
    const QuantizeAxis p{s.rows.n, s.rows.inner, scales, axis_zero_points(ctx, s), is_signed};
    ctx.parallel_for(
        s.rows.outer * s.rows.n, grain_for_work(s.rows.inner),
        [&](int64_t b, int64_t e, int) { quantize_axis(ctx.isa(), p, x, y.data, b, e); });
  } else {
    const int32_t zero =
        ctx.has_input(kQuantZeroPoint) ? integer_at(ctx.input(kQuantZeroPoint), 0) : 0;
    const QuantizeF32Fn fn = quantize_kernels(ctx.isa()).quantize;
    ctx.parallel_for(s.rows.total(), 1 << 14, [&](int64_t b, int64_t e, int) {
      fn(x + b, y.as<uint8_t>() + b, e - b, scales[0], zero, is_signed);
    });
  }
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(QuantizeLinear, 1)
    .doc(
        "clamp(round_half_even(x / scale) + zero_point) as small integers; NaN gives zero_point. "
        "One "
        "scale for all, for each index of an axis, or for each block along it.")
    .input("x", sampan::kF32)
    .input("scale", sampan::kF32)
    .input("zero_point", sampan::kStored, sampan::kOptional)
    .output("y")
    .attr_int(sampan::kQuantAxis, "axis", 1, -sampan::kMaxRank, sampan::kMaxRank - 1)
    .attr_int(sampan::kQuantBlock, "block_size", 0, 0, sampan::kMaxWindowAttr, "0: no blocks")
    .attr_dtype(sampan::kTo, "to", sampan::DType::kUInt8, "element type of y")
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
