#include <cinttypes>
#include <cstring>

#include "ops/common/copy.h"
#include "ops/common/indexing.h"

namespace sampan {
namespace {

enum { kBatchDims };

Status infer(InferContext& ctx) {
  const DimShape &x = ctx.shape(0), &indices = ctx.shape(1);
  const int batch = static_cast<int>(ctx.attr_int(kBatchDims));
  SAMPAN_RULE(x.rank > 0 && indices.rank > 0 && batch < x.rank && batch < indices.rank,
              "batch_dims is %d: x %s and indices %s need more dimensions than that", batch,
              ShapeText(x).c_str(), ShapeText(indices).c_str());
  for (int i = 0; i < batch; ++i)
    SAMPAN_RULE(ctx.math().equal(x[i], indices[i]) != Tri::kNo,
                "batch dimension %d of x %s and indices %s differs", i, ShapeText(x).c_str(),
                ShapeText(indices).c_str());
  const Dim depth = indices[indices.rank - 1];
  if (!depth.known()) return ctx.need_values(1);
  SAMPAN_RULE(depth.value >= 0 && depth.value <= x.rank - batch,
              "each index has %" PRId64 " entries, x %s has %d axes left to index", depth.value,
              ShapeText(x).c_str(), x.rank - batch);
  const int from = batch + static_cast<int>(depth.value);
  SAMPAN_RULE(indices.rank - 1 + x.rank - from <= kMaxRank,
              "the result would have %d dimensions, at most %d are supported",
              indices.rank - 1 + x.rank - from, kMaxRank);
  DimShape y;
  for (int i = 0; i < indices.rank - 1; ++i) y[y.rank++] = indices[i];
  for (int i = from; i < x.rank; ++i) y[y.rank++] = x[i];
  ctx.set_output(0, ctx.dtype(0), y);
  return Status();
}

Status run(RunContext& ctx) {
  const Tensor &x = ctx.input(0), &indices = ctx.input(1);
  const int batch = static_cast<int>(ctx.attr_int(kBatchDims));
  const int64_t depth = indices.shape[indices.shape.rank - 1];
  if (ctx.output(0).shape.elements() == 0) return Status();
  int64_t strides[kMaxRank], batches = 1, rows = 1;
  row_major_strides(x.shape, strides);
  for (int i = 0; i < batch; ++i) batches *= x.shape[i];
  for (int i = batch; i < indices.shape.rank - 1; ++i) rows *= indices.shape[i];
  int64_t slice = 1, per_batch = 1;
  for (int i = batch; i < x.shape.rank; ++i) per_batch *= x.shape[i];
  for (int i = batch + static_cast<int>(depth); i < x.shape.rank; ++i) slice *= x.shape[i];
  const int64_t n = batches * rows;
  int64_t ignored = 0;
  for (int64_t i = 0; i < n * depth; ++i)
    SAMPAN_TRY(resolve_index(index_at(indices, i), x.shape[batch + static_cast<int>(i % depth)], i,
                             &ignored));
  const size_t size = dtype_size(x.dtype), bytes = static_cast<size_t>(slice) * size;
  ctx.parallel_for(n, grain_for(static_cast<int64_t>(bytes)), [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t at = i / rows * per_batch;
      for (int64_t k = 0; k < depth; ++k) {
        const int axis = batch + static_cast<int>(k);
        int64_t index = index_at(indices, i * depth + k);
        if (index < 0) index += x.shape[axis];
        at += index * strides[axis];
      }
      std::memcpy(ctx.output(0).as<char>() + static_cast<size_t>(i) * bytes,
                  x.as<char>() + static_cast<size_t>(at) * size, bytes);
    }
  });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(GatherND, 1)
    .doc(
        "Takes elements or slices of x at index tuples, the last axis of indices; the first "
        "batch_dims axes go along. An index out of range is an error.")
    .input("x", sampan::kAnyType)
    .input("indices", sampan::kIndices)
    .output("y")
    .attr_int(sampan::kBatchDims, "batch_dims", 0, 0, sampan::kMaxRank - 1)
    .infer(sampan::infer)
    .kernel(sampan::run);
