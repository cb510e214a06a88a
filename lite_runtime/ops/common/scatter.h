// What ScatterElements and ScatterND share: how an update meets what is there.
#pragma once
#include "ops/common/dtypes.h"
#include "ops/common/indexing.h"

namespace sampan {

enum class ScatterReduction : int64_t { kNone, kAdd, kMul, kMin, kMax };
constexpr const char* kScatterChoices = "none|add|mul|min|max";

template <class T>
inline void scatter_one(T* at, T update, ScatterReduction reduction) {
  using W = Wide<T>;
  const W a = static_cast<W>(*at), b = static_cast<W>(update);
  constexpr bool kWraps = std::is_integral<W>::value && !std::is_same<W, bool>::value;
  switch (reduction) {
    case ScatterReduction::kNone:
      *at = update;
      break;
    case ScatterReduction::kAdd:
      if constexpr (kWraps)
        *at = Wrap<W>::add(a, b);
      else if constexpr (std::is_same<W, bool>::value)
        *at = narrow<T>(a || b);
      else
        *at = narrow<T>(a + b);
      break;
    case ScatterReduction::kMul:
      if constexpr (kWraps)
        *at = Wrap<W>::mul(a, b);
      else if constexpr (std::is_same<W, bool>::value)
        *at = narrow<T>(a && b);
      else
        *at = narrow<T>(a * b);
      break;
    case ScatterReduction::kMin:
      *at = narrow<T>(b < a || b != b ? b : a);
      break;
    case ScatterReduction::kMax:
      *at = narrow<T>(a < b || b != b ? b : a);
      break;
  }
}

}  // namespace sampan
