// Symbolic dimensions: interned integer expressions over named symbols. Host only.
//
// An expression is a sum  c0 + c1 * m1 + c2 * m2 + ...  with whole coefficients, where every m is a
// product of atoms, and an atom is a symbol, (a)//(b), min(...), max(...), or an unknown. Sums are
// sorted and merged, products sorted, divisions reduced, so that equal expressions built in
// different ways mostly get the same number (never different values the same one).
//
// Text form, printed and parsed: "h", "2*h + 1", "(h + 1)//2", "min(h, 64)", "a*b - 3", "?2".
// "?2" is an unknown of which this table knows nothing but that it equals itself.
// Symbols are [A-Za-z_][A-Za-z0-9_]*, at most 64 characters.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/dims.h"

namespace sampan {

struct SymbolValue {
  const char* name;
  int64_t value;
};

// Whether `name` can name a symbol.
bool valid_symbol(const char* name);

class DimTable {
 public:
  static Result<Box<DimTable>> create();

  // All of these return false on overflow, division by zero or lack of memory. Where an expression
  // would grow beyond the limits the result is a fresh unknown: right, but less is known.
  [[nodiscard]] bool symbol(const char* name, Dim* out);
  [[nodiscard]] bool fresh(Dim* out);
  [[nodiscard]] bool unknown(int64_t number, Dim* out);  // the one printed as "?<number>"
  [[nodiscard]] bool add(Dim a, Dim b, Dim* out);
  [[nodiscard]] bool sub(Dim a, Dim b, Dim* out);
  [[nodiscard]] bool mul(Dim a, Dim b, Dim* out);
  [[nodiscard]] bool floor_div(Dim a, Dim b, Dim* out);
  [[nodiscard]] bool min(Dim a, Dim b, Dim* out) { return extremum(a, b, /*want_max=*/false, out); }
  [[nodiscard]] bool max(Dim a, Dim b, Dim* out) { return extremum(a, b, /*want_max=*/true, out); }
  // The exact quotient if it can be seen that b divides a; else the floor division.
  [[nodiscard]] bool divide_exact(Dim a, Dim b, Dim* out) { return floor_div(a, b, out); }

  // What is certain when every symbol is at least 1.
  Tri equal(Dim a, Dim b);
  Tri less(Dim a, Dim b);

  Status parse(const char* text, Dim* out);
  // Like snprintf: writes at most capacity bytes with the final 0, returns the full length.
  size_t format(Dim d, char* out, size_t capacity) const;
  // The value for given symbols. Unknowns and symbols not given are errors.
  Result<int64_t> evaluate(Dim d, const SymbolValue* values, size_t count) const;

 private:
  template <class T, class... Args>
  friend Result<Box<T>> make_box(Args&&... args);
  friend class DimParser;
  friend class DimPrinter;
  DimTable() = default;

  // The factors of a product, sorted; an empty list stands for 1.
  static constexpr int kMaxFactors = 8;
  static constexpr int kMaxTerms = 32;
  static constexpr int kMaxArgs = 8;    // of min and max
  static constexpr int kMaxDepth = 24;  // of divisions, minima and maxima in each other
  static constexpr size_t kMaxExpressions = 1u << 20;

  enum class Kind : uint8_t { kSymbol, kUnknown, kFloorDiv, kMin, kMax };

  struct Atom {
    Kind kind = Kind::kSymbol;
    int16_t depth = 0;
    int16_t num_args = 0;
    int32_t number = 0;  // kUnknown
    char name[65] = {};  // kSymbol
    Dim args[kMaxArgs];  // the others
  };
  struct Monomial {
    int32_t count = 0;
    int32_t atoms[kMaxFactors] = {};
    int compare(const Monomial& o) const;
  };
  struct Term {
    Monomial monomial;
    int64_t coefficient = 0;
  };
  // A sum while it is worked on.
  struct Sum {
    int64_t constant = 0;
    int count = 0;
    Term terms[kMaxTerms];
  };
  struct Expr {
    int64_t constant = 0;
    uint64_t hash = 0;
    uint32_t first_term = 0;
    int16_t num_terms = 0;
    int16_t depth = 0;
  };
  struct Bounds {
    bool has_low = false, has_high = false;
    int64_t low = 0, high = 0;
  };
  enum class Fit : uint8_t { kOk, kTooLarge, kFail };

  void load(Dim d, Sum* out) const;
  bool store(const Sum& s, Dim* out);
  bool store_or_fresh(Fit fit, const Sum& s, Dim* out);
  bool rehash();
  bool intern_atom(const Atom& a, int32_t* out);
  bool atom_dim(const Atom& a, Dim* out);
  int depth_of(Dim d) const { return d.known() ? 0 : exprs_[d.expr].depth; }

  static Fit add_term(Sum* s, const Monomial& m, int64_t coefficient);
  static Fit add_scaled(Sum* s, const Sum& o, int64_t factor);
  static Fit multiply(const Monomial& a, const Monomial& b, Monomial* out);
  static bool quotient(const Monomial& a, const Monomial& b, Monomial* out);
  static Fit multiply_sum(const Sum& a, const Sum& b, Sum* out);
  static int leading(const Sum& s);
  bool is_division_by(const Sum& s, Dim* numerator, int64_t* divisor, int64_t* constant) const;
  Fit divide_by_number(const Sum& a, int64_t k, Sum* out, Sum* rest, int64_t* rest_divisor);
  Fit divide_polynomials(const Sum& a, const Sum& b, Sum* out, Sum* rest);
  static void cancel_common_factor(Sum* a, Sum* b);
  bool extremum(Dim a, Dim b, bool want_max, Dim* out);
  bool floor_div_number(const Sum& a, int64_t k, Dim* out);
  bool floor_div_sums(Sum x, Sum y, Dim* out);

  Result<int64_t> evaluate_atom(const Atom& a, const SymbolValue* values, size_t count) const;
  Bounds bounds(Dim d, int budget) const;
  Bounds atom_bounds(const Atom& a, int budget) const;
  Bounds difference_bounds(Dim a, Dim b);

  Array<Atom> atoms_;
  Array<Expr> exprs_;  // 0 is not used
  Array<Term> terms_;
  Array<int32_t> buckets_;       // of exprs_, open addressing; 0: empty
  Array<int32_t> atom_buckets_;  // of atoms_, plus 1
  int32_t unknowns_ = 0;
};

}  // namespace sampan
