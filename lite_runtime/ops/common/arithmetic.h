// The function objects of the binary operators; see binary.h.
#pragma once
#include <cmath>

#include "kernels/math/f64.h"
#include "ops/common/dtypes.h"

namespace sampan {

struct AddOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral<T>::value)
      return Wrap<T>::add(a, b);
    else
      return a + b;
  }
};
struct SubOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral<T>::value)
      return Wrap<T>::sub(a, b);
    else
      return a - b;
  }
};
struct MulOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral<T>::value)
      return Wrap<T>::mul(a, b);
    else
      return a * b;
  }
};
// Integers truncate. Callers have refused b = 0 (check_divisors).
struct DivOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral<T>::value) {
      if constexpr (std::is_signed<T>::value)
        if (b == -1) return Wrap<T>::sub(0, a);  // the lowest number stays itself
      return static_cast<T>(a / b);
    } else {
      return a / b;
    }
  }
};
// The result has the sign of b (Python's %); integers only.
struct ModOp {
  static constexpr DTypeSet kTypes = kInts;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_signed<T>::value) {
      if (b == -1) return 0;
      const T r = static_cast<T>(a % b);
      return r != 0 && ((r < 0) != (b < 0)) ? static_cast<T>(r + b) : r;
    } else {
      return static_cast<T>(a % b);
    }
  }
};
// The result has the sign of a (C's fmod).
struct FmodOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same<T, double>::value) {
      return math::fmod_f64(a, b);
    } else if constexpr (std::is_same<T, float>::value) {
      return math::fmod_f32(a, b);
    } else {
      if constexpr (std::is_signed<T>::value)
        if (b == -1) return 0;
      return static_cast<T>(a % b);
    }
  }
};
// A NaN on either side is the result.
struct MinOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (!std::is_integral<T>::value) {
      if (a != a) return a;
      if (b != b) return b;
    }
    return a < b ? a : b;
  }
};
struct MaxOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (!std::is_integral<T>::value) {
      if (a != a) return a;
      if (b != b) return b;
    }
    return a > b ? a : b;
  }
};

struct EqualOp {
  static constexpr DTypeSet kTypes = kAnyType;
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct LessOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct LessOrEqualOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct GreaterOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct GreaterOrEqualOp {
  static constexpr DTypeSet kTypes = kNumbers;
  template <class T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};

struct AndOp {
  static constexpr DTypeSet kTypes = kBool;
  template <class T>
  static T apply(T a, T b) {
    return a && b;
  }
};
struct OrOp {
  static constexpr DTypeSet kTypes = kBool;
  template <class T>
  static T apply(T a, T b) {
    return a || b;
  }
};
struct XorOp {
  static constexpr DTypeSet kTypes = kBool;
  template <class T>
  static T apply(T a, T b) {
    return a != b;
  }
};

struct BitwiseAndOp {
  static constexpr DTypeSet kTypes = kInts;
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOrOp {
  static constexpr DTypeSet kTypes = kInts;
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXorOp {
  static constexpr DTypeSet kTypes = kInts;
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
// Shifts by the width or more leave 0.
struct ShiftLeftOp {
  static constexpr DTypeSet kTypes = kUnsigned;
  template <class T>
  static T apply(T a, T b) {
    return b >= sizeof(T) * 8 ? T(0) : static_cast<T>(static_cast<uint64_t>(a) << b);
  }
};
struct ShiftRightOp {
  static constexpr DTypeSet kTypes = kUnsigned;
  template <class T>
  static T apply(T a, T b) {
    return b >= sizeof(T) * 8 ? T(0) : static_cast<T>(a >> b);
  }
};

// Integer division by zero has no result: the first one found is an error.
inline Status check_divisors(const Tensor& b) {
  int64_t at = -1;
  with_type<kInts>(b.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = b.shape.elements();
    for (int64_t i = 0; i < n && at < 0; ++i)
      if (b.as<T>()[i] == 0) at = i;
  });
  SAMPAN_CHECK(at < 0, Code::kDataError,
               "integer division by zero: element %lld of the divisor is 0",
               static_cast<long long>(at));
  return Status();
}

}  // namespace sampan
