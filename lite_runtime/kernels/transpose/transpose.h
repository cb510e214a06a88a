// Copies between strided views of the same shape: permutations, slices with steps of either sign,
// pieces of concatenations and splits, padding, space-to-depth and the like.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/isa.h"
#include "sampan/tensor.h"

namespace sampan {

// dst[sum i_d * dst_stride_d] = src[sum i_d * src_stride_d] for all indices; strides are in
// elements, of any sign; a source stride of 0 repeats. dst and src must not overlap.
struct StridedView {
  int rank = 0;
  int64_t dims[kMaxRank] = {};
  int64_t dst_strides[kMaxRank] = {};
  int64_t src_strides[kMaxRank] = {};
};

// Ready to run: dimensions of size 1 are gone, neighbours walked alike are merged, the dimension
// that is contiguous in dst is the last, the one contiguous in src (if another) the last but one.
struct CopyPlan {
  StridedView view;
  int64_t rows = 0;  // units that threads can share: indices of all but the last two dimensions,
                     // times blocks of the last but one
  int64_t block = 1;
  bool empty = false;
  bool transposed = false;  // the last two dimensions form a plane to transpose
};
CopyPlan make_copy_plan(const StridedView& view);

// The copy that brings a contiguous array of shape dims into axis order perm:
// axis i of the result is axis perm[i] of the source.
StridedView permutation_view(int rank, const int64_t* dims, const int* perm);

// Units [begin, end) of plan.rows. Elements have 1, 2, 4 or 8 bytes. The pointers are those of
// index (0, ..., 0) of the view.
void run_copy_plan(Isa isa, const CopyPlan& plan, size_t element_size, const void* src, void* dst,
                   int64_t begin, int64_t end);

// dst[c * dst_stride + r] = src[r * src_stride + c], r < rows, c < cols; 4-byte elements.
using Transpose32Fn = void (*)(const uint32_t* src, int64_t src_stride, uint32_t* dst,
                               int64_t dst_stride, int64_t rows, int64_t cols);
Transpose32Fn transpose_x32_fn(Isa isa);
void transpose_x32_portable(const uint32_t* src, int64_t src_stride, uint32_t* dst,
                            int64_t dst_stride, int64_t rows, int64_t cols);
void transpose_x32_8x8_avx2(const uint32_t* src, int64_t src_stride, uint32_t* dst,
                            int64_t dst_stride, int64_t rows, int64_t cols);

}  // namespace sampan
