#include "core/dims.h"

#include "core/checked.h"
#include "core/dim_table.h"
#include "core/op.h"

// In the device profile every dimension is a number, and nothing of DimTable gets linked.
#if SAMPAN_HOST
  #define SAMPAN_SYMBOLIC(a, b, call)                 \
    do {                                              \
      if (!(a).known() || !(b).known()) {             \
        Dim out;                                      \
        if (!table_ || !table_->call) failed_ = true; \
        return failed_ ? Dim(0) : out;                \
      }                                               \
    } while (0)
#else
  #define SAMPAN_SYMBOLIC(a, b, call) \
    do {                              \
      (void)table_;                   \
    } while (0)
#endif

namespace sampan {

Dim DimMath::add(Dim a, Dim b) {
  SAMPAN_SYMBOLIC(a, b, add(a, b, &out));
  int64_t v = 0;
  if (!checked_add(a.value, b.value, &v)) failed_ = true;
  return failed_ ? Dim(0) : Dim(v);
}

Dim DimMath::sub(Dim a, Dim b) {
  SAMPAN_SYMBOLIC(a, b, sub(a, b, &out));
  int64_t v = 0;
  if (!checked_sub(a.value, b.value, &v)) failed_ = true;
  return failed_ ? Dim(0) : Dim(v);
}

Dim DimMath::mul(Dim a, Dim b) {
  SAMPAN_SYMBOLIC(a, b, mul(a, b, &out));
  int64_t v = 0;
  if (!checked_mul(a.value, b.value, &v)) failed_ = true;
  return failed_ ? Dim(0) : Dim(v);
}

Dim DimMath::floor_div(Dim a, Dim b) {
  SAMPAN_SYMBOLIC(a, b, floor_div(a, b, &out));
  int64_t v = 0;
  if (!checked_floor_div(a.value, b.value, &v)) failed_ = true;
  return failed_ ? Dim(0) : Dim(v);
}

Dim DimMath::ceil_div(Dim a, Dim b) {
  // Divisors of shape rules are positive; for the others ceil(a / b) = -floor(-a / b).
  if (b.known() && b.value < 0) return sub(0, floor_div(sub(0, a), b));
  return floor_div(add(a, sub(b, 1)), b);
}

Dim DimMath::min(Dim a, Dim b) {
  SAMPAN_SYMBOLIC(a, b, min(a, b, &out));
  return a.value < b.value ? a : b;
}

Dim DimMath::max(Dim a, Dim b) {
  SAMPAN_SYMBOLIC(a, b, max(a, b, &out));
  return a.value > b.value ? a : b;
}

Dim DimMath::product(const DimShape& s, int begin, int end) {
  Dim p(1);
  for (int i = begin; i < end && i < s.rank; ++i) p = mul(p, s[i]);
  return p;
}

Dim DimMath::fresh() {
#if SAMPAN_HOST
  Dim out;
  if (table_ && table_->fresh(&out)) return out;
#endif
  failed_ = true;
  return 0;
}

Tri DimMath::equal(Dim a, Dim b) const {
#if SAMPAN_HOST
  if (!a.known() || !b.known()) return table_ ? table_->equal(a, b) : Tri::kUnknown;
#endif
  return a.value == b.value ? Tri::kYes : Tri::kNo;
}

Tri DimMath::less(Dim a, Dim b) const {
#if SAMPAN_HOST
  if (!a.known() || !b.known()) return table_ ? table_->less(a, b) : Tri::kUnknown;
#endif
  return a.value < b.value ? Tri::kYes : Tri::kNo;
}

Dim DimMath::divide_exact(Dim a, Dim b) {
  SAMPAN_SYMBOLIC(a, b, divide_exact(a, b, &out));
  if (b.value == 0 || (b.value == -1 && a.value == INT64_MIN) || a.value % b.value != 0) {
    failed_ = true;
    return 0;
  }
  return a.value / b.value;
}

}  // namespace sampan
