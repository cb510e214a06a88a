// Symbolic dimensions: canonical form against plain evaluation of random expressions, text and
// back, and the identities that shape rules lean on.
#include "core/dims.h"

#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "core/checked.h"
#include "core/dim_table.h"

namespace sampan {
namespace {

using test::Random;

std::string text(const DimTable& t, Dim d) {
  char out[4096];
  const size_t n = t.format(d, out, sizeof(out));
  return n < sizeof(out) ? out : "(too long)";
}

Dim parse(DimTable& t, const char* s) {
  Dim d;
  const Status status = t.parse(s, &d);
  CHECK(status.ok(), "%s: %s", s, status.message());
  return d;
}

void test_identities() {
  Box<DimTable> table = DimTable::create().take();
  struct Case {
    const char* in;
    const char* out;
  };
  const Case cases[] = {
      {"h", "h"},
      {"h + 1 - 1", "h"},
      {"2*h + 1", "2*h + 1"},
      {"1 + h*2", "2*h + 1"},
      {"h*4//4", "h"},
      {"(h + 2*3)//2", "h//2 + 3"},
      {"(h - 1)//2 + 1", "(h + 1)//2"},
      {"h//2//3", "h//6"},
      {"(h//2 + 1)//2", "(h + 2)//4"},
      {"(4*h + 2)//2", "2*h + 1"},
      {"(4*h + 3)//6", "(2*h + 1)//3"},
      {"a*b//b", "a"},
      {"(a*b + b)//(a + 1)", "b"},
      {"(h*w + 2*h)//(w + 2)", "h"},
      {"2*a*b//(4*b)", "a//2"},
      {"min(h, h + 1)", "h"},
      {"max(h, 1)", "h"},
      {"max(h, h - 3, 5)", "max(5, h)"},
      {"min(a, b, a)", "min(a, b)"},
      {"b*a - a*b", "0"},
      {"3 - h", "3 - h"},
      {"-h", "-h"},
      {"2*(h//3)", "2*(h//3)"},
      {"h//(-2)", "(-h)//2"},
      {"(h//2)*(w//2)", "(h//2)*(w//2)"},
      {"7//2", "3"},
      {"(0 - 7)//2", "-4"},
  };
  for (const Case& c : cases) {
    const std::string got = text(*table, parse(*table, c.in));
    CHECK(got == c.out, "%s gave %s, expected %s", c.in, got.c_str(), c.out);
  }
  CHECK(parse(*table, "a + b").expr == parse(*table, "b + a").expr);
  CHECK(parse(*table, "?").expr != parse(*table, "?").expr);
  CHECK(parse(*table, "?7 + 1 - ?7").value == 1 &&
        parse(*table, "?7").expr != parse(*table, "?").expr);
  CHECK(text(*table, parse(*table, "2*?7")) == "2*?7");
}

void test_order() {
  Box<DimTable> table = DimTable::create().take();
  DimMath m(table.get());
  const Dim h = parse(*table, "h"), w = parse(*table, "w");
  CHECK(m.equal(h, h) == Tri::kYes);
  CHECK(m.equal(h, m.add(h, 1)) == Tri::kNo);
  CHECK(m.equal(h, w) == Tri::kUnknown);
  CHECK(m.equal(h, 0) == Tri::kNo);
  CHECK(m.less(h, m.add(h, w)) == Tri::kYes);
  CHECK(m.less(m.mul(h, w), 1) == Tri::kNo);
  CHECK(m.less(h, w) == Tri::kUnknown);
  CHECK(m.less(parse(*table, "h//2"), 0) == Tri::kNo);
  CHECK(m.less(parse(*table, "min(h, 8)"), 9) == Tri::kYes);
  CHECK(!m.failed());
}

void test_numbers() {
  DimMath m;
  CHECK(m.floor_div(-7, 2).value == -4);
  CHECK(m.ceil_div(7, 2).value == 4 && m.ceil_div(-7, 2).value == -3);
  CHECK(m.ceil_div(7, -2).value == -3);
  CHECK(m.divide_exact(12, 4).value == 3 && !m.failed());
  CHECK(DimMath().divide_exact(12, 5).known());
  const auto fails = [](Dim (DimMath::*op)(Dim, Dim), int64_t a, int64_t b) {
    DimMath x;
    (x.*op)(a, b);
    return x.failed();
  };
  CHECK(fails(&DimMath::add, INT64_MAX, 1));
  CHECK(fails(&DimMath::sub, INT64_MIN, 1));
  CHECK(fails(&DimMath::mul, int64_t{1} << 40, int64_t{1} << 40));
  CHECK(fails(&DimMath::floor_div, 1, 0));
  CHECK(fails(&DimMath::floor_div, INT64_MIN, -1));
  CHECK(fails(&DimMath::divide_exact, 7, 2));
  CHECK(fails(&DimMath::divide_exact, 7, 0));
  DimMath f;
  f.fresh();
  CHECK(f.failed(), "unknown dimensions do not exist without a table");
}

void test_wrong_text() {
  Box<DimTable> table = DimTable::create().take();
  std::string deep(500, '('), fresh_symbol(70, 'a');
  const std::string wrong[] = {"",
                               "+",
                               "h +",
                               "h w",
                               "min(h",
                               "min()",
                               "1 / 2",
                               "h//0",
                               "(h",
                               "h)",
                               "9999999999999999999",
                               "h*",
                               "%",
                               "2h",
                               "min(,)",
                               deep,
                               fresh_symbol,
                               "9223372036854775807 + 1"};
  for (const std::string& s : wrong) {
    Dim d;
    CHECK(!table->parse(s.c_str(), &d).ok(), "\"%s\" was accepted", s.c_str());
  }
}

// A random expression, built in the table and evaluated beside it.
struct Value {
  Dim dim;
  int64_t value;
};

void test_random(uint64_t seed) {
  Random r(seed);
  Box<DimTable> table = DimTable::create().take();
  const char* names[] = {"a", "b", "c", "d"};
  SymbolValue symbols[4];
  std::vector<Value> pool;
  for (int i = 0; i < 4; ++i) {
    symbols[i] = {names[i], r.integer(1, 12)};
    Value v = {Dim(), symbols[i].value};
    CHECK(table->symbol(names[i], &v.dim));
    pool.push_back(v);
  }
  for (int64_t k = -3; k <= 6; ++k) pool.push_back({Dim(k), k});
  for (int step = 0; step < 60; ++step) {
    const Value x = pool[static_cast<size_t>(r.integer(0, static_cast<int64_t>(pool.size()) - 1))];
    const Value y = pool[static_cast<size_t>(r.integer(0, static_cast<int64_t>(pool.size()) - 1))];
    Value z = {Dim(), 0};
    bool ok = false, valid = true;
    switch (r.integer(0, 5)) {
      case 0:
        valid = checked_add(x.value, y.value, &z.value);
        ok = table->add(x.dim, y.dim, &z.dim);
        break;
      case 1:
        valid = checked_sub(x.value, y.value, &z.value);
        ok = table->sub(x.dim, y.dim, &z.dim);
        break;
      case 2:
        valid = checked_mul(x.value, y.value, &z.value);
        ok = table->mul(x.dim, y.dim, &z.dim);
        break;
      case 3:
        if (y.value == 0) continue;
        valid = checked_floor_div(x.value, y.value, &z.value);
        ok = table->floor_div(x.dim, y.dim, &z.dim);
        break;
      case 4:
        z.value = std::min(x.value, y.value);
        ok = table->min(x.dim, y.dim, &z.dim);
        break;
      default:
        z.value = std::max(x.value, y.value);
        ok = table->max(x.dim, y.dim, &z.dim);
        break;
    }
    // A symbolic zero divisor goes unnoticed until it has a value; overflow may come early.
    if (!ok || !valid || z.value > 1000000 || z.value < -1000000) continue;
    Result<int64_t> got = table->evaluate(z.dim, symbols, 4);
    if (!got.ok())
      continue;  // an unknown, or a division by zero inside that was cancelled elsewhere
    const std::string form = text(*table, z.dim);
    CHECK(got.value() == z.value, "seed %d: %s is %lld, expected %lld", static_cast<int>(seed),
          form.c_str(), static_cast<long long>(got.value()), static_cast<long long>(z.value));
    Dim again;
    if (form.size() < 4000 && form.find('?') == std::string::npos &&
        table->parse(form.c_str(), &again).ok())
      CHECK(again.expr == z.dim.expr && again.value == z.dim.value, "%s came back as %s",
            form.c_str(), text(*table, again).c_str());
    for (const Value& v : {x, y}) {
      const Tri less = table->less(v.dim, z.dim), equal = table->equal(v.dim, z.dim);
      CHECK(less == Tri::kUnknown || (less == Tri::kYes) == (v.value < z.value), "%s < %s",
            text(*table, v.dim).c_str(), form.c_str());
      CHECK(equal == Tri::kUnknown || (equal == Tri::kYes) == (v.value == z.value), "%s == %s",
            text(*table, v.dim).c_str(), form.c_str());
    }
    pool.push_back(z);
  }
}

void test_growth_is_bounded() {
  Box<DimTable> table = DimTable::create().take();
  Dim sum(0), square(1), nested = parse(*table, "h");
  for (int i = 0; i < 100; ++i) {
    char name[16];
    std::snprintf(name, sizeof(name), "s%d", i);
    Dim s;
    CHECK(table->symbol(name, &s));
    CHECK(table->add(sum, s, &sum));
    CHECK(table->mul(square, s, &square));
    Dim divisor;
    CHECK(table->add(s, 1, &divisor) && table->floor_div(nested, divisor, &nested));
  }
  CHECK(text(*table, sum).size() < 1000 && text(*table, nested).size() < 2000);
}

}  // namespace
}  // namespace sampan

int main() {
  using namespace sampan;
  test_identities();
  test_order();
  test_numbers();
  test_wrong_text();
  for (uint64_t seed = 0; seed < 3000; ++seed) test_random(seed);
  test_growth_is_bounded();
  return test::finish("dims");
}
