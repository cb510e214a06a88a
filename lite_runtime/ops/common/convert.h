// Conversion between all element types, one at a time, as Cast does it
// (kernels/elementwise/cast.h).
#pragma once
#include <cmath>
#include <limits>

#include "ops/common/dtypes.h"

namespace sampan {

// Floats become integers by truncation; what does not fit becomes the nearest limit, NaN becomes 0.
// Integers become smaller integers modulo 2^bits. Everything but 0 is true.
template <class To, class From>
inline To convert(From from) {
  using W = Wide<From>;
  const W x = static_cast<W>(from);
  if constexpr (std::is_same<To, Bool>::value) {
    return Bool::from(x != W(0));
  } else if constexpr (std::is_same<W, bool>::value) {
    return narrow<To>(static_cast<Wide<To>>(x ? 1 : 0));
  } else if constexpr (kIsHalf<To>) {
    if constexpr (std::is_same<W, float>::value)
      return To::from(x);
    else
      return To::from(f32_round_to_odd(static_cast<double>(x)));
  } else if constexpr (std::is_floating_point<To>::value || std::is_integral<W>::value) {
    return static_cast<To>(x);
  } else {
    using Limits = std::numeric_limits<To>;
    if (x != x) return 0;
    // Both bounds are powers of two (or zero) and so exact in W.
    const W low = static_cast<W>(Limits::min());
    const W high = std::ldexp(W(1), Limits::digits);
    if (x <= low) return Limits::min();
    if (x >= high) return Limits::max();
    return static_cast<To>(x);
  }
}

}  // namespace sampan
