// Canonical sums: interning, addition, multiplication, and what is known of their range.
// Division, minimum and maximum are in dim_reduce.cc, text in dim_text.cc.
#include "core/dim_table.h"

#include <algorithm>
#include <cstring>

#include "core/checked.h"

namespace sampan {

bool valid_symbol(const char* name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (!letter(name[0])) return false;
  size_t n = 0;
  for (; name[n] != 0; ++n)
    if (n >= 64 || (!letter(name[n]) && (name[n] < '0' || name[n] > '9'))) return false;
  return true;
}

namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
  hash *= 0xFF51AFD7ED558CCDu;
  return hash ^ (hash >> 32);
}

}  // namespace

Result<Box<DimTable>> DimTable::create() {
  Box<DimTable> table;
  SAMPAN_ASSIGN(table, make_box<DimTable>());
  SAMPAN_TRY(table->exprs_.resize(1));
  return table;
}

// ---- monomials and sums
// --------------------------------------------------------------------------

// Graded: by the number of factors, then lexicographic. Products keep this order, which makes long
// division end.
int DimTable::Monomial::compare(const Monomial& o) const {
  if (count != o.count) return count < o.count ? -1 : 1;
  for (int i = 0; i < count; ++i)
    if (atoms[i] != o.atoms[i]) return atoms[i] < o.atoms[i] ? 1 : -1;
  return 0;
}

DimTable::Fit DimTable::multiply(const Monomial& a, const Monomial& b, Monomial* out) {
  if (a.count + b.count > kMaxFactors) return Fit::kTooLarge;
  Monomial m;
  std::merge(a.atoms, a.atoms + a.count, b.atoms, b.atoms + b.count, m.atoms);
  m.count = a.count + b.count;
  *out = m;
  return Fit::kOk;
}

// *out becomes a without the factors it shares with b; true if b divides a.
bool DimTable::quotient(const Monomial& a, const Monomial& b, Monomial* out) {
  Monomial m;
  int j = 0;
  bool divides = true;
  for (int i = 0; i < a.count; ++i) {
    for (; j < b.count && b.atoms[j] < a.atoms[i]; ++j) divides = false;
    if (j < b.count && a.atoms[i] == b.atoms[j])
      ++j;
    else
      m.atoms[m.count++] = a.atoms[i];
  }
  *out = m;
  return divides && j == b.count;
}

// Terms are kept sorted, merged and without zeros; the empty monomial is the constant.
DimTable::Fit DimTable::add_term(Sum* s, const Monomial& m, int64_t coefficient) {
  if (m.count == 0)
    return checked_add(s->constant, coefficient, &s->constant) ? Fit::kOk : Fit::kFail;
  int i = 0;
  while (i < s->count && s->terms[i].monomial.compare(m) < 0) ++i;
  if (i < s->count && s->terms[i].monomial.compare(m) == 0) {
    // The smallest integer has no positive counterpart; refusing it spares many checks.
    if (!checked_add(s->terms[i].coefficient, coefficient, &s->terms[i].coefficient) ||
        s->terms[i].coefficient == INT64_MIN)
      return Fit::kFail;
    if (s->terms[i].coefficient == 0) {
      for (int k = i + 1; k < s->count; ++k) s->terms[k - 1] = s->terms[k];
      --s->count;
    }
    return Fit::kOk;
  }
  if (coefficient == 0) return Fit::kOk;
  if (coefficient == INT64_MIN) return Fit::kFail;
  if (s->count == kMaxTerms) return Fit::kTooLarge;
  for (int k = s->count; k > i; --k) s->terms[k] = s->terms[k - 1];
  s->terms[i].monomial = m;
  s->terms[i].coefficient = coefficient;
  ++s->count;
  return Fit::kOk;
}

DimTable::Fit DimTable::add_scaled(Sum* s, const Sum& o, int64_t factor) {
  int64_t v = 0;
  if (!checked_mul(o.constant, factor, &v) || !checked_add(s->constant, v, &s->constant))
    return Fit::kFail;
  for (int i = 0; i < o.count; ++i) {
    if (!checked_mul(o.terms[i].coefficient, factor, &v)) return Fit::kFail;
    const Fit fit = add_term(s, o.terms[i].monomial, v);
    if (fit != Fit::kOk) return fit;
  }
  return Fit::kOk;
}

DimTable::Fit DimTable::multiply_sum(const Sum& a, const Sum& b, Sum* out) {
  *out = Sum();
  Fit fit = add_scaled(out, b, a.constant);
  for (int i = 0; i < a.count && fit == Fit::kOk; ++i) {
    int64_t v = 0;
    if (!checked_mul(a.terms[i].coefficient, b.constant, &v)) return Fit::kFail;
    fit = add_term(out, a.terms[i].monomial, v);
    for (int k = 0; k < b.count && fit == Fit::kOk; ++k) {
      Monomial m;
      fit = multiply(a.terms[i].monomial, b.terms[k].monomial, &m);
      if (fit != Fit::kOk) return fit;
      if (!checked_mul(a.terms[i].coefficient, b.terms[k].coefficient, &v)) return Fit::kFail;
      fit = add_term(out, m, v);
    }
  }
  return fit;
}

// The term with the largest monomial; there must be one.
int DimTable::leading(const Sum& s) { return s.count - 1; }

// ---- interning
// -----------------------------------------------------------------------------------

void DimTable::load(Dim d, Sum* out) const {
  *out = Sum();
  if (d.known()) {
    out->constant = d.value;
    return;
  }
  const Expr& e = exprs_[static_cast<size_t>(d.expr)];
  out->constant = e.constant;
  out->count = e.num_terms;
  for (int i = 0; i < e.num_terms; ++i)
    out->terms[i] = terms_[e.first_term + static_cast<uint32_t>(i)];
}

bool DimTable::store(const Sum& s, Dim* out) {
  if (s.count == 0) {
    *out = Dim(s.constant);
    return true;
  }
  uint64_t hash = mix(1, static_cast<uint64_t>(s.constant));
  int depth = 0;
  for (int i = 0; i < s.count; ++i) {
    hash = mix(hash, static_cast<uint64_t>(s.terms[i].coefficient));
    for (int k = 0; k < s.terms[i].monomial.count; ++k) {
      const int32_t atom = s.terms[i].monomial.atoms[k];
      hash = mix(hash, static_cast<uint64_t>(atom));
      depth = std::max<int>(depth, atoms_[static_cast<size_t>(atom)].depth);
    }
    hash = mix(hash, 0x5A);
  }
  if (exprs_.size() * 2 >= buckets_.size() && !rehash()) return false;
  size_t b = static_cast<size_t>(hash) & (buckets_.size() - 1);
  for (; buckets_[b] != 0; b = (b + 1) & (buckets_.size() - 1)) {
    const Expr& e = exprs_[static_cast<size_t>(buckets_[b])];
    if (e.hash != hash || e.constant != s.constant || e.num_terms != s.count) continue;
    bool same = true;
    for (int i = 0; i < s.count && same; ++i) {
      const Term& t = terms_[e.first_term + static_cast<uint32_t>(i)];
      same =
          t.coefficient == s.terms[i].coefficient && t.monomial.compare(s.terms[i].monomial) == 0;
    }
    if (!same) continue;
    out->value = 0;
    out->expr = buckets_[b];
    return true;
  }
  if (exprs_.size() >= kMaxExpressions) return false;
  Expr e;
  e.constant = s.constant;
  e.hash = hash;
  e.first_term = static_cast<uint32_t>(terms_.size());
  e.num_terms = static_cast<int16_t>(s.count);
  e.depth = static_cast<int16_t>(depth);
  for (int i = 0; i < s.count; ++i)
    if (!terms_.push_back(s.terms[i]).ok()) return false;
  if (!exprs_.push_back(e).ok()) return false;
  out->value = 0;
  out->expr = buckets_[b] = static_cast<int32_t>(exprs_.size() - 1);
  return true;
}

bool DimTable::rehash() {
  const size_t size = buckets_.empty() ? 256 : buckets_.size() * 2;
  Array<int32_t> fresh;
  if (!fresh.resize(size).ok()) return false;
  for (size_t i = 1; i < exprs_.size(); ++i) {
    size_t b = static_cast<size_t>(exprs_[i].hash) & (size - 1);
    while (fresh[b] != 0) b = (b + 1) & (size - 1);
    fresh[b] = static_cast<int32_t>(i);
  }
  buckets_ = std::move(fresh);
  return true;
}

bool DimTable::store_or_fresh(Fit fit, const Sum& s, Dim* out) {
  if (fit == Fit::kFail) return false;
  return fit == Fit::kOk ? store(s, out) : fresh(out);
}

bool DimTable::intern_atom(const Atom& a, int32_t* out) {
  const auto hash_of = [](const Atom& x) {
    uint64_t h = mix(static_cast<uint64_t>(x.kind), static_cast<uint64_t>(x.number));
    for (const char* c = x.name; *c; ++c) h = mix(h, static_cast<uint64_t>(*c));
    for (int i = 0; i < x.num_args; ++i)
      h = mix(mix(h, static_cast<uint64_t>(x.args[i].expr)),
              static_cast<uint64_t>(x.args[i].value));
    return h;
  };
  if (atoms_.size() * 2 >= atom_buckets_.size()) {
    const size_t size = atom_buckets_.empty() ? 128 : atom_buckets_.size() * 2;
    Array<int32_t> fresh;
    if (!fresh.resize(size).ok()) return false;
    for (size_t i = 0; i < atoms_.size(); ++i) {
      size_t b = static_cast<size_t>(hash_of(atoms_[i])) & (size - 1);
      while (fresh[b] != 0) b = (b + 1) & (size - 1);
      fresh[b] = static_cast<int32_t>(i + 1);
    }
    atom_buckets_ = std::move(fresh);
  }
  size_t b = static_cast<size_t>(hash_of(a)) & (atom_buckets_.size() - 1);
  for (; atom_buckets_[b] != 0; b = (b + 1) & (atom_buckets_.size() - 1)) {
    const Atom& o = atoms_[static_cast<size_t>(atom_buckets_[b] - 1)];
    bool same = o.kind == a.kind && o.number == a.number && o.num_args == a.num_args &&
                std::strcmp(o.name, a.name) == 0;
    for (int i = 0; i < a.num_args && same; ++i)
      same = o.args[i].expr == a.args[i].expr && o.args[i].value == a.args[i].value;
    if (!same) continue;
    *out = atom_buckets_[b] - 1;
    return true;
  }
  if (!atoms_.push_back(a).ok()) return false;
  *out = static_cast<int32_t>(atoms_.size() - 1);
  atom_buckets_[b] = *out + 1;
  return true;
}

bool DimTable::atom_dim(const Atom& a, Dim* out) {
  if (a.depth > kMaxDepth) return fresh(out);
  int32_t index = 0;
  if (!intern_atom(a, &index)) return false;
  Sum s;
  Monomial m;
  m.count = 1;
  m.atoms[0] = index;
  return add_term(&s, m, 1) == Fit::kOk && store(s, out);
}

bool DimTable::symbol(const char* name, Dim* out) {
  if (!valid_symbol(name)) return false;
  Atom a;
  a.kind = Kind::kSymbol;
  std::strcpy(a.name, name);
  return atom_dim(a, out);
}

bool DimTable::fresh(Dim* out) { return unknown(unknowns_, out); }

bool DimTable::unknown(int64_t number, Dim* out) {
  if (number < 0 || number >= INT32_MAX) return false;
  Atom a;
  a.kind = Kind::kUnknown;
  a.number = static_cast<int32_t>(number);
  if (a.number >= unknowns_) unknowns_ = a.number + 1;
  return atom_dim(a, out);
}

// ---- ring operations
// -------------------------------------------------------------------------------

bool DimTable::add(Dim a, Dim b, Dim* out) {
  Sum s, o;
  load(a, &s);
  load(b, &o);
  return store_or_fresh(add_scaled(&s, o, 1), s, out);
}

bool DimTable::sub(Dim a, Dim b, Dim* out) {
  Sum s, o;
  load(a, &s);
  load(b, &o);
  return store_or_fresh(add_scaled(&s, o, -1), s, out);
}

bool DimTable::mul(Dim a, Dim b, Dim* out) {
  Sum x, y, s;
  load(a, &x);
  load(b, &y);
  return store_or_fresh(multiply_sum(x, y, &s), s, out);
}

// ---- ranges
// ----------------------------------------------------------------------------------------

namespace {

// a * b for bounds where a missing bound is infinite; false when the product has no bound.
bool scale(bool has, int64_t v, int64_t factor, int64_t* out) {
  return has && checked_mul(v, factor, out);
}

}  // namespace

DimTable::Bounds DimTable::atom_bounds(const Atom& a, int budget) const {
  Bounds r;
  switch (a.kind) {
    case Kind::kSymbol:
      r = {true, false, 1, 0};
      break;
    case Kind::kUnknown:
      break;
    case Kind::kFloorDiv: {
      // Only by positive numbers; bounds of other quotients are of little use.
      const Bounds n = bounds(a.args[0], budget - 1);
      if (!a.args[1].known() || a.args[1].value <= 0) {
        const Bounds d = bounds(a.args[1], budget - 1);
        if (n.has_low && n.low >= 0 && d.has_low && d.low >= 1) r = {true, n.has_high, 0, n.high};
        break;
      }
      r.has_low = n.has_low && checked_floor_div(n.low, a.args[1].value, &r.low);
      r.has_high = n.has_high && checked_floor_div(n.high, a.args[1].value, &r.high);
      break;
    }
    case Kind::kMin:
    case Kind::kMax: {
      const bool is_max = a.kind == Kind::kMax;
      r = bounds(a.args[0], budget - 1);
      for (int i = 1; i < a.num_args; ++i) {
        const Bounds b = bounds(a.args[i], budget - 1);
        // Of a maximum: the lower bound is the largest known, the upper one needs all.
        bool& some = is_max ? r.has_low : r.has_high;
        int64_t& some_value = is_max ? r.low : r.high;
        const bool b_some = is_max ? b.has_low : b.has_high;
        const int64_t b_some_value = is_max ? b.low : b.high;
        if (b_some)
          some_value = !some    ? b_some_value
                       : is_max ? std::max(some_value, b_some_value)
                                : std::min(some_value, b_some_value);
        some = some || b_some;
        bool& all = is_max ? r.has_high : r.has_low;
        int64_t& all_value = is_max ? r.high : r.low;
        const bool b_all = is_max ? b.has_high : b.has_low;
        const int64_t b_all_value = is_max ? b.high : b.low;
        all = all && b_all;
        if (all)
          all_value = is_max ? std::max(all_value, b_all_value) : std::min(all_value, b_all_value);
      }
      break;
    }
  }
  return r;
}

DimTable::Bounds DimTable::bounds(Dim d, int budget) const {
  if (d.known()) return {true, true, d.value, d.value};
  Bounds sum = {true, true, 0, 0};
  if (budget <= 0) return Bounds();
  const Expr& e = exprs_[static_cast<size_t>(d.expr)];
  sum.low = sum.high = e.constant;
  for (int i = 0; i < e.num_terms; ++i) {
    const Term& t = terms_[e.first_term + static_cast<uint32_t>(i)];
    Bounds p = {true, true, 1, 1};
    for (int k = 0; k < t.monomial.count; ++k) {
      const Bounds f = atom_bounds(atoms_[static_cast<size_t>(t.monomial.atoms[k])], budget - 1);
      // Products only of factors that are not negative; else nothing is said.
      if (!f.has_low || f.low < 0 || !p.has_low || p.low < 0) {
        p = t.monomial.count == 1 ? f : Bounds();
        if (t.monomial.count > 1) break;
        continue;
      }
      p.has_low = checked_mul(p.low, f.low, &p.low);
      p.has_high = p.has_high && f.has_high && checked_mul(p.high, f.high, &p.high);
    }
    const bool positive = t.coefficient > 0;
    int64_t low = 0, high = 0;
    sum.has_low =
        sum.has_low &&
        scale(positive ? p.has_low : p.has_high, positive ? p.low : p.high, t.coefficient, &low) &&
        checked_add(sum.low, low, &sum.low);
    sum.has_high =
        sum.has_high &&
        scale(positive ? p.has_high : p.has_low, positive ? p.high : p.low, t.coefficient, &high) &&
        checked_add(sum.high, high, &sum.high);
  }
  return sum;
}

DimTable::Bounds DimTable::difference_bounds(Dim a, Dim b) {
  Dim d;
  if (!sub(a, b, &d)) return Bounds();
  return bounds(d, 6);
}

Tri DimTable::equal(Dim a, Dim b) {
  if (a.expr == b.expr && (a.expr != 0 || a.value == b.value)) return Tri::kYes;
  const Bounds d = difference_bounds(a, b);
  if (d.has_low && d.has_high && d.low == 0 && d.high == 0) return Tri::kYes;
  if ((d.has_low && d.low > 0) || (d.has_high && d.high < 0)) return Tri::kNo;
  return Tri::kUnknown;
}

Tri DimTable::less(Dim a, Dim b) {
  const Bounds d = difference_bounds(a, b);
  if (d.has_high && d.high < 0) return Tri::kYes;
  if (d.has_low && d.low >= 0) return Tri::kNo;
  return Tri::kUnknown;
}

}  // namespace sampan
