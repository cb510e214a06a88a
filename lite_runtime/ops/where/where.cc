#include "ops/common/binary.h"

namespace sampan {
namespace {

void set_values(InferContext& ctx, const DimShape& y) {
  int n = 0;
  if (!can_set_values(ctx, ctx.dtype(1), y, &n)) return;
  Values v[3];
  Shape shapes[3];
  const int64_t* dims[3];
  int ranks[3];
  for (int k = 0; k < 3; ++k) {
    v[k] = values_of(ctx, k);
    if (!v[k].known) return;
    shapes[k] = ctx.shape(k).concrete();
    dims[k] = shapes[k].dims;
    ranks[k] = shapes[k].rank;
  }
  BroadcastPlan plan;
  if (!make_broadcast_plan(3, dims, ranks, &plan)) return;
  Dim out[InferContext::kMaxValues];
  bool known = true;
  for_each_piece(plan, 0, n, [&](const int64_t* at, int64_t begin, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      Dim picked[3];
      for (int k = 0; k < 3; ++k) {
        const int64_t from = at[k] + i * plan.strides[k][plan.rank - 1];
        known = known && from < v[k].n;
        if (known) picked[k] = v[k][static_cast<int>(from)];
      }
      known = known && picked[0].known();
      out[begin + i] = picked[0].value ? picked[1] : picked[2];
    }
  });
  if (!known) return;
  ctx.set_output_values(0, out, n);
}

Status infer(InferContext& ctx) {
  DimShape y;
  SAMPAN_TRY(broadcast_shapes(ctx, ctx.shape(0), ctx.shape(1), &y));
  SAMPAN_TRY(broadcast_shapes(ctx, y, ctx.shape(2), &y));
  ctx.set_output(0, ctx.dtype(1), y);
  set_values(ctx, y);
  return Status();
}

Status run(RunContext& ctx) {
  const BroadcastPlan plan = plan_inputs(ctx, 0, 3);
  const size_t size = dtype_size(ctx.output(0).dtype);
  ctx.parallel_for(plan.total, grain_for(static_cast<int64_t>(size)),
                   [&](int64_t begin, int64_t end, int) {
                     run_select(plan, size, ctx.input(0).as<uint8_t>(), ctx.input(1).data,
                                ctx.input(2).data, ctx.output(0).data, begin, end);
                   });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Where, 1)
    .doc("x where the condition holds, y elsewhere, with broadcasting.")
    .input("condition", sampan::kBool)
    .input("x", sampan::kAnyType)
    .input("y", sampan::kAnyType, 0, 1)
    .output("z")
    .infer(sampan::infer)
    .kernel(sampan::run);
