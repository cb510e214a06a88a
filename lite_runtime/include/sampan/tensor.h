// Element types, shapes and views of tensors.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sampan {

// Stable numbers: they stand in files and cross the C interface. Append only.
enum class DType : uint8_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat16 = 2,
  kBFloat16 = 3,
  kFloat64 = 4,
  kInt8 = 5,
  kUInt8 = 6,
  kInt16 = 7,
  kUInt16 = 8,
  kInt32 = 9,
  kUInt32 = 10,
  kInt64 = 11,
  kUInt64 = 12,
  kBool = 13,  // one byte, 0 or 1
};
constexpr int kDTypeCount = 14;

// Bytes of one element; 0 for kInvalid and unknown values.
constexpr size_t dtype_size(DType t) {
  switch (t) {
    case DType::kFloat64:
    case DType::kInt64:
    case DType::kUInt64:
      return 8;
    case DType::kFloat32:
    case DType::kInt32:
    case DType::kUInt32:
      return 4;
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kInt16:
    case DType::kUInt16:
      return 2;
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kBool:
      return 1;
    default:
      return 0;
  }
}

// numpy's name ("float32", "bool", "bfloat16" ...), "invalid" otherwise.
const char* dtype_name(DType t);

constexpr int kMaxRank = 8;

struct Shape {
  int32_t rank = 0;
  int64_t dims[kMaxRank] = {};

  int64_t operator[](int i) const { return dims[i]; }
  int64_t& operator[](int i) { return dims[i]; }
  bool operator==(const Shape& o) const {
    if (rank != o.rank) return false;
    for (int i = 0; i < rank; ++i)
      if (dims[i] != o.dims[i]) return false;
    return true;
  }
  bool operator!=(const Shape& o) const { return !(*this == o); }
  // Product of the dimensions (1 for rank 0). Shapes inside the runtime are checked when they are
  // made (checked.h: shape_elements), so that this product cannot overflow.
  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i];
    return n;
  }
};

// How a constant's bytes are arranged.
enum class Packing : uint8_t {
  kPlain = 0,      // row-major
  kPanelsF32 = 1,  // [groups][ceil(n/16)][k][16] float32, the canonical panels
};

// A view: owns nothing. Elements are contiguous and row-major unless packing says otherwise.
struct Tensor {
  DType dtype = DType::kInvalid;
  Packing packing = Packing::kPlain;
  Shape shape;
  void* data = nullptr;

  template <class T>
  T* as() {
    return static_cast<T*>(data);
  }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  size_t bytes() const { return static_cast<size_t>(shape.elements()) * dtype_size(dtype); }
};

}  // namespace sampan
