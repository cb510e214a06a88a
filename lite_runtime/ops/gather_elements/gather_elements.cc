#include "ops/common/copy.h"
#include "ops/common/indexing.h"

namespace sampan {
namespace {

enum { kAxis };

Status infer(InferContext& ctx) {
  const DimShape &x = ctx.shape(0), &indices = ctx.shape(1);
  int axis = 0;
  SAMPAN_RULE(x.rank > 0 && x.rank == indices.rank,
              "x %s and indices %s must have the same rank, at least 1", ShapeText(x).c_str(),
              ShapeText(indices).c_str());
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.rank, &axis));
  for (int i = 0; i < x.rank; ++i)
    SAMPAN_RULE(i == axis || ctx.math().less(x[i], indices[i]) != Tri::kYes,
                "indices %s reach beyond x %s in axis %d", ShapeText(indices).c_str(),
                ShapeText(x).c_str(), i);
  ctx.set_output(0, ctx.dtype(0), indices);
  return Status();
}

template <class T>
void gather(const RunContext& ctx, int axis) {
  const Tensor &x = ctx.input(0), &indices = ctx.input(1);
  const Shape& s = indices.shape;
  int64_t strides[kMaxRank];
  row_major_strides(x.shape, strides);
  const int64_t size = x.shape[axis];
  ctx.parallel_for(s.elements(), grain_for(8), [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t at = 0, rest = i;
      for (int d = s.rank - 1; d >= 0; --d) {
        if (d != axis) at += rest % s[d] * strides[d];
        rest /= s[d];
      }
      int64_t index = index_at(indices, i);
      if (index < 0) index += size;
      ctx.output(0).as<T>()[i] = x.as<T>()[at + index * strides[axis]];
    }
  });
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  int axis = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kAxis), x.shape.rank, &axis));
  SAMPAN_TRY(check_indices(ctx.input(1), x.shape[axis]));
  switch (dtype_size(x.dtype)) {
    case 1:
      gather<uint8_t>(ctx, axis);
      break;
    case 2:
      gather<uint16_t>(ctx, axis);
      break;
    case 4:
      gather<uint32_t>(ctx, axis);
      break;
    default:
      gather<uint64_t>(ctx, axis);
  }
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(GatherElements, 1)
    .doc(
        "y[i, j, ...] = x with index[i, j, ...] in place of the position along the axis. Negative "
        "indices count from the end; an index out of range is an error.")
    .input("x", sampan::kAnyType)
    .input("indices", sampan::kIndices)
    .output("y")
    .attr_int(sampan::kAxis, "axis", 0, -sampan::kMaxRank, sampan::kMaxRank - 1,
              "negative counts from the end")
    .infer(sampan::infer)
    .kernel(sampan::run);
