// Dimensions in shape rules: a number, or on the host an integer expression over named symbols.
//
// One set of shape rules serves both the runtime (all dimensions are numbers) and the converter
// (`["batch", 3, "h", "w"]`). Rules never compute with raw int64: they call DimMath, which checks
// for overflow and builds canonical expressions when an operand is symbolic.
#pragma once
#include <cstdint>

#include "core/memory.h"
#include "sampan/status.h"
#include "sampan/tensor.h"

namespace sampan {

struct Dim {
  int64_t value = 0;  // meaningful when expr == 0
  int32_t expr = 0;   // 0: a number; else an expression of the DimTable in use

  Dim() = default;
  Dim(int64_t v) : value(v) {}  // NOLINT: numbers are dimensions
  bool known() const { return expr == 0; }
};

struct DimShape {
  int32_t rank = 0;
  Dim dims[kMaxRank];

  DimShape() = default;
  explicit DimShape(const Shape& s) : rank(s.rank) {
    for (int i = 0; i < s.rank; ++i) dims[i] = s.dims[i];
  }
  Dim& operator[](int i) { return dims[i]; }
  const Dim& operator[](int i) const { return dims[i]; }
  bool known() const {
    for (int i = 0; i < rank; ++i)
      if (!dims[i].known()) return false;
    return true;
  }
  // Only when known().
  Shape concrete() const {
    Shape s;
    s.rank = rank;
    for (int i = 0; i < rank; ++i) s.dims[i] = dims[i].value;
    return s;
  }
};

// Interned expressions; lives on the host only (the runtime passes none). Two equal expressions
// have the same number: sums are kept as sorted linear combinations, so h + 1 - 1 is h again.
class DimTable;

enum class Tri : uint8_t { kNo, kYes, kUnknown };

// Arithmetic for shape rules. An overflow or a division by zero is remembered and turns into an
// error when the rule returns; the results in between are 0.
class DimMath {
 public:
  explicit DimMath(DimTable* table = nullptr) : table_(table) {}

  Dim add(Dim a, Dim b);
  Dim sub(Dim a, Dim b);
  Dim mul(Dim a, Dim b);
  Dim floor_div(Dim a, Dim b);  // rounds towards minus infinity
  Dim ceil_div(Dim a, Dim b);
  Dim min(Dim a, Dim b);
  Dim max(Dim a, Dim b);
  Dim product(const DimShape& s, int begin, int end);
  // A dimension about which nothing is known (host only; an error in the runtime).
  Dim fresh();

  Tri equal(Dim a, Dim b) const;
  Tri less(Dim a, Dim b) const;  // symbols are taken to be >= 1
  bool is(Dim a, int64_t v) const { return a.known() && a.value == v; }
  // Exact division, as in Reshape with -1: a / b where b is known to divide a. On the host common
  // factors cancel; in the runtime a remainder is an error.
  Dim divide_exact(Dim a, Dim b);

  bool failed() const { return failed_; }
  DimTable* table() const { return table_; }

 private:
  DimTable* table_;
  bool failed_ = false;
};

}  // namespace sampan
