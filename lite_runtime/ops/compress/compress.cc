#include <cstring>

#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kAxis };

Status infer(InferContext& ctx) {
  DimShape y = ctx.shape(0);
  int axis = 0;
  SAMPAN_RULE(y.rank > 0, "a scalar has no axis to choose from");
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), y.rank, &axis));
  SAMPAN_RULE(ctx.shape(1).rank == 1, "the condition must be a list (rank 1), got rank %d",
              ctx.shape(1).rank);
  // In the runtime an upper bound, on the host a size that nobody knows.
  y[axis] = ctx.wants_values() ? ctx.math().fresh() : ctx.math().min(y[axis], ctx.shape(1)[0]);
  ctx.set_output(0, ctx.dtype(0), y);
  return Status();
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Bool* keep = ctx.input(1).as<Bool>();
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.shape.rank, &axis));
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= x.shape[i];
  for (int i = axis + 1; i < x.shape.rank; ++i) inner *= x.shape[i];
  // A condition shorter than the axis leaves the rest out; what lies beyond the axis is not looked
  // at.
  const int64_t size = x.shape[axis];
  const int64_t n = ctx.input(1).shape[0] < size ? ctx.input(1).shape[0] : size;
  const size_t bytes = static_cast<size_t>(inner) * dtype_size(x.dtype);
  const char* from = x.as<char>();
  char* to = ctx.output(0).as<char>();
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += keep[i] ? 1 : 0;
  for (int64_t o = 0; o < outer && bytes; ++o)
    for (int64_t i = 0; i < n; ++i) {
      if (!keep[i]) continue;
      std::memcpy(to, from + static_cast<size_t>(o * size + i) * bytes, bytes);
      to += bytes;
    }
  Shape shape = x.shape;
  shape[axis] = count;
  ctx.shrink_output(0, shape);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Compress, 1)
    .doc("The slices along an axis for which the condition holds.")
    .input("x", sampan::kAnyType)
    .input("condition", sampan::kBool)
    .output("y")
    .attr_int(sampan::kAxis, "axis", 0, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "negative counts from the end")
    .infer(sampan::infer)
    .dynamic_output()
    .kernel(sampan::run);
