#include "ops/common/unary.h"

namespace sampan {

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
