#include "ops/common/copy.h"

#include <cstring>

namespace sampan {
namespace {

// Drops dimensions of size 1 and joins neighbours that one stride can walk in both tensors.
StridedCopy collapse(const StridedCopy& in) {
  StridedCopy out;
  for (int i = 0; i < in.rank; ++i) {
    if (in.dims[i] == 1) continue;
    const int last = out.rank - 1;
    if (last >= 0 && out.dst_strides[last] == in.dst_strides[i] * in.dims[i] &&
        out.src_strides[last] == in.src_strides[i] * in.dims[i]) {
      out.dims[last] *= in.dims[i];
      out.dst_strides[last] = in.dst_strides[i];
      out.src_strides[last] = in.src_strides[i];
    } else {
      out.push(in.dims[i], in.dst_strides[i], in.src_strides[i]);
    }
  }
  if (out.rank == 0) out.push(1, 1, 1);
  return out;
}

template <class T>
void copy_row(T* dst, int64_t dst_stride, const T* src, int64_t src_stride, int64_t n) {
  if (dst_stride == 1 && src_stride == 0) {
    const T value = *src;
    for (int64_t i = 0; i < n; ++i) dst[i] = value;
  } else if (dst_stride == 1) {
    for (int64_t i = 0; i < n; ++i) dst[i] = src[i * src_stride];
  } else {
    for (int64_t i = 0; i < n; ++i) dst[i * dst_stride] = src[i * src_stride];
  }
}

void copy_row(unsigned char* dst, int64_t dst_stride, const unsigned char* src, int64_t src_stride,
              int64_t n, size_t size) {
  if (dst_stride == 1 && src_stride == 1) {
    std::memcpy(dst, src, static_cast<size_t>(n) * size);
    return;
  }
  switch (size) {
    case 1:
      copy_row<uint8_t>(dst, dst_stride, src, src_stride, n);
      break;
    case 2:
      copy_row(reinterpret_cast<uint16_t*>(dst), dst_stride, reinterpret_cast<const uint16_t*>(src),
               src_stride, n);
      break;
    case 4:
      copy_row(reinterpret_cast<uint32_t*>(dst), dst_stride, reinterpret_cast<const uint32_t*>(src),
               src_stride, n);
      break;
    default:
      copy_row(reinterpret_cast<uint64_t*>(dst), dst_stride, reinterpret_cast<const uint64_t*>(src),
               src_stride, n);
  }
}

}  // namespace

void row_major_strides(const Shape& shape, int64_t* strides) {
  int64_t stride = 1;
  for (int i = shape.rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape[i];
  }
}

void run_strided_copy(const RunContext& ctx, const StridedCopy& copy, void* dst, const void* src,
                      size_t element_size) {
  for (int i = 0; i < copy.rank; ++i)
    if (copy.dims[i] == 0) return;
  const StridedCopy c = collapse(copy);
  const int inner = c.rank - 1;
  const int64_t n = c.dims[inner];
  const int64_t size = static_cast<int64_t>(element_size);
  auto* d = static_cast<unsigned char*>(dst);
  auto* s = static_cast<const unsigned char*>(src);
  if (inner == 0) {
    ctx.parallel_for(n, grain_for(size), [&](int64_t begin, int64_t end, int) {
      copy_row(d + begin * c.dst_strides[0] * size, c.dst_strides[0],
               s + begin * c.src_strides[0] * size, c.src_strides[0], end - begin, element_size);
    });
    return;
  }
  int64_t rows = 1;
  for (int i = 0; i < inner; ++i) rows *= c.dims[i];
  ctx.parallel_for(rows, grain_for(n * size), [&](int64_t begin, int64_t end, int) {
    int64_t index[kMaxRank] = {};
    int64_t dst_at = 0, src_at = 0, rest = begin;
    for (int i = inner - 1; i >= 0; --i) {
      index[i] = rest % c.dims[i];
      rest /= c.dims[i];
      dst_at += index[i] * c.dst_strides[i];
      src_at += index[i] * c.src_strides[i];
    }
    for (int64_t row = begin; row < end; ++row) {
      copy_row(d + dst_at * size, c.dst_strides[inner], s + src_at * size, c.src_strides[inner], n,
               element_size);
      for (int i = inner - 1; i >= 0; --i) {
        dst_at += c.dst_strides[i];
        src_at += c.src_strides[i];
        if (++index[i] < c.dims[i]) break;
        index[i] = 0;
        dst_at -= c.dims[i] * c.dst_strides[i];
        src_at -= c.dims[i] * c.src_strides[i];
      }
    }
  });
}

void run_copy(const RunContext& ctx, void* dst, const void* src, size_t bytes) {
  if (bytes == 0) return;
  ctx.parallel_for(
      static_cast<int64_t>(bytes), int64_t{256} << 10, [&](int64_t begin, int64_t end, int) {
        std::memcpy(static_cast<char*>(dst) + begin, static_cast<const char*>(src) + begin,
                    static_cast<size_t>(end - begin));
      });
}

void run_fill(const RunContext& ctx, void* dst, const void* element, size_t element_size,
              int64_t count) {
  StridedCopy c;
  c.push(count, 1, 0);
  run_strided_copy(ctx, c, dst, element, element_size);
}

}  // namespace sampan
