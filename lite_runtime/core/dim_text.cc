// Symbolic dimensions as text, and their values.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/checked.h"
#include "core/dim_table.h"

namespace sampan {

namespace {

// For a handful of elements.
template <class Less>
void sort_indices(int32_t* order, int count, const Less& less) {
  for (int i = 1; i < count; ++i)
    for (int k = i; k > 0 && less(order[k], order[k - 1]); --k) std::swap(order[k], order[k - 1]);
}

}  // namespace

// ---- printing
// --------------------------------------------------------------------------------------

// Terms are printed in the order of their text, so that the result does not depend on the order in
// which symbols were first met.
class DimPrinter {
 public:
  explicit DimPrinter(const DimTable& table) : table_(table) {}

  // Appends to *out, a growing text without a final 0.
  Status print(Dim d, Array<char>* out, int depth) {
    if (d.known()) return number(d.value, out);
    const DimTable::Expr& e = table_.exprs_[static_cast<size_t>(d.expr)];
    Array<Array<char>> texts;
    SAMPAN_TRY(texts.resize(static_cast<size_t>(e.num_terms)));
    for (int i = 0; i < e.num_terms; ++i)
      SAMPAN_TRY(monomial(term(e, i), &texts[static_cast<size_t>(i)], depth));
    int32_t order[DimTable::kMaxTerms];
    for (int i = 0; i < e.num_terms; ++i) order[i] = i;
    sort_indices(order, e.num_terms, [&](int32_t a, int32_t b) {
      const bool pa = term(e, a).coefficient > 0, pb = term(e, b).coefficient > 0;
      if (pa != pb) return pa;  // "h - w" rather than "-w + h"
      return less(texts[static_cast<size_t>(a)], texts[static_cast<size_t>(b)]);
    });
    const size_t start = out->size();
    if (e.constant > 0 && term(e, order[0]).coefficient < 0) SAMPAN_TRY(number(e.constant, out));
    const bool constant_done = out->size() > start;
    for (int i = 0; i < e.num_terms; ++i) {
      const int64_t c = term(e, order[i]).coefficient;
      SAMPAN_TRY(sign(c < 0, out->size() == start, out));
      if (c != 1 && c != -1) {
        SAMPAN_TRY(number(c < 0 ? -c : c, out));
        SAMPAN_TRY(append("*", out));
      }
      SAMPAN_TRY(append(texts[static_cast<size_t>(order[i])], out));
    }
    if (e.constant == 0 || constant_done) return Status();
    SAMPAN_TRY(sign(e.constant < 0, false, out));
    char text[32];
    std::snprintf(text, sizeof(text), "%llu",
                  e.constant < 0 ? 0ull - static_cast<unsigned long long>(e.constant)
                                 : static_cast<unsigned long long>(e.constant));
    return append(text, out);
  }

 private:
  const DimTable::Term& term(const DimTable::Expr& e, int i) const {
    return table_.terms_[e.first_term + static_cast<uint32_t>(i)];
  }
  static bool less(const Array<char>& a, const Array<char>& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
  static Status append(const char* text, Array<char>* out) {
    for (; *text; ++text) SAMPAN_TRY(out->push_back(*text));
    return Status();
  }
  static Status append(const Array<char>& text, Array<char>* out) {
    for (char c : text) SAMPAN_TRY(out->push_back(c));
    return Status();
  }
  static Status number(int64_t v, Array<char>* out) {
    char text[32];
    std::snprintf(text, sizeof(text), "%lld", static_cast<long long>(v));
    return append(text, out);
  }
  static Status sign(bool negative, bool first, Array<char>* out) {
    if (first) return negative ? append("-", out) : Status();
    return append(negative ? " - " : " + ", out);
  }

  Status monomial(const DimTable::Term& t, Array<char>* out, int depth) {
    const DimTable::Monomial& m = t.monomial;
    const bool in_product = m.count > 1 || (t.coefficient != 1 && t.coefficient != -1);
    Array<Array<char>> texts;
    SAMPAN_TRY(texts.resize(static_cast<size_t>(m.count)));
    for (int i = 0; i < m.count; ++i)
      SAMPAN_TRY(atom(table_.atoms_[static_cast<size_t>(m.atoms[i])],
                      &texts[static_cast<size_t>(i)], in_product, depth));
    int32_t order[DimTable::kMaxFactors];
    for (int i = 0; i < m.count; ++i) order[i] = i;
    sort_indices(order, m.count, [&](int32_t a, int32_t b) {
      return less(texts[static_cast<size_t>(a)], texts[static_cast<size_t>(b)]);
    });
    for (int i = 0; i < m.count; ++i) {
      if (i > 0) SAMPAN_TRY(append("*", out));
      SAMPAN_TRY(append(texts[static_cast<size_t>(order[i])], out));
    }
    return Status();
  }

  Status atom(const DimTable::Atom& a, Array<char>* out, bool in_product, int depth) {
    if (depth > 2 * DimTable::kMaxDepth)
      return Status::error(Code::kLimit, "the expression is too deep");
    switch (a.kind) {
      case DimTable::Kind::kSymbol:
        return append(a.name, out);
      case DimTable::Kind::kUnknown:
        SAMPAN_TRY(append("?", out));
        return number(a.number, out);
      case DimTable::Kind::kFloorDiv:
        // "2*((h)//3)": a quotient within a product needs parentheses.
        if (in_product) SAMPAN_TRY(append("(", out));
        SAMPAN_TRY(operand(a.args[0], out, depth));
        SAMPAN_TRY(append("//", out));
        SAMPAN_TRY(operand(a.args[1], out, depth));
        return in_product ? append(")", out) : Status();
      case DimTable::Kind::kMin:
      case DimTable::Kind::kMax:
        return call(a, out, depth);
    }
    return Status();
  }

  // In parentheses unless it is a number or a symbol.
  Status operand(Dim d, Array<char>* out, int depth) {
    Array<char> text;
    SAMPAN_TRY(print(d, &text, depth + 1));
    bool simple = true;
    for (char c : text) simple = simple && (std::strchr(" +-*/(,", c) == nullptr);
    if (!simple) SAMPAN_TRY(append("(", out));
    SAMPAN_TRY(append(text, out));
    return simple ? Status() : append(")", out);
  }

  Status call(const DimTable::Atom& a, Array<char>* out, int depth) {
    Array<Array<char>> texts;
    SAMPAN_TRY(texts.resize(static_cast<size_t>(a.num_args)));
    for (int i = 0; i < a.num_args; ++i)
      SAMPAN_TRY(print(a.args[i], &texts[static_cast<size_t>(i)], depth + 1));
    std::sort(texts.begin(), texts.end(), less);
    SAMPAN_TRY(append(a.kind == DimTable::Kind::kMin ? "min(" : "max(", out));
    for (int i = 0; i < a.num_args; ++i) {
      if (i > 0) SAMPAN_TRY(append(", ", out));
      SAMPAN_TRY(append(texts[static_cast<size_t>(i)], out));
    }
    return append(")", out);
  }

  const DimTable& table_;
};

size_t DimTable::format(Dim d, char* out, size_t capacity) const {
  Array<char> text;
  const bool ok = DimPrinter(*this).print(d, &text, 0).ok();
  const char* from = ok ? text.data() : "?";
  const size_t size = ok ? text.size() : 1;
  if (capacity > 0) {
    const size_t n = std::min(size, capacity - 1);
    if (n > 0) std::memcpy(out, from, n);
    out[n] = 0;
  }
  return size;
}

// ---- parsing
// ---------------------------------------------------------------------------------------

//   sum     = ["-"] product { ("+" | "-") product }
//   product = primary { ("*" | "//") primary }          from the left
//   primary = number | symbol | "?" [number] | ("min" | "max") "(" sum "," sum ... ")" | "(" sum
//   ")"
class DimParser {
 public:
  DimParser(DimTable* table, const char* text) : table_(table), text_(text), at_(text) {}

  Status parse(Dim* out) {
    SAMPAN_TRY(sum(out));
    skip();
    return *at_ == 0 ? Status() : fail("unexpected text");
  }

 private:
  static constexpr int kMaxNesting = 48;

  Status fail(const char* why) const {
    return Status::error(Code::kInvalidArgument, "dimension \"%.120s\", position %d: %s", text_,
                         static_cast<int>(at_ - text_), why);
  }
  Status check(bool ok) const { return ok ? Status() : fail("overflow or division by zero"); }
  void skip() {
    while (*at_ == ' ') ++at_;
  }
  bool take(const char* token) {
    skip();
    const size_t n = std::strlen(token);
    if (std::strncmp(at_, token, n) != 0) return false;
    at_ += n;
    return true;
  }

  Status sum(Dim* out) {
    if (++depth_ > kMaxNesting) return fail("nested too deeply");
    const bool negative = take("-");
    SAMPAN_TRY(product(out));
    if (negative) SAMPAN_TRY(check(table_->sub(Dim(0), *out, out)));
    for (;;) {
      Dim right;
      if (take("+")) {
        SAMPAN_TRY(product(&right));
        SAMPAN_TRY(check(table_->add(*out, right, out)));
      } else if (take("-")) {
        SAMPAN_TRY(product(&right));
        SAMPAN_TRY(check(table_->sub(*out, right, out)));
      } else {
        --depth_;
        return Status();
      }
    }
  }

  Status product(Dim* out) {
    SAMPAN_TRY(primary(out));
    for (;;) {
      Dim right;
      if (take("//")) {
        SAMPAN_TRY(primary(&right));
        SAMPAN_TRY(check(table_->floor_div(*out, right, out)));
      } else if (take("*")) {
        SAMPAN_TRY(primary(&right));
        SAMPAN_TRY(check(table_->mul(*out, right, out)));
      } else {
        return Status();
      }
    }
  }

  Status primary(Dim* out) {
    skip();
    if (*at_ >= '0' && *at_ <= '9') return number(out);
    if (take("(")) {
      SAMPAN_TRY(sum(out));
      return take(")") ? Status() : fail("\")\" is missing");
    }
    // "?" is a new unknown, "?3" always the same one.
    if (take("?")) {
      if (*at_ < '0' || *at_ > '9') return check(table_->fresh(out));
      Dim index;
      SAMPAN_TRY(number(&index));
      return check(table_->unknown(index.value, out));
    }
    return name(out);
  }

  Status number(Dim* out) {
    int64_t v = 0;
    for (; *at_ >= '0' && *at_ <= '9'; ++at_)
      if (!checked_mul(v, 10, &v) || !checked_add(v, *at_ - '0', &v))
        return fail("the number is too large");
    *out = Dim(v);
    return Status();
  }

  Status name(Dim* out) {
    char text[66];
    size_t n = 0;
    const auto part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    while (part(*at_) && n < 65) text[n++] = *at_++;
    text[n] = 0;
    if (!valid_symbol(text)) return fail("a number, a symbol or \"(\" was expected");
    const bool is_min = std::strcmp(text, "min") == 0, is_max = std::strcmp(text, "max") == 0;
    if (!(is_min || is_max) || !take("(")) return check(table_->symbol(text, out));
    SAMPAN_TRY(sum(out));
    while (take(",")) {
      Dim right;
      SAMPAN_TRY(sum(&right));
      SAMPAN_TRY(check(is_min ? table_->min(*out, right, out) : table_->max(*out, right, out)));
    }
    return take(")") ? Status() : fail("\")\" is missing");
  }

  DimTable* table_;
  const char* text_;
  const char* at_;
  int depth_ = 0;
};

Status DimTable::parse(const char* text, Dim* out) { return DimParser(this, text).parse(out); }

// ---- values
// ----------------------------------------------------------------------------------------

Result<int64_t> DimTable::evaluate(Dim d, const SymbolValue* values, size_t count) const {
  if (d.known()) return d.value;
  const Expr& e = exprs_[static_cast<size_t>(d.expr)];
  int64_t sum = e.constant;
  for (int i = 0; i < e.num_terms; ++i) {
    const Term& t = terms_[e.first_term + static_cast<uint32_t>(i)];
    int64_t product = t.coefficient;
    for (int k = 0; k < t.monomial.count; ++k) {
      int64_t v = 0;
      SAMPAN_ASSIGN(v,
                    evaluate_atom(atoms_[static_cast<size_t>(t.monomial.atoms[k])], values, count));
      SAMPAN_CHECK(checked_mul(product, v, &product), Code::kLimit, "a dimension overflows");
    }
    SAMPAN_CHECK(checked_add(sum, product, &sum), Code::kLimit, "a dimension overflows");
  }
  return sum;
}

Result<int64_t> DimTable::evaluate_atom(const Atom& a, const SymbolValue* values,
                                        size_t count) const {
  if (a.kind == Kind::kSymbol) {
    for (size_t i = 0; i < count; ++i)
      if (std::strcmp(values[i].name, a.name) == 0) return values[i].value;
    return Status::error(Code::kInvalidArgument, "no value was given for \"%s\"", a.name);
  }
  SAMPAN_CHECK(a.kind != Kind::kUnknown, Code::kInvalidArgument,
               "the dimension depends on data; it has no value before a run");
  int64_t v = 0;
  SAMPAN_ASSIGN(v, evaluate(a.args[0], values, count));
  for (int i = 1; i < a.num_args; ++i) {
    int64_t w = 0;
    SAMPAN_ASSIGN(w, evaluate(a.args[i], values, count));
    if (a.kind == Kind::kFloorDiv) {
      SAMPAN_CHECK(checked_floor_div(v, w, &v), Code::kInvalidArgument,
                   "a dimension divides by zero");
    } else {
      v = a.kind == Kind::kMin ? std::min(v, w) : std::max(v, w);
    }
  }
  return v;
}

}  // namespace sampan
