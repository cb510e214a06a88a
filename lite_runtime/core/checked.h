// All arithmetic on sizes goes through here: a result that does not fit is an error, never a wrap.
#pragma once
#include <cstddef>
#include <cstdint>

#include "sampan/status.h"
#include "sampan/tensor.h"

namespace sampan {

[[nodiscard]] inline bool checked_add(int64_t a, int64_t b, int64_t* out) {
  return !__builtin_add_overflow(a, b, out);
}
[[nodiscard]] inline bool checked_sub(int64_t a, int64_t b, int64_t* out) {
  return !__builtin_sub_overflow(a, b, out);
}
[[nodiscard]] inline bool checked_mul(int64_t a, int64_t b, int64_t* out) {
  return !__builtin_mul_overflow(a, b, out);
}
// Rounds towards minus infinity. b must not be 0; INT64_MIN / -1 is refused.
[[nodiscard]] inline bool checked_floor_div(int64_t a, int64_t b, int64_t* out) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return false;
  int64_t q = a / b;
  if (a % b != 0 && ((a < 0) != (b < 0))) --q;
  *out = q;
  return true;
}
[[nodiscard]] inline bool checked_align(int64_t a, int64_t alignment, int64_t* out) {
  int64_t sum = 0;
  if (!checked_add(a, alignment - 1, &sum)) return false;
  *out = sum / alignment * alignment;
  return true;
}

// The largest tensor the runtime handles, in bytes: leaves room to add alignment and offsets.
constexpr int64_t kMaxTensorBytes = int64_t{1} << 46;

// Checks rank, signs and the products (elements and bytes).
Status check_shape(const Shape& shape, DType dtype, const char* what);

}  // namespace sampan
