#include <cstring>

#include "kernels/transpose/transpose.h"

namespace sampan {
namespace {

void push(StridedView* v, int64_t dim, int64_t dst, int64_t src) {
  v->dims[v->rank] = dim;
  v->dst_strides[v->rank] = dst;
  v->src_strides[v->rank] = src;
  ++v->rank;
}

void swap_dims(StridedView* v, int a, int b) {
  const auto swap = [a, b](int64_t* p) {
    const int64_t t = p[a];
    p[a] = p[b];
    p[b] = t;
  };
  swap(v->dims);
  swap(v->dst_strides);
  swap(v->src_strides);
}

StridedView collapse(const StridedView& in) {
  StridedView out;
  for (int i = 0; i < in.rank; ++i) {
    if (in.dims[i] == 1) continue;
    const int last = out.rank - 1;
    if (last >= 0 && out.dst_strides[last] == in.dst_strides[i] * in.dims[i] &&
        out.src_strides[last] == in.src_strides[i] * in.dims[i]) {
      out.dims[last] *= in.dims[i];
      out.dst_strides[last] = in.dst_strides[i];
      out.src_strides[last] = in.src_strides[i];
    } else {
      push(&out, in.dims[i], in.dst_strides[i], in.src_strides[i]);
    }
  }
  return out;
}

// Planes of T: rows run along src's contiguous dimension.
template <class T>
void transpose_plane(const T* src, int64_t src_stride, T* dst, int64_t dst_stride, int64_t rows,
                     int64_t cols) {
  constexpr int64_t kTile = 16;  // both sides of a tile stay in the first-level cache
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    const int64_t r1 = r0 + kTile < rows ? r0 + kTile : rows;
    for (int64_t c0 = 0; c0 < cols; c0 += kTile) {
      const int64_t c1 = c0 + kTile < cols ? c0 + kTile : cols;
      for (int64_t c = c0; c < c1; ++c)
        for (int64_t r = r0; r < r1; ++r) dst[c * dst_stride + r] = src[r * src_stride + c];
    }
  }
}

template <class T>
void copy_row(const T* src, int64_t src_stride, T* dst, int64_t dst_stride, int64_t n) {
  if (dst_stride == 1 && src_stride == 1) {
    std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(T));
  } else if (dst_stride == 1 && src_stride == 0) {
    const T value = *src;
    for (int64_t i = 0; i < n; ++i) dst[i] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) dst[i * dst_stride] = src[i * src_stride];
  }
}

void plane(Isa isa, const uint32_t* src, int64_t src_stride, uint32_t* dst, int64_t dst_stride,
           int64_t rows, int64_t cols) {
  transpose_x32_fn(isa)(src, src_stride, dst, dst_stride, rows, cols);
}
template <class T>
void plane(Isa, const T* src, int64_t src_stride, T* dst, int64_t dst_stride, int64_t rows,
           int64_t cols) {
  transpose_plane(src, src_stride, dst, dst_stride, rows, cols);
}

template <class T>
void run_typed(Isa isa, const CopyPlan& plan, const T* src, T* dst, int64_t begin, int64_t end) {
  const StridedView& v = plan.view;
  const int last = v.rank - 1, second = v.rank - 2;
  const int64_t n = v.dims[last], dst_step = v.dst_strides[last], src_step = v.src_strides[last];
  const int64_t blocks = (v.dims[second] + plan.block - 1) / plan.block;
  for (int64_t unit = begin; unit < end; ++unit) {
    int64_t rest = unit / blocks, dst_at = 0, src_at = 0;
    for (int d = second - 1; d >= 0; --d) {
      const int64_t i = rest % v.dims[d];
      rest /= v.dims[d];
      dst_at += i * v.dst_strides[d];
      src_at += i * v.src_strides[d];
    }
    const int64_t first = unit % blocks * plan.block;
    const int64_t left = v.dims[second] - first, count = left < plan.block ? left : plan.block;
    const T* s = src + src_at + first * v.src_strides[second];
    T* t = dst + dst_at + first * v.dst_strides[second];
    if (plan.transposed) {
      plane(isa, s, src_step, t, v.dst_strides[second], n, count);
      continue;
    }
    for (int64_t i = 0; i < count; ++i)
      copy_row(s + i * v.src_strides[second], src_step, t + i * v.dst_strides[second], dst_step, n);
  }
}

}  // namespace

CopyPlan make_copy_plan(const StridedView& in) {
  CopyPlan plan;
  for (int i = 0; i < in.rank; ++i) plan.empty = plan.empty || in.dims[i] == 0;
  if (plan.empty) return plan;
  StridedView v = collapse(in);
  while (v.rank < 2) {  // a leading dimension of 1
    StridedView padded;
    push(&padded, 1, 0, 0);
    for (int i = 0; i < v.rank; ++i) push(&padded, v.dims[i], v.dst_strides[i], v.src_strides[i]);
    v = padded;
  }
  const int last = v.rank - 1;
  for (int i = 0; i < last; ++i)
    if (v.dst_strides[i] == 1 && v.dst_strides[last] != 1) swap_dims(&v, i, last);
  if (v.dst_strides[last] == 1 && v.src_strides[last] != 1) {
    for (int i = 0; i < last; ++i) {
      if (v.src_strides[i] != 1) continue;
      swap_dims(&v, i, last - 1);
      plan.transposed = true;
      break;
    }
  }
  // About 8192 elements per unit, whole tiles where planes are cut.
  const int64_t second = v.dims[last - 1];
  int64_t block = 8192 / v.dims[last];
  block = block < 1 ? 1 : block / 16 * 16 > 0 ? block / 16 * 16 : block;
  if (plan.transposed && block < 16) block = 16;
  plan.block = block < second ? block : second;
  plan.rows = (second + plan.block - 1) / plan.block;
  for (int i = 0; i < last - 1; ++i) plan.rows *= v.dims[i];
  plan.view = v;
  return plan;
}

StridedView permutation_view(int rank, const int64_t* dims, const int* perm) {
  int64_t src[kMaxRank], stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    src[i] = stride;
    stride *= dims[i];
  }
  StridedView v;
  v.rank = rank;
  stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    v.dims[i] = dims[perm[i]];
    v.src_strides[i] = src[perm[i]];
    v.dst_strides[i] = stride;
    stride *= v.dims[i];
  }
  return v;
}

void run_copy_plan(Isa isa, const CopyPlan& plan, size_t element_size, const void* src, void* dst,
                   int64_t begin, int64_t end) {
  if (plan.empty) return;
  switch (element_size) {
    case 1:
      return run_typed(isa, plan, static_cast<const uint8_t*>(src), static_cast<uint8_t*>(dst),
                       begin, end);
    case 2:
      return run_typed(isa, plan, static_cast<const uint16_t*>(src), static_cast<uint16_t*>(dst),
                       begin, end);
    case 4:
      return run_typed(isa, plan, static_cast<const uint32_t*>(src), static_cast<uint32_t*>(dst),
                       begin, end);
    default:
      return run_typed(isa, plan, static_cast<const uint64_t*>(src), static_cast<uint64_t*>(dst),
                       begin, end);
  }
}

void transpose_x32_portable(const uint32_t* src, int64_t src_stride, uint32_t* dst,
                            int64_t dst_stride, int64_t rows, int64_t cols) {
  transpose_plane(src, src_stride, dst, dst_stride, rows, cols);
}

Transpose32Fn transpose_x32_fn(Isa isa) {
#if SAMPAN_X86
  if (isa != Isa::kPortable) return transpose_x32_8x8_avx2;
#endif
  (void)isa;
  return transpose_x32_portable;
}

}  // namespace sampan
