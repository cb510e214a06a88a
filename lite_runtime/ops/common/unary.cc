#include "ops/common/unary.h"

#include "ops/common/kernel_name.h"

namespace sampan {

Status prepare_unary_op(PrepareContext& ctx, UnaryOp op) {
  const DType type = ctx.input(0).dtype;
  const bool vector = unary_kernel(ctx.isa(), op, type).f32 != nullptr;
  return name_kernel(ctx, type, vector ? elementwise_f32_table(ctx.isa()).isa : "portable");
}

Status run_unary_op(RunContext& ctx, UnaryOp op, float p0, float p1) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  const UnaryKernel kernel = unary_kernel(ctx.isa(), op, x.dtype, p0, p1);
  if (!kernel) return type_not_built(x.dtype);
  const size_t size_x = dtype_size(x.dtype), size_y = dtype_size(y.dtype);
  ctx.parallel_for(x.shape.elements(), grain_for(static_cast<int64_t>(size_x)),
                   [&](int64_t begin, int64_t end, int) {
                     kernel.run(x.as<char>() + static_cast<size_t>(begin) * size_x,
                                y.as<char>() + static_cast<size_t>(begin) * size_y, end - begin);
                   });
  return Status();
}

}  // namespace sampan
