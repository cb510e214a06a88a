#include "kernels/elementwise/cast.h"

#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/elementwise/half.h"

namespace sampan {
namespace {

// Types as they lie in memory.
struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};
struct Bool {
  uint8_t value;
};

template <class To, class From>
inline To saturate(From x) {
  constexpr To kLow = std::numeric_limits<To>::min(), kHigh = std::numeric_limits<To>::max();
  // 2^digits is exact in every float type; the highest value itself may not be.
  constexpr int kDigits = std::numeric_limits<To>::digits;
  constexpr From kLimit = static_cast<From>(uint64_t{1} << (kDigits - 1)) * From{2};
  if (!(x == x)) return 0;
  if (x >= kLimit) return kHigh;
  if (std::is_signed_v<To> ? x < -kLimit : x <= From{-1}) return kLow;
  return static_cast<To>(x);
}

template <class To, class From>
inline To convert(From x) {
  if constexpr (std::is_same_v<From, F16>) {
    return convert<To>(f32_from_f16(x.bits));
  } else if constexpr (std::is_same_v<From, BF16>) {
    return convert<To>(f32_from_bf16(x.bits));
  } else if constexpr (std::is_same_v<From, Bool>) {
    return convert<To>(static_cast<uint8_t>(x.value != 0));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return {static_cast<uint8_t>(x != 0)};
  } else if constexpr (std::is_same_v<To, F16>) {
    if constexpr (std::is_same_v<From, float>)
      return {f16_from_f32(x)};
    else
      return {f16_from_f64(static_cast<double>(x))};
  } else if constexpr (std::is_same_v<To, BF16>) {
    if constexpr (std::is_same_v<From, float>)
      return {bf16_from_f32(x)};
    else
      return {bf16_from_f64(static_cast<double>(x))};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return saturate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void cast_array(const void* x_, void* y_, int64_t n) {
  const From* x = static_cast<const From*>(x_);
  To* y = static_cast<To*>(y_);
  if constexpr (std::is_same_v<From, To> && !std::is_same_v<From, Bool>) {
    if (n > 0) std::memcpy(y, x, static_cast<size_t>(n) * sizeof(From));
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = convert<To>(x[i]);
  }
}

template <class From>
CastFn from_type(DType to) {
  switch (to) {
    case DType::kFloat32:
      return cast_array<From, float>;
    case DType::kFloat16:
      return cast_array<From, F16>;
    case DType::kBFloat16:
      return cast_array<From, BF16>;
    case DType::kFloat64:
      return cast_array<From, double>;
    case DType::kInt8:
      return cast_array<From, int8_t>;
    case DType::kUInt8:
      return cast_array<From, uint8_t>;
    case DType::kInt16:
      return cast_array<From, int16_t>;
    case DType::kUInt16:
      return cast_array<From, uint16_t>;
    case DType::kInt32:
      return cast_array<From, int32_t>;
    case DType::kUInt32:
      return cast_array<From, uint32_t>;
    case DType::kInt64:
      return cast_array<From, int64_t>;
    case DType::kUInt64:
      return cast_array<From, uint64_t>;
    case DType::kBool:
      return cast_array<From, Bool>;
    default:
      return nullptr;
  }
}

}  // namespace

CastFn cast_fn(Isa isa, DType from, DType to) {
#if SAMPAN_X86
  if (isa != Isa::kPortable) {
    if (from == DType::kFloat16 && to == DType::kFloat32) return cast_f16_f32_avx2;
    if (from == DType::kFloat32 && to == DType::kFloat16) return cast_f32_f16_avx2;
  }
#endif
  (void)isa;
  switch (from) {
    case DType::kFloat32:
      return from_type<float>(to);
    case DType::kFloat16:
      return from_type<F16>(to);
    case DType::kBFloat16:
      return from_type<BF16>(to);
    case DType::kFloat64:
      return from_type<double>(to);
    case DType::kInt8:
      return from_type<int8_t>(to);
    case DType::kUInt8:
      return from_type<uint8_t>(to);
    case DType::kInt16:
      return from_type<int16_t>(to);
    case DType::kUInt16:
      return from_type<uint16_t>(to);
    case DType::kInt32:
      return from_type<int32_t>(to);
    case DType::kUInt32:
      return from_type<uint32_t>(to);
    case DType::kInt64:
      return from_type<int64_t>(to);
    case DType::kUInt64:
      return from_type<uint64_t>(to);
    case DType::kBool:
      return from_type<Bool>(to);
    default:
      return nullptr;
  }
}

}  // namespace sampan
