// From run-time element types to C++ types.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/op.h"
#include "ops/common/half.h"

namespace sampan {

template <class T>
struct DTypeOf;
#define SAMPAN_DTYPE_OF(T, name)                \
  template <>                                   \
  struct DTypeOf<T> {                           \
    static constexpr DType value = DType::name; \
  };
SAMPAN_DTYPE_OF(float, kFloat32)
SAMPAN_DTYPE_OF(Half, kFloat16)
SAMPAN_DTYPE_OF(BFloat16, kBFloat16)
SAMPAN_DTYPE_OF(double, kFloat64)
SAMPAN_DTYPE_OF(int8_t, kInt8)
SAMPAN_DTYPE_OF(uint8_t, kUInt8)
SAMPAN_DTYPE_OF(int16_t, kInt16)
SAMPAN_DTYPE_OF(uint16_t, kUInt16)
SAMPAN_DTYPE_OF(int32_t, kInt32)
SAMPAN_DTYPE_OF(uint32_t, kUInt32)
SAMPAN_DTYPE_OF(int64_t, kInt64)
SAMPAN_DTYPE_OF(uint64_t, kUInt64)
SAMPAN_DTYPE_OF(Bool, kBool)
#undef SAMPAN_DTYPE_OF

template <class T>
constexpr bool kIsHalf = std::is_same<T, Half>::value || std::is_same<T, BFloat16>::value;
template <class T>
constexpr bool kIsFloat = std::is_floating_point<T>::value || kIsHalf<T>;

// The type arithmetic happens in: float for the two half types, bool for Bool, T otherwise.
template <class T>
using Wide = std::conditional_t<kIsHalf<T>, float,
                                std::conditional_t<std::is_same<T, Bool>::value, bool, T>>;
template <class T>
inline T narrow(Wide<T> v) {
  if constexpr (kIsHalf<T> || std::is_same<T, Bool>::value)
    return T::from(v);
  else
    return v;
}

// Float32 and integers are what devices run; the rest belongs to the host profile.
constexpr DTypeSet kBuiltTypes =
    SAMPAN_HOST ? kAnyType : (kF32 | kInts | kBool | dtype_bit(DType::kFloat16));

template <class T>
struct Type {
  using type = T;
};

// Calls f(Type<T>()) with the C++ type of t if `Set` has it, so that only these are compiled.
// False if it has not.
template <DTypeSet Set, class F>
bool with_type(DType t, F&& f) {
  switch (t) {
#define SAMPAN_CASE(T)                                                       \
  case DTypeOf<T>::value:                                                    \
    if constexpr ((Set & kBuiltTypes & dtype_bit(DTypeOf<T>::value)) != 0) { \
      f(Type<T>());                                                          \
      return true;                                                           \
    } else {                                                                 \
      return false;                                                          \
    }
    SAMPAN_CASE(float)
    SAMPAN_CASE(Half)
    SAMPAN_CASE(BFloat16)
    SAMPAN_CASE(double)
    SAMPAN_CASE(int8_t)
    SAMPAN_CASE(uint8_t)
    SAMPAN_CASE(int16_t)
    SAMPAN_CASE(uint16_t)
    SAMPAN_CASE(int32_t)
    SAMPAN_CASE(uint32_t)
    SAMPAN_CASE(int64_t)
    SAMPAN_CASE(uint64_t)
    SAMPAN_CASE(Bool)
#undef SAMPAN_CASE
    default:
      return false;
  }
}

inline Status type_not_built(DType t) {
  return Status::error(
      Code::kUnsupported,
      "this build has no kernel for %s: build with the host profile, or cast to float32",
      dtype_name(t));
}

// Integer arithmetic wraps, as the hardware does and C++'s signed types may not.
template <class T>
struct Wrap {
  using U = std::make_unsigned_t<T>;
  // Small types would be promoted to int, where a product can overflow.
  using W = std::conditional_t<(sizeof(U) < 4), uint32_t, U>;
  static T add(T a, T b) { return static_cast<T>(static_cast<U>(W(U(a)) + W(U(b)))); }
  static T sub(T a, T b) { return static_cast<T>(static_cast<U>(W(U(a)) - W(U(b)))); }
  static T mul(T a, T b) { return static_cast<T>(static_cast<U>(W(U(a)) * W(U(b)))); }
};

}  // namespace sampan
