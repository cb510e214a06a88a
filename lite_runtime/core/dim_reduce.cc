// Floor division, minimum and maximum of symbolic dimensions, reduced as far as can be proved.
#include <algorithm>
#include <numeric>

#include "core/checked.h"
#include "core/dim_table.h"

namespace sampan {

// ---- division by a number
// --------------------------------------------------------------------------

// a = k * out + rest with out as large as possible: whole multiples leave, of the constant the
// floor. Then floor(a / k) = out + floor(rest / k).
//
// A common factor g of k and of the coefficients of rest is cancelled:
// floor((g * y + c) / (g * m)) = floor((y + floor(c / g)) / m).
DimTable::Fit DimTable::divide_by_number(const Sum& a, int64_t k, Sum* out, Sum* rest,
                                         int64_t* rest_divisor) {
  *out = Sum();
  *rest = Sum();
  int64_t common = k;
  for (int i = 0; i < a.count; ++i) {
    const Term& t = a.terms[i];
    const bool whole = t.coefficient % k == 0;
    const Fit fit = whole ? add_term(out, t.monomial, t.coefficient / k)
                          : add_term(rest, t.monomial, t.coefficient);
    if (fit != Fit::kOk) return fit;
    if (!whole) common = std::gcd(common, t.coefficient);
  }
  int64_t q = 0;
  if (!checked_floor_div(a.constant, k, &q)) return Fit::kFail;
  out->constant = q;
  rest->constant = a.constant - q * k;  // 0 <= rest < k
  for (int i = 0; i < rest->count; ++i) rest->terms[i].coefficient /= common;
  if (!checked_floor_div(rest->constant, common, &rest->constant)) return Fit::kFail;
  *rest_divisor = k / common;
  return Fit::kOk;
}

// Whether s is  (n)//(d) + c  with a number d.
bool DimTable::is_division_by(const Sum& s, Dim* numerator, int64_t* divisor,
                              int64_t* constant) const {
  if (s.count != 1 || s.terms[0].coefficient != 1 || s.terms[0].monomial.count != 1) return false;
  const Atom& a = atoms_[static_cast<size_t>(s.terms[0].monomial.atoms[0])];
  if (a.kind != Kind::kFloorDiv || !a.args[1].known() || a.args[1].value <= 0) return false;
  *numerator = a.args[0];
  *divisor = a.args[1].value;
  *constant = s.constant;
  return true;
}

bool DimTable::floor_div_number(const Sum& a, int64_t k, Dim* out) {
  if (k == 0) return false;
  Sum whole, rest;
  int64_t divisor = k;
  if (k < 0) {  // floor(a / k) = floor(-a / -k)
    Sum negative;
    if (k == INT64_MIN || add_scaled(&negative, a, -1) != Fit::kOk) return false;
    return floor_div_number(negative, -k, out);
  }
  const Fit fit = divide_by_number(a, k, &whole, &rest, &divisor);
  if (fit != Fit::kOk) return store_or_fresh(fit, whole, out);
  if (rest.count == 0) return store(whole, out);
  Dim part;
  Dim numerator;
  int64_t inner = 0, constant = 0, product = 0, shift = 0;
  if (divisor == 1) {
    if (!store(rest, &part)) return false;
  } else if (is_division_by(rest, &numerator, &inner, &constant) &&
             checked_mul(inner, divisor, &product) && checked_mul(constant, inner, &shift)) {
    // floor((floor(n / d) + c) / k) = floor((n + c * d) / (d * k))
    Sum n;
    load(numerator, &n);
    if (!checked_add(n.constant, shift, &n.constant)) return false;
    if (!floor_div_number(n, product, &part)) return false;
  } else {
    Atom atom;
    atom.kind = Kind::kFloorDiv;
    atom.num_args = 2;
    if (!store(rest, &atom.args[0])) return false;
    atom.args[1] = Dim(divisor);
    atom.depth = static_cast<int16_t>(depth_of(atom.args[0]) + 1);
    if (!atom_dim(atom, &part)) return false;
  }
  Dim head;
  return store(whole, &head) && add(head, part, out);
}

// ---- division by an expression
// -----------------------------------------------------------------------

// Divides by the largest monomial and number that all terms of both share.
void DimTable::cancel_common_factor(Sum* a, Sum* b) {
  if (b->constant != 0 || a->constant != 0 || a->count == 0 || b->count == 0) {
    // Without a common monomial there may still be a common number.
    int64_t g = std::gcd(a->constant == INT64_MIN ? 1 : a->constant,
                         b->constant == INT64_MIN ? 1 : b->constant);
    for (int i = 0; i < a->count; ++i) g = std::gcd(g, a->terms[i].coefficient);
    for (int i = 0; i < b->count; ++i) g = std::gcd(g, b->terms[i].coefficient);
    if (g > 1) {
      for (Sum* s : {a, b}) {
        s->constant /= g;
        for (int i = 0; i < s->count; ++i) s->terms[i].coefficient /= g;
      }
    }
    return;
  }
  Monomial shared = a->terms[0].monomial;
  int64_t g = 0;
  for (Sum* s : {a, b}) {
    for (int i = 0; i < s->count; ++i) {
      g = std::gcd(g, s->terms[i].coefficient);
      Monomial kept, without;
      // kept = shared without (shared without the term's factors)
      quotient(shared, s->terms[i].monomial, &without);
      quotient(shared, without, &kept);
      shared = kept;
    }
  }
  for (Sum* s : {a, b}) {
    Sum reduced;
    for (int i = 0; i < s->count; ++i) {
      Monomial m;
      quotient(s->terms[i].monomial, shared, &m);
      // No overflow and no growth: terms stay distinct and coefficients shrink.
      (void)add_term(&reduced, m, s->terms[i].coefficient / g);
    }
    *s = reduced;
  }
}

// Long division a = b * out + rest by leading terms; it ends because the order of monomials agrees
// with multiplication.
DimTable::Fit DimTable::divide_polynomials(const Sum& a, const Sum& b, Sum* out, Sum* rest) {
  *out = Sum();
  *rest = Sum();
  Sum left = a;
  const Term& lead = b.terms[leading(b)];
  for (int steps = 0; left.count > 0; ++steps) {
    if (steps > 4 * kMaxTerms) return Fit::kTooLarge;
    const Term t = left.terms[leading(left)];
    Monomial m;
    Fit fit = Fit::kOk;
    if (quotient(t.monomial, lead.monomial, &m) && t.coefficient % lead.coefficient == 0) {
      Sum factor, product;
      fit = add_term(&factor, m, t.coefficient / lead.coefficient);
      if (fit == Fit::kOk) fit = multiply_sum(factor, b, &product);
      if (fit == Fit::kOk) fit = add_scaled(&left, product, -1);
      if (fit == Fit::kOk) fit = add_scaled(out, factor, 1);
    } else {
      fit = add_term(rest, t.monomial, t.coefficient);
      --left.count;  // the leading term is the last
    }
    if (fit != Fit::kOk) return fit;
  }
  if (!checked_add(rest->constant, left.constant, &rest->constant)) return Fit::kFail;
  return Fit::kOk;
}

bool DimTable::floor_div_sums(Sum x, Sum y, Dim* out) {
  if (y.count > 0) cancel_common_factor(&x, &y);
  if (y.count == 0) return floor_div_number(x, y.constant, out);
  if (x.count == 0 && x.constant == 0) {
    *out = Dim(0);
    return true;
  }
  Sum whole, rest;
  const Fit fit = divide_polynomials(x, y, &whole, &rest);
  if (fit == Fit::kOk && rest.count == 0 && rest.constant == 0) return store(whole, out);
  // floor((b * q + r) / b) = q + floor(r / b) holds for any r, but only shorter rests are clearer.
  if (fit == Fit::kOk && rest.count < x.count) {
    Dim head, part;
    return store(whole, &head) && floor_div_sums(rest, y, &part) && add(head, part, out);
  }
  Atom atom;
  atom.kind = Kind::kFloorDiv;
  atom.num_args = 2;
  if (!store(x, &atom.args[0]) || !store(y, &atom.args[1])) return false;
  atom.depth = static_cast<int16_t>(std::max(depth_of(atom.args[0]), depth_of(atom.args[1])) + 1);
  return atom_dim(atom, out);
}

bool DimTable::floor_div(Dim a, Dim b, Dim* out) {
  Sum x, y;
  load(a, &x);
  load(b, &y);
  return floor_div_sums(x, y, out);
}

// ---- minimum and maximum
// -----------------------------------------------------------------------------

bool DimTable::extremum(Dim a, Dim b, bool want_max, Dim* out) {
  if (a.known() && b.known()) {
    *out = want_max ? std::max(a.value, b.value) : std::min(a.value, b.value);
    return true;
  }
  const Kind kind = want_max ? Kind::kMax : Kind::kMin;
  // The operands of nested minima in one list.
  Dim list[2 * kMaxArgs];
  int count = 0;
  for (const Dim& d : {a, b}) {
    Sum s;
    load(d, &s);
    const bool plain = s.count == 1 && s.constant == 0 && s.terms[0].coefficient == 1 &&
                       s.terms[0].monomial.count == 1;
    const Atom* atom = plain ? &atoms_[static_cast<size_t>(s.terms[0].monomial.atoms[0])] : nullptr;
    if (atom && atom->kind == kind) {
      for (int i = 0; i < atom->num_args; ++i) list[count++] = atom->args[i];
    } else {
      list[count++] = d;
    }
  }
  // Leave out what another operand makes superfluous.
  Dim kept[2 * kMaxArgs];
  int n = 0;
  for (int i = 0; i < count; ++i) {
    bool superfluous = false;
    for (int k = 0; k < count && !superfluous; ++k) {
      if (k == i) continue;
      const Bounds d = difference_bounds(list[i], list[k]);
      const bool never_wins = want_max ? d.has_high && d.high <= 0 : d.has_low && d.low >= 0;
      const bool equal = d.has_low && d.has_high && d.low == 0 && d.high == 0;
      superfluous = never_wins && (!equal || k < i);
    }
    if (!superfluous) kept[n++] = list[i];
  }
  if (n == 1) {
    *out = kept[0];
    return true;
  }
  if (n > kMaxArgs) return fresh(out);
  std::sort(kept, kept + n, [](const Dim& x, const Dim& y) {
    return x.expr != y.expr ? x.expr < y.expr : x.value < y.value;
  });
  Atom atom;
  atom.kind = kind;
  atom.num_args = static_cast<int16_t>(n);
  int depth = 0;
  for (int i = 0; i < n; ++i) {
    atom.args[i] = kept[i];
    depth = std::max(depth, depth_of(kept[i]));
  }
  atom.depth = static_cast<int16_t>(depth + 1);
  return atom_dim(atom, out);
}

}  // namespace sampan
