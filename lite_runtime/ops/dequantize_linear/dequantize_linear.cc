#include "ops/common/quantization.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

constexpr DTypeSet kStored = dtype_bit(DType::kInt8) | dtype_bit(DType::kUInt8) |
                             dtype_bit(DType::kInt16) | dtype_bit(DType::kUInt16) |
                             dtype_bit(DType::kInt32);

Status infer(InferContext& ctx) {
  SAMPAN_TRY(check_scales(ctx));
  ctx.set_output(0, DType::kFloat32, ctx.shape(kQuantX));
  return Status();
}

Status prepare(PrepareContext& ctx) {
  QuantState* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  plan_quantization(ctx, s);
  const bool fast = dtype_size(ctx.input(kQuantX).dtype) == 1 && s->kind != ScaleKind::kBlock;
  ctx.kernel_name(fast ? quantize_kernels(ctx.isa()).dequantize_name : "dequantize_f32_portable");
  WorkspacePlan plan;
  if (fast && s->kind == ScaleKind::kAxis) s->at_zero_points = plan.add(s->rows.n, 4);
  return plan.request(ctx);
}

void run_plain(const RunContext& ctx, const QuantState& s) {
  const Tensor& x = ctx.input(kQuantX);
  const float* scales = ctx.input(kQuantScale).as<float>();
  float* y = ctx.output(0).as<float>();
  const bool has_zero = ctx.has_input(kQuantZeroPoint);
  const Rows& r = s.rows;
  ctx.parallel_for(r.outer * r.n, grain_for_work(r.inner * 8), [&](int64_t b, int64_t e, int) {
    for (int64_t row = b; row < e; ++row) {
      for (int64_t k = 0; k < r.inner; ++k) {
        const int64_t at = row * r.inner + k, from = scale_index(s, row / r.n, row % r.n, k);
        const int64_t zero = has_zero ? integer_at(ctx.input(kQuantZeroPoint), from) : 0;
        y[at] = static_cast<float>(integer_at(x, at) - zero) * scales[from];
      }
    }
  });
}

Status run(RunContext& ctx) {
  const QuantState& s = *ctx.state<QuantState>();
  const Tensor& x = ctx.input(kQuantX);
  if (x.shape.elements() == 0) return Status();
  float* y = ctx.output(0).as<float>();
  const float* scales = ctx.input(kQuantScale).as<float>();
  const bool is_signed = x.dtype == DType::kInt8;
  if (dtype_size(x.dtype) != 1 || s.kind == ScaleKind::kBlock) {
    run_plain(ctx, s);
  } else if (s.kind == ScaleKind::kAxis) {
    const QuantizeAxis p{s.rows.n, s.rows.inner, scales, axis_zero_points(ctx, s), is_signed};
    ctx.parallel_for(
        s.rows.outer * s.rows.n, grain_for_work(s.rows.inner),
        [&](int64_t b, int64_t e, int) { dequantize_axis(ctx.isa(), p, x.data, y, b, e); });
  } else {
    const int32_t zero =
        ctx.has_input(kQuantZeroPoint) ? integer_at(ctx.input(kQuantZeroPoint), 0) : 0;
    const DequantizeF32Fn fn = quantize_kernels(ctx.isa()).dequantize;
    ctx.parallel_for(s.rows.total(), 1 << 14, [&](int64_t b, int64_t e, int) {
      fn(x.as<uint8_t>() + b, y + b, e - b, scales[0], zero, is_signed);
    });
  }
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(DequantizeLinear, 1)
    .doc(
        "(x - zero_point) * scale. One scale for all, for each index of an axis, or for each block "
        "along it.")
    .input("x", sampan::kStored)
    .input("scale", sampan::kF32)
    .input("zero_point", sampan::kStored, sampan::kOptional, 0)
    .output("y")
    .attr_int(sampan::kQuantAxis, "axis", 1, -sampan::kMaxRank, sampan::kMaxRank - 1)
    .attr_int(sampan::kQuantBlock, "block_size", 0, 0, sampan::kMaxWindowAttr, "0: no blocks")
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
