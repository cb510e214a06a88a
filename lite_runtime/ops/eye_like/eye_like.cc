#include <cstring>

#include "ops/common/convert.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kDType, kK };

Status infer(InferContext& ctx) {
  SAMPAN_RULE(ctx.shape(0).rank == 2, "x must be a matrix, got shape %s",
              ShapeText(ctx.shape(0)).c_str());
  const DType type = ctx.attr_dtype(kDType);
  ctx.set_output(0, type == DType::kInvalid ? ctx.dtype(0) : type, ctx.shape(0));
  return Status();
}

Status run(RunContext& ctx) {
  Tensor& y = ctx.output(0);
  const int64_t rows = y.shape[0], columns = y.shape[1], k = ctx.attr_int(kK);
  std::memset(y.data, 0, y.bytes());
  const bool known = with_type<kAnyType>(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T one = convert<T>(int32_t{1});
    for (int64_t r = 0; r < rows; ++r)
      if (r + k >= 0 && r + k < columns) y.as<T>()[r * columns + r + k] = one;
  });
  return known ? Status() : type_not_built(y.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(EyeLike, 1)
    .doc("Ones on the diagonal k of a matrix of x's shape, zeros elsewhere.")
    .input("x", sampan::kAnyType, sampan::kShapeOnly)
    .output("y")
    .attr_dtype(sampan::kDType, "dtype", sampan::DType::kInvalid, "x's type if it is not given")
    .attr_int(sampan::kK, "k", 0, INT32_MIN, INT32_MAX, "positive is above the main diagonal")
    .infer(sampan::infer)
    .kernel(sampan::run);
