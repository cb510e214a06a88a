// Broadcasting by numpy's rules: tensors are cut into pieces that are contiguous in the output and
// in which every operand is either contiguous (stride 1) or one value (stride 0).
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/elementwise/elementwise.h"

namespace sampan {

struct BroadcastPlan {
  static constexpr int kMaxDims = 8;
  static constexpr int kMaxOperands = 3;
  int operands = 0;
  int rank = 1;  // after collapsing; at least 1
  int64_t dims[kMaxDims] = {1};
  int64_t strides[kMaxOperands][kMaxDims] = {};  // in elements; the output is contiguous
  int64_t total = 1;
};

// shapes[i] has ranks[i] dimensions; all tensors are contiguous. Neighbouring dimensions that every
// operand walks through alike are merged. False when the shapes do not broadcast together, or a
// rank is over kMaxDims. The product of the dimensions must not overflow (see check_shape).
bool make_broadcast_plan(int operands, const int64_t* const* shapes, const int* ranks,
                         BroadcastPlan* plan);

// Calls f(offsets, begin, n) for the pieces of the output range [begin, end): offsets[i] is where
// operand i starts, `begin` where the output does. Inner strides are plan.strides[i][rank - 1].
template <class F>
void for_each_piece(const BroadcastPlan& plan, int64_t begin, int64_t end, F&& f) {
  if (begin >= end) return;
  const int last = plan.rank - 1;
  int64_t index[BroadcastPlan::kMaxDims] = {};
  int64_t rest = begin;
  for (int d = last; d >= 0; --d) {
    index[d] = rest % plan.dims[d];
    rest /= plan.dims[d];
  }
  while (begin < end) {
    int64_t offsets[BroadcastPlan::kMaxOperands] = {};
    for (int i = 0; i < plan.operands; ++i)
      for (int d = 0; d <= last; ++d) offsets[i] += index[d] * plan.strides[i][d];
    // Rows next to each other: only the second-innermost index moves.
    int64_t rows = last > 0 ? plan.dims[last - 1] - index[last - 1] : 1;
    while (begin < end && rows > 0) {
      int64_t n = plan.dims[last] - index[last];
      if (n > end - begin) n = end - begin;
      f(static_cast<const int64_t*>(offsets), begin, n);
      begin += n;
      for (int i = 0; i < plan.operands; ++i) {
        offsets[i] -= index[last] * plan.strides[i][last];
        if (last > 0) offsets[i] += plan.strides[i][last - 1];
      }
      index[last] = 0;
      if (last > 0) ++index[last - 1];
      --rows;
    }
    for (int d = last - 1; d > 0 && index[d] == plan.dims[d]; --d) {
      index[d] = 0;
      ++index[d - 1];
    }
  }
}

// Output elements [begin, end) of op(a, b), so that threads can share the work.
void run_binary(const BinaryKernel& kernel, const BroadcastPlan& plan, const void* a, const void* b,
                void* y, int64_t begin, int64_t end);

// Output elements [begin, end) of condition ? a : b; the plan's operands are condition, a, b.
void run_select(const BroadcastPlan& plan, size_t element_size, const uint8_t* condition,
                const void* a, const void* b, void* y, int64_t begin, int64_t end);

// Output elements [begin, end) of an operand repeated to the plan's shape (Expand).
void run_expand(const BroadcastPlan& plan, size_t element_size, const void* x, void* y,
                int64_t begin, int64_t end);

}  // namespace sampan
