#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kStart, kEnd };

// Python's slice rule: negative positions count from the end, and everything is clamped.
void range_of(const NodeView& node, int rank, int* begin, int* end) {
  auto clamp = [rank](int64_t v) {
    if (v < 0) v = v < -rank ? 0 : v + rank;
    return static_cast<int>(v > rank ? rank : v);
  };
  *begin = clamp(node.attr_int(kStart));
  *end = clamp(node.attr_int(kEnd));
  if (*end < *begin) *end = *begin;
}

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  int begin = 0, end = 0;
  range_of(ctx, x.rank, &begin, &end);
  DimShape y;
  y.rank = 1;
  y[0] = end - begin;
  ctx.set_output(0, DType::kInt64, y);
  if (ctx.wants_values()) ctx.set_output_values(0, x.dims + begin, end - begin);
  return Status();
}

Status run(RunContext& ctx) {
  const Shape& x = ctx.input(0).shape;
  int begin = 0, end = 0;
  range_of(ctx, x.rank, &begin, &end);
  int64_t* y = ctx.output(0).as<int64_t>();
  for (int i = begin; i < end; ++i) y[i - begin] = x[i];
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Shape, 1)
    .doc("The dimensions start to end (exclusive) of x, as int64.")
    .input("x", sampan::kAnyType, sampan::kShapeOnly)
    .output("y")
    .attr_int(sampan::kStart, "start", 0, INT64_MIN, INT64_MAX,
              "first dimension; negative counts from the end")
    .attr_int(sampan::kEnd, "end", INT64_MAX, INT64_MIN, INT64_MAX, "one past the last dimension")
    .infer(sampan::infer)
    .kernel(sampan::run);
