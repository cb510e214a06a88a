// Chooses kernels, and carries the narrow types through wider ones in blocks on the stack.
#include "kernels/elementwise/elementwise.h"

#include <cstring>

#include "kernels/elementwise/half.h"
#include "kernels/elementwise/types.h"

namespace sampan {
namespace {

constexpr int64_t kBlock = 256;

bool is_half(DType t) { return t == DType::kFloat16 || t == DType::kBFloat16; }

void widen_half(DType t, const void* x, int64_t n, float* y) {
  const uint16_t* h = static_cast<const uint16_t*>(x);
  if (t == DType::kFloat16) {
    for (int64_t i = 0; i < n; ++i) y[i] = f32_from_f16(h[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = f32_from_bf16(h[i]);
  }
}
void narrow_half(DType t, const float* x, int64_t n, void* y) {
  uint16_t* h = static_cast<uint16_t*>(y);
  if (t == DType::kFloat16) {
    for (int64_t i = 0; i < n; ++i) h[i] = f16_from_f32(x[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) h[i] = bf16_from_f32(x[i]);
  }
}

template <class T>
void widen(const void* x, int64_t n, int64_t* y) {
  const T* p = static_cast<const T*>(x);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<int64_t>(p[i]);
}
template <class T>
void narrow(const int64_t* x, int64_t n, void* y) {
  T* p = static_cast<T*>(y);
  for (int64_t i = 0; i < n; ++i) p[i] = static_cast<T>(x[i]);
}
void widen_int(DType t, const void* x, int64_t n, int64_t* y) {
  switch (t) {
    case DType::kInt8:
      return widen<int8_t>(x, n, y);
    case DType::kUInt8:
    case DType::kBool:
      return widen<uint8_t>(x, n, y);
    case DType::kInt16:
      return widen<int16_t>(x, n, y);
    case DType::kUInt16:
      return widen<uint16_t>(x, n, y);
    default:
      return widen<uint32_t>(x, n, y);
  }
}
void narrow_int(DType t, const int64_t* x, int64_t n, void* y) {
  switch (t) {
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kBool:
      return narrow<uint8_t>(x, n, y);
    case DType::kInt16:
    case DType::kUInt16:
      return narrow<uint16_t>(x, n, y);
    default:
      return narrow<uint32_t>(x, n, y);
  }
}

const void* advance(const void* p, int64_t bytes) { return static_cast<const char*>(p) + bytes; }
void* advance(void* p, int64_t bytes) { return static_cast<char*>(p) + bytes; }
int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// ---- unary -----------------------------------------------------------------------------------

void unary_f32(const UnaryKernel& k, const void* x, void* y, int64_t n) {
  k.f32(static_cast<const float*>(x), static_cast<float*>(y), n, k.p0, k.p1);
}
void unary_f32_by_f64(const UnaryKernel& k, const void* x_, void* y_, int64_t n) {
  const F64Fn fn = unary_f64_fn(k.op);
  const float* x = static_cast<const float*>(x_);
  float* y = static_cast<float*>(y_);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(fn(x[i], k.p0, k.p1));
}
void unary_f64(const UnaryKernel& k, const void* x_, void* y_, int64_t n) {
  const F64Fn fn = unary_f64_fn(k.op);
  const double* x = static_cast<const double*>(x_);
  double* y = static_cast<double*>(y_);
  for (int64_t i = 0; i < n; ++i) y[i] = fn(x[i], k.p0, k.p1);
}
void unary_half(const UnaryKernel& k, const void* x, void* y, int64_t n) {
  float block[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = least(kBlock, n - i);
    widen_half(k.dtype, advance(x, i * 2), m, block);
    if (k.f32 != nullptr)
      unary_f32(k, block, block, m);
    else
      unary_f32_by_f64(k, block, block, m);
    narrow_half(k.dtype, block, m, advance(y, i * 2));
  }
}
void unary_int(const UnaryKernel& k, const void* x, void* y, int64_t n) {
  unary_int_fn(k.op, k.dtype)(k.op, x, y, n);
}
void logical_not(const UnaryKernel&, const void* x_, void* y_, int64_t n) {
  const uint8_t* x = static_cast<const uint8_t*>(x_);
  uint8_t* y = static_cast<uint8_t*>(y_);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] == 0;
}

template <class T, class Bits>
void classify(const UnaryKernel& k, const void* x_, void* y_, int64_t n, Bits infinity) {
  const char* x = static_cast<const char*>(x_);
  uint8_t* y = static_cast<uint8_t*>(y_);
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  const bool nan = k.op == UnaryOp::kIsNan, below = k.p0 != 0, above = k.p1 != 0;
  for (int64_t i = 0; i < n; ++i) {
    Bits b;
    std::memcpy(&b, x + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
    const Bits a = static_cast<Bits>(b & ~kSign);
    y[i] = nan ? a > infinity : a == infinity && ((b & kSign) ? below : above);
  }
}
void is_nan_or_inf(const UnaryKernel& k, const void* x, void* y, int64_t n) {
  switch (k.dtype) {
    case DType::kFloat32:
      return classify<float, uint32_t>(k, x, y, n, 0x7f800000u);
    case DType::kFloat64:
      return classify<double, uint64_t>(k, x, y, n, 0x7ff0000000000000ull);
    case DType::kFloat16:
      return classify<uint16_t, uint16_t>(k, x, y, n, 0x7c00);
    default:
      return classify<uint16_t, uint16_t>(k, x, y, n, 0x7f80);
  }
}

// ---- binary ----------------------------------------------------------------------------------

void binary_typed(const BinaryKernel& k, const void* a, int64_t sa, const void* b, int64_t sb,
                  void* y, int64_t n) {
  k.typed(a, sa, b, sb, y, n);
}
void binary_f32(const BinaryKernel& k, const void* a, int64_t sa, const void* b, int64_t sb,
                void* y, int64_t n) {
  if (k.f32 == nullptr) return k.typed(a, sa, b, sb, y, n);
  k.f32(static_cast<const float*>(a), sa, static_cast<const float*>(b), sb, static_cast<float*>(y),
        n);
}
// A scalar operand (stride 0) is converted once.
void binary_half(const BinaryKernel& k, const void* a, int64_t sa, const void* b, int64_t sb,
                 void* y, int64_t n) {
  float va[kBlock], vb[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = least(kBlock, n - i);
    if (i == 0 || sa != 0) widen_half(k.dtype, advance(a, i * sa * 2), sa != 0 ? m : 1, va);
    if (i == 0 || sb != 0) widen_half(k.dtype, advance(b, i * sb * 2), sb != 0 ? m : 1, vb);
    if (k.output == DType::kBool) {
      binary_f32(k, va, sa, vb, sb, advance(y, i), m);
    } else {
      float vy[kBlock];
      binary_f32(k, va, sa, vb, sb, vy, m);
      narrow_half(k.dtype, vy, m, advance(y, i * 2));
    }
  }
}
void binary_narrow_int(const BinaryKernel& k, const void* a, int64_t sa, const void* b, int64_t sb,
                       void* y, int64_t n) {
  int64_t va[kBlock], vb[kBlock];
  const int64_t size = static_cast<int64_t>(dtype_size(k.dtype));
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = least(kBlock, n - i);
    if (i == 0 || sa != 0) widen_int(k.dtype, advance(a, i * sa * size), sa != 0 ? m : 1, va);
    if (i == 0 || sb != 0) widen_int(k.dtype, advance(b, i * sb * size), sb != 0 ? m : 1, vb);
    if (k.output == DType::kBool) {
      k.typed(va, sa, vb, sb, advance(y, i), m);
    } else {
      int64_t vy[kBlock];
      k.typed(va, sa, vb, sb, vy, m);
      narrow_int(k.dtype, vy, m, advance(y, i * size));
    }
  }
}

bool is_comparison(BinaryOp op) {
  return op >= BinaryOp::kEqual && op <= BinaryOp::kGreaterOrEqual;
}
bool is_logical(BinaryOp op) { return op >= BinaryOp::kAnd && op <= BinaryOp::kXor; }
bool is_shift(BinaryOp op) { return op == BinaryOp::kShiftLeft || op == BinaryOp::kShiftRight; }
bool is_unsigned(DType t) {
  return t == DType::kUInt8 || t == DType::kUInt16 || t == DType::kUInt32 || t == DType::kUInt64;
}

template <class T>
void select_loop(const uint8_t* c, int64_t sc, const void* a_, int64_t sa, const void* b_,
                 int64_t sb, void* y_, int64_t n) {
  const T* a = static_cast<const T*>(a_);
  const T* b = static_cast<const T*>(b_);
  T* y = static_cast<T*>(y_);
  if (sc == 1 && sa == 1 && sb == 1) {
    for (int64_t i = 0; i < n; ++i) y[i] = c[i] ? a[i] : b[i];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = c[i * sc] ? a[i * sa] : b[i * sb];
  }
}

}  // namespace

const ElementwiseF32Table& elementwise_f32_table(Isa isa) {
#if SAMPAN_X86
  if (isa == Isa::kAvx512) return kElementwiseF32Avx512;
  if (isa == Isa::kAvx2) return kElementwiseF32Avx2;
#endif
  (void)isa;
  return kElementwiseF32Portable;
}

UnaryKernel unary_kernel(Isa isa, UnaryOp op, DType dtype, float p0, float p1) {
  UnaryKernel k;
  k.dtype = dtype;
  k.output = dtype;
  k.op = op;
  k.p0 = p0;
  k.p1 = p1;
  const bool is_float = dtype == DType::kFloat32 || dtype == DType::kFloat64 || is_half(dtype);
  if (op == UnaryOp::kIsNan || op == UnaryOp::kIsInf) {
    k.output = DType::kBool;
    if (is_float) k.fn = is_nan_or_inf;
  } else if (op == UnaryOp::kLogicalNot) {
    if (dtype == DType::kBool) k.fn = logical_not;
  } else if (is_float) {
    k.f32 = elementwise_f32_table(isa).unary[static_cast<int>(op)];
    if (unary_f64_fn(op) == nullptr) return k;
    if (is_half(dtype))
      k.fn = unary_half;
    else if (dtype == DType::kFloat64)
      k.fn = unary_f64;
    else
      k.fn = k.f32 != nullptr ? unary_f32 : unary_f32_by_f64;
  } else if (unary_int_fn(op, dtype) != nullptr) {
    k.fn = unary_int;
  }
  return k;
}

BinaryKernel binary_kernel(Isa isa, BinaryOp op, DType dtype) {
  BinaryKernel k;
  k.dtype = dtype;
  k.output = is_comparison(op) ? DType::kBool : dtype;
  if (is_shift(op) && !is_unsigned(dtype)) return k;
  if (dtype == DType::kBool && !is_logical(op)) {
    // false < true; arithmetic on bool does not exist.
    if (!is_comparison(op)) return k;
    k.typed = binary_typed_fn(op, DType::kInt64);
    k.fn = binary_narrow_int;
    return k;
  }
  switch (dtype) {
    case DType::kFloat32:
    case DType::kFloat16:
    case DType::kBFloat16: {
      k.f32 = elementwise_f32_table(isa).binary[static_cast<int>(op)];
      k.typed = binary_typed_fn(op, DType::kFloat32);
      if (k.f32 != nullptr || k.typed != nullptr) k.fn = is_half(dtype) ? binary_half : binary_f32;
      break;
    }
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kUInt32:
      k.typed = binary_typed_fn(op, DType::kInt64);
      if (k.typed != nullptr) k.fn = binary_narrow_int;
      break;
    default:
      k.typed = binary_typed_fn(op, dtype);
      if (k.typed != nullptr) k.fn = binary_typed;
  }
  return k;
}

void select_elements(size_t element_size, const uint8_t* condition, int64_t sc, const void* a,
                     int64_t sa, const void* b, int64_t sb, void* y, int64_t n) {
  switch (element_size) {
    case 1:
      return select_loop<uint8_t>(condition, sc, a, sa, b, sb, y, n);
    case 2:
      return select_loop<uint16_t>(condition, sc, a, sa, b, sb, y, n);
    case 4:
      return select_loop<uint32_t>(condition, sc, a, sa, b, sb, y, n);
    default:
      return select_loop<uint64_t>(condition, sc, a, sa, b, sb, y, n);
  }
}

}  // namespace sampan
