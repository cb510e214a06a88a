#include <cinttypes>

#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kPerm };

// perm as given; without it the axes are reversed.
int source_axis(const NodeView& node, int rank, int i) {
  const AttrValue& perm = node.attr_list(kPerm);
  return perm.size == 0 ? rank - 1 - i : static_cast<int>(perm.ints[i]);
}

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  const AttrValue& perm = ctx.attr_list(kPerm);
  SAMPAN_RULE(perm.size == 0 || perm.size == x.rank,
              "perm has %d entries, the input %s has %d dimensions: one entry for each is needed",
              static_cast<int>(perm.size), ShapeText(x).c_str(), x.rank);
  bool seen[kMaxRank] = {};
  DimShape y;
  y.rank = x.rank;
  for (int i = 0; i < x.rank; ++i) {
    const int64_t from = perm.size ? perm.ints[i] : x.rank - 1 - i;
    SAMPAN_RULE(from >= 0 && from < x.rank && !seen[from],
                "perm is no permutation of 0 to %d: entry %d is %" PRId64, x.rank - 1, i, from);
    seen[from] = true;
    y[i] = x[static_cast<int>(from)];
  }
  ctx.set_output(0, ctx.dtype(0), y);
  if (x.rank < 2) copy_values(ctx, ctx.dtype(0), y);
  return Status();
}

StridedCopy copy_of(const TensorContext& ctx) {
  const Tensor &x = ctx.input(0), &y = ctx.output(0);
  int64_t src[kMaxRank], dst[kMaxRank];
  row_major_strides(x.shape, src);
  row_major_strides(y.shape, dst);
  StridedCopy copy;
  for (int i = 0; i < x.shape.rank; ++i)
    copy.push(y.shape[i], dst[i], src[source_axis(ctx, x.shape.rank, i)]);
  return copy;
}

Status prepare(PrepareContext& ctx) {
  const bool planes = make_copy_plan(copy_of(ctx)).transposed;
  const bool vector = planes && dtype_size(ctx.input(0).dtype) == 4 && ctx.isa() != Isa::kPortable;
  ctx.kernel_name(vector ? "transpose_x32_8x8_avx2" : planes ? "transpose_portable" : "copy");
  return Status();
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  run_strided_copy(ctx, copy_of(ctx), ctx.output(0).data, x.data, dtype_size(x.dtype));
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Transpose, 1)
    .doc("Reorders the axes: axis i of y is axis perm[i] of x. Without perm the order is reversed.")
    .input("x", sampan::kAnyType)
    .output("y")
    .attr_ints(sampan::kPerm, "perm", 0, sampan::kMaxRank - 1)
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
