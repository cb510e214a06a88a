// Copies between two strided views of the same shape, and fills: what most data movement comes
// down to. Elements are bytes of a given size; strides are in elements and may be 0 or negative.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/op.h"
#include "kernels/transpose/transpose.h"

namespace sampan {

struct StridedCopy : StridedView {
  void push(int64_t dim, int64_t dst_stride, int64_t src_stride) {
    dims[rank] = dim;
    dst_strides[rank] = dst_stride;
    src_strides[rank] = src_stride;
    ++rank;
  }
};

// strides[i] of a contiguous row-major tensor.
void row_major_strides(const Shape& shape, int64_t* strides);

// Splits the work over threads. dst and src must not overlap.
void run_strided_copy(const RunContext& ctx, const StridedCopy& copy, void* dst, const void* src,
                      size_t element_size);

// Plain contiguous copy and repeated element, also split over threads.
void run_copy(const RunContext& ctx, void* dst, const void* src, size_t bytes);
void run_fill(const RunContext& ctx, void* dst, const void* element, size_t element_size,
              int64_t count);

// Items per part so that a part is worth a thread: 32 KiB.
inline int64_t grain_for(int64_t bytes_per_item) {
  const int64_t grain = bytes_per_item > 0 ? (int64_t{32} << 10) / bytes_per_item : 1 << 15;
  return grain > 0 ? grain : 1;
}

}  // namespace sampan
