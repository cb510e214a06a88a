#include "kernels/elementwise/cast.h"

#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kTo };

Status infer(InferContext& ctx) {
  const DType to = ctx.attr_dtype(kTo);
  SAMPAN_RULE(to != DType::kInvalid, "the target type is missing: set the attribute `to`");
  ctx.set_output(0, to, ctx.shape(0));
  int n = 0;
  if (!in_set(kIndices | kBool, ctx.dtype(0)) || !can_set_values(ctx, to, ctx.shape(0), &n))
    return Status();
  Values x = values_of(ctx, 0);
  if (!x.known || x.n != n) return Status();
  Dim y[InferContext::kMaxValues];
  for (int i = 0; i < n; ++i) {
    y[i] = x[i];
    if (to == DType::kBool) {
      const Tri zero = ctx.math().equal(x[i], 0);
      if (zero == Tri::kUnknown) return Status();
      y[i] = zero == Tri::kYes ? 0 : 1;
    } else if (to == DType::kInt32 && x[i].known()) {
      y[i] = static_cast<int32_t>(static_cast<uint32_t>(x[i].value));
    }
  }
  ctx.set_output_values(0, y, n);
  return Status();
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  if (x.dtype == y.dtype) {
    if (x.data != y.data) run_copy(ctx, y.data, x.data, x.bytes());
    return Status();
  }
  const CastFn row = cast_fn(ctx.isa(), x.dtype, y.dtype);
  if (!row) return type_not_built(y.dtype);
  const size_t from = dtype_size(x.dtype), to = dtype_size(y.dtype);
  ctx.parallel_for(x.shape.elements(), grain_for(static_cast<int64_t>(from)),
                   [&](int64_t begin, int64_t end, int) {
                     row(x.as<char>() + static_cast<size_t>(begin) * from,
                         y.as<char>() + static_cast<size_t>(begin) * to, end - begin);
                   });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Cast, 1)
    .doc(
        "x in another element type. Floats become integers by truncation, limited to the range "
        "(NaN "
        "gives 0); integers wrap into narrower ones; everything but 0 is true.")
    .input("x", sampan::kAnyType)
    .output("y")
    .attr_dtype(sampan::kTo, "to", sampan::DType::kFloat32)
    .infer(sampan::infer)
    .kernel(sampan::run);
