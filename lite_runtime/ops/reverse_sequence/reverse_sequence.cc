#include <cinttypes>
#include <cstring>

#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kBatchAxis, kTimeAxis };

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  int batch = 0, time = 0;
  SAMPAN_RULE(x.rank >= 2, "x needs a batch and a time axis, got shape %s", ShapeText(x).c_str());
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kBatchAxis), x.rank, &batch));
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kTimeAxis), x.rank, &time));
  SAMPAN_RULE(batch != time, "batch axis and time axis are both %d: they must differ", batch);
  SAMPAN_RULE(ctx.shape(1).rank == 1 && ctx.math().equal(ctx.shape(1)[0], x[batch]) != Tri::kNo,
              "sequence_lens has shape %s: one length for each of the batch of %s is needed",
              ShapeText(ctx.shape(1)).c_str(), ShapeText(x).c_str());
  return same_as_first(ctx);
}

Status run(RunContext& ctx) {
  const Tensor &x = ctx.input(0), &lengths = ctx.input(1);
  int batch = 0, time = 0;
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kBatchAxis), x.shape.rank, &batch));
  SAMPAN_TRY(normalize_axis(ctx.attr_int(kTimeAxis), x.shape.rank, &time));
  const int64_t steps = x.shape[time];
  for (int64_t b = 0; b < x.shape[batch]; ++b) {
    const int64_t n = lengths.as<int64_t>()[b];
    SAMPAN_CHECK(n >= 0 && n <= steps, Code::kDataError,
                 "sequence length %" PRId64 " (batch %" PRId64
                 ") is out of range: the time axis has "
                 "%" PRId64 " steps",
                 n, b, steps);
  }
  if (x.shape.elements() == 0) return Status();
  const int last = batch > time ? batch : time;
  int64_t strides[kMaxRank], inner = 1;
  row_major_strides(x.shape, strides);
  for (int i = last + 1; i < x.shape.rank; ++i) inner *= x.shape[i];
  const int64_t total = x.shape.elements() / inner;
  const size_t bytes = static_cast<size_t>(inner) * dtype_size(x.dtype);
  ctx.parallel_for(
      total, grain_for(static_cast<int64_t>(bytes)), [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t at = i * inner;
          const int64_t b = at / strides[batch] % x.shape[batch], t = at / strides[time] % steps;
          const int64_t n = lengths.as<int64_t>()[b];
          const int64_t from = t < n ? at + (n - 1 - 2 * t) * strides[time] : at;
          std::memcpy(ctx.output(0).as<char>() + static_cast<size_t>(i) * bytes,
                      x.as<char>() + static_cast<size_t>(from / inner) * bytes, bytes);
        }
      });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(ReverseSequence, 1)
    .doc("Reverses the first sequence_lens[b] steps of every sequence b; later steps stay.")
    .input("x", sampan::kAnyType)
    .input("sequence_lens", sampan::kI64)
    .output("y")
    .attr_int(sampan::kBatchAxis, "batch_axis", 1, -sampan::kMaxRank, sampan::kMaxRank - 1)
    .attr_int(sampan::kTimeAxis, "time_axis", 0, -sampan::kMaxRank, sampan::kMaxRank - 1)
    .infer(sampan::infer)
    .kernel(sampan::run);
