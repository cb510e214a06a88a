#include <cstring>

#include "ops/common/copy.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

enum { kUpper };

Status infer(InferContext& ctx) {
  SAMPAN_RULE(ctx.shape(0).rank >= 2, "x must hold matrices (rank 2 or more), got shape %s",
              ShapeText(ctx.shape(0)).c_str());
  return same_as_first(ctx);
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  const int rank = x.shape.rank;
  const int64_t rows = x.shape[rank - 2], columns = x.shape[rank - 1];
  const bool upper = ctx.attr_bool(kUpper);
  int64_t k = ctx.has_input(1) && ctx.input(1).shape.elements() > 0 ? index_at(ctx.input(1), 0) : 0;
  k = k < -rows ? -rows : k > columns ? columns : k;
  if (x.shape.elements() == 0) return Status();
  const size_t size = dtype_size(x.dtype);
  const int64_t total = x.shape.elements() / columns;
  ctx.parallel_for(total, grain_for(columns * static_cast<int64_t>(size)),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t r = begin; r < end; ++r) {
                       // Row i keeps columns from i + k on (upper), or up to and with i + k.
                       int64_t cut = r % rows + k + (upper ? 0 : 1);
                       cut = cut < 0 ? 0 : cut > columns ? columns : cut;
                       const size_t left = static_cast<size_t>(cut) * size;
                       const size_t right = static_cast<size_t>(columns - cut) * size;
                       const size_t row = static_cast<size_t>(r * columns) * size;
                       const char* from = x.as<char>() + row;
                       char* to = y.as<char>() + row;
                       if (upper) {
                         std::memset(to, 0, left);
                         if (to != from) std::memcpy(to + left, from + left, right);
                       } else {
                         if (to != from) std::memcpy(to, from, left);
                         std::memset(to + left, 0, right);
                       }
                     }
                   });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Trilu, 1)
    .doc(
        "The upper or lower triangle of each matrix, the rest 0; k moves the diagonal to the "
        "right.")
    .input("x", sampan::kAnyType)
    .input("k", sampan::kIndices, sampan::kOptional)
    .output("y")
    .attr_bool(sampan::kUpper, "upper", true)
    .infer(sampan::infer)
    .in_place(0)
    .kernel(sampan::run);
