// Activations and double-precision functions: the same bits on every instruction set, and the
// errors that docs/numerics.md states, against libm in (long) double precision.
#include "kernels/math/math.h"

#include <cmath>

#include "check.h"
#include "kernels/math/f64.h"

namespace sampan::test {
namespace {

struct Case {
  Activation activation;
  const char* name;
  float p0, p1;
  double limit;  // ULP
  double (*reference)(double x, double p0, double p1);
};

double ref_sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double ref_softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
double ref_mish(double x) {
  if (x < -745) return x * 0.0;
  double e = std::exp(x > 40 ? 40 : x), n = e * (e + 2);
  return x * (n / (n + 2));
}
double times(double x, double y) { return y == 0.0 ? -0.0 : x * y; }  // -inf * 0 is -0 here

const Case kCases[] = {
    {Activation::kClip, "clip", 0.0f, 6.0f, 0.0,
     [](double x, double lo, double hi) { return x < lo   ? lo
                                                 : x > hi ? hi
                                                          : x; }},
    {Activation::kLeakyRelu, "leaky_relu", 0.01f, 0.0f, 0.5,
     [](double x, double a, double) { return x < 0 ? a * x : x; }},
    {Activation::kHardSwish, "hard_swish", 0, 0, 3.0,
     [](double x, double, double) {
       return x != x ? x : times(x, std::fmin(6.0, std::fmax(0.0, x + 3.0)) / 6.0);
     }},
    {Activation::kSigmoid, "sigmoid", 0, 0, 2.0,
     [](double x, double, double) { return ref_sigmoid(x); }},
    {Activation::kSilu, "silu", 0, 0, 4.0,
     [](double x, double, double) { return times(x, ref_sigmoid(x)); }},
    {Activation::kTanh, "tanh", 0, 0, 2.0, [](double x, double, double) { return std::tanh(x); }},
    {Activation::kGelu, "gelu", 0, 0, 4.0,
     [](double x, double, double) { return times(x, 0.5 * std::erfc(-x * std::sqrt(0.5))); }},
    {Activation::kGeluTanh, "gelu_tanh", 0, 0, 4.0,
     [](double x, double, double) {
       double u = std::sqrt(8.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
       return times(x, ref_sigmoid(u));
     }},
    {Activation::kElu, "elu", 0.7f, 0, 4.0,
     [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }},
    {Activation::kSoftplus, "softplus", 0, 0, 4.0,
     [](double x, double, double) { return ref_softplus(x); }},
    {Activation::kMish, "mish", 0, 0, 4.0, [](double x, double, double) { return ref_mish(x); }},
};

// Every float whose bits are a multiple of `step`, and the neighbours of a few edges.
void test_accuracy(uint32_t step) {
  for (const Case& c : kCases) {
    ActivationFn fn =
        activation_fn(can_run(Isa::kAvx2) ? Isa::kAvx2 : Isa::kPortable, c.activation);
    double worst = 0;
    float worst_x = 0;
    constexpr int64_t kBlock = 4096;
    float x[kBlock], y[kBlock];
    uint64_t bits = 0;
    while (bits < (1ull << 32)) {
      int64_t n = 0;
      for (; n < kBlock && bits < (1ull << 32); ++n, bits += step) {
        uint32_t b = static_cast<uint32_t>(bits);
        std::memcpy(&x[n], &b, 4);
        y[n] = x[n];
      }
      fn(y, n, c.p0, c.p1);
      for (int64_t i = 0; i < n; ++i) {
        double u = ulps(y[i], c.reference(x[i], c.p0, c.p1));
        if (u > worst) {
          worst = u;
          worst_x = x[i];
        }
      }
    }
    if (std::getenv("SAMPAN_VERBOSE"))
      std::printf("%-12s %.3f ULP at %a\n", c.name, worst, worst_x);
    CHECK(worst <= c.limit, "%s: %.3f ULP at %a, allowed %.1f", c.name, worst, worst_x, c.limit);
  }
}

void test_same_bits() {
  Random random(1);
  for (int a = 0; a < kActivationCount; ++a) {
    for (int round = 0; round < 300; ++round) {
      const int64_t n = random.integer(0, 70);
      const float p0 = random.uniform(-1, 0), p1 = random.uniform(0, 6);
      Guarded<float> expected(n), got(n);
      for (int64_t i = 0; i < n; ++i)
        expected[i] = round % 3 == 0 ? random.any_float() : random.uniform(-12, 12);
      for (Isa isa : kFastIsas) {
        if (!can_run(isa)) continue;
        Guarded<float> want(n);
        std::memcpy(want.data(), expected.data(), n * 4);
        std::memcpy(got.data(), expected.data(), n * 4);
        activation_fn(Isa::kPortable, static_cast<Activation>(a))(want.data(), n, p0, p1);
        activation_fn(isa, static_cast<Activation>(a))(got.data(), n, p0, p1);
        const int64_t i = first_difference(want.data(), got.data(), n);
        CHECK(i < 0, "activation %d on %s: x = %a gives %a, portable %a", a, isa_name(isa),
              expected[i], got[i], want[i]);
      }
    }
  }
}

struct CaseF64 {
  const char* name;
  double (*fn)(double);
  long double (*reference)(long double);
  double low, high;
  double limit;
};

#define F64(f, low, high, limit)                                                 \
  {                                                                              \
    #f, math::f##_f64, [](long double x) { return std::f(x); }, low, high, limit \
  }
const CaseF64 kF64[] = {
    F64(exp, -745, 710, 1.0),   F64(expm1, -50, 710, 2.0),      F64(log, 0, 1e308, 1.0),
    F64(log, 0.5, 2, 1.0),      F64(log1p, -1, 3, 2.0),         F64(log1p, -1e-3, 1e-3, 2.0),
    F64(sin, -10, 10, 1.0),     F64(sin, -1e6, 1e6, 1.0),       F64(sin, -1e300, 1e300, 1.0),
    F64(cos, -10, 10, 1.0),     F64(cos, -1e300, 1e300, 1.0),   F64(tan, -10, 10, 3.0),
    F64(tan, -1e15, 1e15, 3.0), F64(asin, -1, 1, 4.0),          F64(acos, -1, 1, 4.0),
    F64(atan, -5, 5, 3.0),      F64(atan, -1e300, 1e300, 2.0),  F64(sinh, -5, 5, 4.0),
    F64(sinh, -710, 710, 4.0),  F64(cosh, -710, 710, 4.0),      F64(tanh, -25, 25, 4.0),
    F64(asinh, -5, 5, 4.0),     F64(asinh, -1e300, 1e300, 2.0), F64(acosh, 1, 10, 4.0),
    F64(atanh, -1, 1, 4.0),     F64(erf, -6, 6, 2.0),           F64(erfc, -6, 27, 5.0),
};
#undef F64

double ulps_f64(double got, long double expected) {
  const double nearest = static_cast<double>(expected);
  if (got != got || nearest != nearest) return (got != got) == (nearest != nearest) ? 0.0 : 1e9;
  if (std::isinf(got) || std::isinf(nearest)) return got == nearest ? 0.0 : 1e9;
  int e = 0;
  std::frexp(nearest, &e);
  if (e < -1021 || nearest == 0.0) e = -1021;
  return static_cast<double>(std::fabs(got - expected) / std::ldexp(1.0L, e - 53));
}

void test_f64() {
  Random random(2);
  for (const CaseF64& c : kF64) {
    double worst = 0, worst_x = 0;
    for (int i = 0; i < 200000; ++i) {
      double t = static_cast<double>(random.next() >> 11) * 0x1p-53;
      double x = c.low + (c.high - c.low) * t;
      if (c.high > 1e200 && i % 2)
        x = std::ldexp(1.0 + t, static_cast<int>(random.integer(-1000, 1000)));
      double u = ulps_f64(c.fn(x), c.reference(x));
      if (u > worst) worst = u, worst_x = x;
    }
    if (std::getenv("SAMPAN_VERBOSE"))
      std::printf("%-6s_f64 [%g, %g] %.3f ULP at %a\n", c.name, c.low, c.high, worst, worst_x);
    CHECK(worst <= c.limit, "%s_f64: %.3f ULP at %a, allowed %.1f", c.name, worst, worst_x,
          c.limit);
  }
}

void test_pow_and_fmod() {
  Random random(3);
  double worst = 0, worst32 = 0;
  for (int i = 0; i < 300000; ++i) {
    double t = static_cast<double>(random.next() >> 11) * 0x1p-53;
    double x = std::ldexp(1.0 + t, static_cast<int>(random.integer(-30, 30)));
    double y = random.uniform(-30, 30);
    if (i % 3 == 0) x = 1.0 + (t - 0.5) * 0.01, y *= 1000;
    worst =
        std::fmax(worst, ulps_f64(math::pow_f64(x, y), std::pow((long double)x, (long double)y)));
    float xf = static_cast<float>(x), yf = static_cast<float>(y);
    worst32 = std::fmax(worst32, ulps(math::pow_f32(xf, yf), std::pow((double)xf, (double)yf)));
    float a = random.any_float(), b = random.any_float();
    CHECK(same(math::fmod_f32(a, b), std::fmod(a, b)), "fmod(%a, %a) = %a", a, b,
          math::fmod_f32(a, b));
    uint64_t da = random.next(), db = random.next();
    double fa, fb;
    std::memcpy(&fa, &da, 8);
    std::memcpy(&fb, &db, 8);
    CHECK(same(math::fmod_f64(fa, fb), std::fmod(fa, fb)), "fmod(%a, %a)", fa, fb);
  }
  if (std::getenv("SAMPAN_VERBOSE"))
    std::printf("pow_f64 %.3f ULP, pow_f32 %.3f ULP\n", worst, worst32);
  CHECK(worst <= 1.0, "pow_f64 %.3f ULP", worst);
  CHECK(worst32 <= 1.0, "pow_f32 %.3f ULP", worst32);
  const double edges[] = {0.0,    -0.0,   1.0,    -1.0,     2.0,       -2.0, 3.0,
                          -3.0,   0.5,    -0.5,   INFINITY, -INFINITY, NAN,  1e300,
                          -1e300, 1e-310, 0x1p60, -0x1p60,  0.3333};
  for (double x : edges)
    for (double y : edges) {
      CHECK(ulps_f64(math::pow_f64(x, y), std::pow((long double)x, (long double)y)) <= 2.0 &&
                (x != x || y != y || std::pow(x, y) != std::pow(x, y) ||
                 std::signbit(math::pow_f64(x, y)) == std::signbit(std::pow(x, y))),
            "pow(%a, %a) = %a, expected %a", x, y, math::pow_f64(x, y), std::pow(x, y));
    }
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  const char* step = std::getenv("SAMPAN_MATH_STEP");  // 1: every float
  test_accuracy(step ? static_cast<uint32_t>(std::atoi(step)) : 2999);
  test_same_bits();
  test_f64();
  test_pow_and_fmod();
  Flushed flushed;  // once more as in a session
  test_same_bits();
  return finish("math_test");
}
