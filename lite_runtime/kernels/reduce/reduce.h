// Reductions of a contiguous [outer, n, inner] array over the middle axis.
//
// Order (docs/numerics.md). inner == 1: 16 lanes, lane j taking elements j, j + 16, ... ascending,
// then the tree 8-4-2-1; the last, incomplete round touches only its lanes. inner > 1: chains of
// kReduceChunk elements, whose results are joined in ascending order. float16 and bfloat16 are
// widened, reduced as float32 and rounded once. Integers wrap; their means, norms and logarithms
// are truncated.
//
// max and min of an array with a NaN are NaN. Reductions of nothing (n == 0): sum 0, product 1,
// mean NaN (0 for integers), max the lowest and min the highest value of the type.
#pragma once
#include <cstdint>

#include "kernels/isa.h"
#include "sampan/tensor.h"

namespace sampan {

// A single chain over n elements errs in proportion to n; chains of this length, to n / 32 + 32.
constexpr int64_t kReduceChunk = 32;

enum class ReduceOp : uint8_t {
  kSum,
  kMean,
  kProd,
  kMax,
  kMin,
  kL1,  // sum |x|
  kL2,  // sqrt(sum x^2)
  kSumSquare,
  kLogSum,     // log(sum x)
  kLogSumExp,  // m + log(sum exp(x - m)), m the maximum (0 where that is infinite)
};
constexpr int kReduceCount = static_cast<int>(ReduceOp::kLogSumExp) + 1;

struct ReduceShape {
  int64_t outer = 1, n = 1, inner = 1;
};

// The part of the results to compute: outer and inner ranges.
struct ReduceRange {
  int64_t outer0 = 0, outer1 = 0, inner0 = 0, inner1 = 0;
};

// x: [outer, n, inner], y: [outer, inner].
using ReduceFn = void (*)(const void* x, void* y, const ReduceShape& shape,
                          const ReduceRange& range);

// Null for bool and invalid types.
ReduceFn reduce_fn(Isa isa, ReduceOp op, DType dtype);

// y: int64 indices of the greatest (least) element along n; ties go to the first, or with `last` to
// the last; a NaN counts as greater (less) than everything. n must be at least 1.
using ArgReduceFn = void (*)(const void* x, int64_t* y, const ReduceShape& shape,
                             const ReduceRange& range, bool last);
ArgReduceFn arg_max_fn(DType dtype);
ArgReduceFn arg_min_fn(DType dtype);

// Running sums along n, one chain each: y has x's shape. exclusive: an element's own value is left
// out; reverse: from the end. float16 and bfloat16 keep the running sum in float32.
struct CumSumMode {
  bool exclusive = false, reverse = false;
};
using CumSumFn = void (*)(const void* x, void* y, const ReduceShape& shape,
                          const ReduceRange& range, CumSumMode mode);
CumSumFn cum_sum_fn(DType dtype);

// How to reduce over the axes of `mask` (bit i: axis i). Where they are neighbours (axes of size 1
// aside), `shape` is all. Otherwise `permute` is set: bring x into the order perm[0..rank), which
// has the reduced axes last, and reduce that as `shape` says (inner is 1).
struct ReducePlan {
  ReduceShape shape;
  bool permute = false;
  int perm[kMaxRank] = {};
};
ReducePlan make_reduce_plan(int rank, const int64_t* dims, uint32_t mask);

extern const ReduceFn kReduceF32Avx2[kReduceCount];
extern const ReduceFn kReduceF32Avx512[kReduceCount];

}  // namespace sampan
