// Polynomials are Chebyshev interpolants computed with 60 digits, or Taylor sums where those are as
// short. Reductions are the classical ones; see docs/numerics.md.
#include "kernels/math/f64.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace sampan::math {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLn2Hi = 0x1.62e42feep-1;  // 32 bits: n * kLn2Hi is exact
constexpr double kLn2Lo = 0x1.a39ef35793c76p-33;
constexpr double kPiHalf = 0x1.921fb54442d18p+0;
constexpr double kPiHalfLo = 0x1.1a62633145c07p-54;

uint64_t bits_of(double x) {
  uint64_t b;
  std::memcpy(&b, &x, 8);
  return b;
}
double from_bits(uint64_t b) {
  double x;
  std::memcpy(&x, &b, 8);
  return x;
}
double power_of_two(int n) { return from_bits(static_cast<uint64_t>(n + 1023) << 52); }

template <int N>
double poly(double x, const double (&c)[N]) {
  double p = c[N - 1];
  for (int i = N - 2; i >= 0; --i) p = p * x + c[i];
  return p;
}

// p * 2^n, rounded once below the normal range.
double scale(double p, int n) {
  int half = n / 2;
  return p * power_of_two(half) * power_of_two(n - half);
}

// exp(r) - 1 - r for |r| <= 0.35, by its Taylor sum.
double exp_tail(double r) {
  constexpr double c[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                          1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                          1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  return r * r * poly(r, c);
}

struct ExpParts {
  int n;
  double hi, lo;  // x = n ln 2 + hi + lo
};
ExpParts split_exp(double x) {
  double n = std::nearbyint(x * 1.4426950408889634);
  return {static_cast<int>(n), x - n * kLn2Hi, -n * kLn2Lo};
}

// exp(x + x_lo) for finite x in [-760, 720].
double exp_sum(double x, double x_lo) {
  ExpParts e = split_exp(x);
  double r = e.hi + (e.lo + x_lo);
  double r_lo = (e.hi - r) + (e.lo + x_lo);
  return scale(1.0 + (r + (exp_tail(r) + r_lo * (1.0 + r))), e.n);
}

// log(x) = hi + lo for positive normal x.
struct Sum {
  double hi, lo;
};
Sum fast_two_sum(double a, double b) {  // |a| >= |b| or a == 0
  double s = a + b;
  return {s, b - (s - a)};
}
Sum two_product(double a, double b) {  // Dekker: no fused operation needed
  constexpr double kSplit = 134217729.0;
  double ta = a * kSplit, tb = b * kSplit;
  double ah = ta - (ta - a), bh = tb - (tb - b);
  double al = a - ah, bl = b - bh, p = a * b;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

// log(m), 2/3 < m < 4/3 or so: with s = f / (2 + f), log(1 + f) = 2 s + s^3 P(s^2).
constexpr double kLogPoly[] = {6.66666666666666630e-01, 4.00000000000008793e-01,
                               2.85714285708036142e-01, 2.22222223917139167e-01,
                               1.81817956401329001e-01, 1.53862397028148884e-01,
                               1.32687731386516766e-01, 1.30866261478873119e-01};

struct LogParts {
  double f;  // x = (1 + f) 2^n, 1 + f in [sqrt(1/2), sqrt(2))
  int n;
};
LogParts split_log(double x) {
  constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdull;
  uint64_t i = bits_of(x) - kSqrtHalf;
  double m = from_bits((i & 0x000fffffffffffffull) + kSqrtHalf);
  return {m - 1.0, static_cast<int>(static_cast<int64_t>(i) >> 52)};
}

// log((1 + f) 2^n) + c, c tiny. log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R)), R = s^2 P(s^2).
double log_core(double f, double n, double c) {
  double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
  double tail = s * (half + z * poly(z, kLogPoly)) + (n * kLn2Lo + c);
  return n * kLn2Hi - ((half - tail) - f);
}

// log(x) in two doubles, to about 2^-68 relative, for pow: one Newton step on the exponential would
// need exp that exact, so the series' leading terms are summed in double-double instead.
Sum log_two(double x) {
  int shift = 0;
  if (x < 2.2250738585072014e-308) {
    x *= 18014398509481984.0;  // 2^54
    shift = -54;
  }
  LogParts p = split_log(x);
  double n = p.n + shift;
  // s = f / (2 + f) in two parts.
  double d = 2.0 + p.f, d_lo = p.f - (d - 2.0);
  double s = p.f / d;
  Sum back = two_product(s, d);
  double s_lo = ((p.f - back.hi) - back.lo - s * d_lo) / d;
  // s^3 P(s^2) with the cube's leading coefficient 2/3 in two parts.
  Sum z = two_product(s, s);
  z.lo += 2.0 * s * s_lo;
  double rest = poly(z.hi, kLogPoly) - kLogPoly[0];
  constexpr double kTwoThirdsLo = 3.7007434154171883e-17;
  Sum q = fast_two_sum(kLogPoly[0], rest + kTwoThirdsLo);
  Sum cube = two_product(s, z.hi);
  cube.lo += s * z.lo + s_lo * z.hi;
  Sum tail = two_product(cube.hi, q.hi);
  tail.lo += cube.hi * q.lo + cube.lo * q.hi;
  Sum a = fast_two_sum(2.0 * s, tail.hi);
  a.lo += tail.lo + 2.0 * s_lo;
  if (n != 0.0) {
    Sum b = fast_two_sum(n * kLn2Hi, a.hi);
    b.lo += a.lo + n * kLn2Lo;
    return fast_two_sum(b.hi, b.lo);
  }
  return fast_two_sum(a.hi, a.lo);
}

// ---- trigonometric argument reduction --------------------------------------------------------

// 2 / pi, 1344 bits, most significant first.
constexpr uint32_t kTwoOverPi[] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du, 0xa9e39161u, 0x5ee61b08u,
};

struct Reduced {
  int quadrant;   // x = quadrant * pi / 2 + hi + lo (mod 2 pi)
  double hi, lo;  // |hi| <= pi / 4
};

// Payne and Hanek: only the bits of 2 / pi around the binary point of the product are multiplied.
Reduced reduce_huge(double x) {
  uint64_t b = bits_of(x);
  int e = static_cast<int>((b >> 52) & 0x7ff) - 1075;  // |x| = m 2^e
  uint64_t m = (b & 0x000fffffffffffffull) | 0x0010000000000000ull;
  // Start at the word whose bits are worth less than 8 quadrants after the multiplication: the
  // words before it give multiples of 8 quadrants, which is nothing.
  constexpr int kWords = 7;
  int first = e >= 3 ? (e - 3) / 32 : 0;
  // product = m * (7 words of 2 / pi): 9 words, least significant first.
  uint32_t product[kWords + 2] = {};
  uint32_t m_words[2] = {static_cast<uint32_t>(m), static_cast<uint32_t>(m >> 32)};
  for (int i = 0; i < kWords; ++i) {
    uint64_t carry = 0;
    for (int j = 0; j < 2; ++j) {
      uint64_t t = static_cast<uint64_t>(kTwoOverPi[first + kWords - 1 - i]) * m_words[j] +
                   product[i + j] + carry;
      product[i + j] = static_cast<uint32_t>(t);
      carry = t >> 32;
    }
    product[i + 2] = static_cast<uint32_t>(carry);
  }
  // The product is an integer times 2^(e - 32 * (first + 7)); point = bits behind the binary point.
  int point = 32 * (first + kWords) - e;
  auto bit_range = [&product](int low, int count) {  // count <= 32 bits from position low
    uint64_t word = 0;
    int i = low / 32, shift = low % 32;
    if (i < kWords + 2) word = product[i];
    if (i + 1 < kWords + 2) word |= static_cast<uint64_t>(product[i + 1]) << 32;
    return static_cast<uint32_t>((word >> shift) & ((uint64_t{1} << count) - 1));
  };
  int quadrant = static_cast<int>(bit_range(point, 3));
  uint64_t f1 =
      (static_cast<uint64_t>(bit_range(point - 32, 32)) << 32) | bit_range(point - 64, 32);
  uint64_t f2 =
      (static_cast<uint64_t>(bit_range(point - 96, 32)) << 32) | bit_range(point - 128, 32);
  bool negative = f1 >> 63;
  if (negative) {  // fraction - 1
    ++quadrant;
    f2 = ~f2 + 1;
    f1 = ~f1 + (f2 == 0);
  }
  // 128 bits as three doubles that are exact, then times pi / 2.
  double h = static_cast<double>(f1 >> 32) * 0x1p-32;
  double l =
      static_cast<double>(f1 & 0xffffffffu) * 0x1p-64 + static_cast<double>(f2 >> 11) * 0x1p-117;
  Sum frac = fast_two_sum(h, l);
  if (negative) frac = {-frac.hi, -frac.lo};
  Sum p = two_product(frac.hi, kPiHalf);
  p.lo += frac.hi * kPiHalfLo + frac.lo * kPiHalf;
  Sum r = fast_two_sum(p.hi, p.lo);
  if (x < 0) return {(-quadrant) & 3, -r.hi, -r.lo};
  return {quadrant & 3, r.hi, r.lo};
}

Reduced reduce(double x) {
  double a = std::fabs(x);
  if (a <= kPiHalf / 2) return {0, x, 0.0};
  if (a < 1e5) {
    // pi / 2 in three parts of 33 bits: n times a part is exact for n < 2^20.
    constexpr double p1 = 0x1.921fb544p+0, p2 = 0x1.0b4611a6p-34, p3 = 0x1.3198a2e037073p-69;
    double n = std::nearbyint(x * 0.63661977236758134);
    double t = x - n * p1;
    double w = n * p2;
    double r = t - w;
    // What t - w lost (two-sum), and the third part.
    double bb = r - t;
    double lost = (t - (r - bb)) - (w + bb);
    Sum s = fast_two_sum(r, lost - n * p3);
    return {static_cast<int>(static_cast<int64_t>(n) & 3), s.hi, s.lo};
  }
  return reduce_huge(x);
}

double sin_core(double r, double lo) {
  constexpr double c[] = {
      -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
      -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
  double z = r * r;
  return r + (r * z * poly(z, c) + lo * (1.0 - 0.5 * z));
}
double cos_core(double r, double lo) {
  constexpr double c[] = {1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
                          1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
  double z = r * r, half = 0.5 * z, w = 1.0 - half;
  return w + (((1.0 - w) - half) + (z * z * poly(z, c) - r * lo));
}

}  // namespace

double exp_f64(double x) {
  if (x != x) return x;
  if (x > 720) return kInf;
  if (x < -760) return 0.0;
  return exp_sum(x, 0.0);
}

double expm1_f64(double x) {
  if (x != x || std::fabs(x) < 1e-300) return x;
  if (x > 720) return kInf;
  if (x < -45) return -1.0;
  ExpParts e = split_exp(x);
  double r = e.hi + e.lo, r_lo = (e.hi - r) + e.lo;
  double p = r + (exp_tail(r) + r_lo * (1.0 + r));
  if (e.n == 0) return p;
  if (e.n > 60) return scale(1.0 + p, e.n);
  double s = power_of_two(e.n);
  return s * p + (s - 1.0);
}

double log_f64(double x) {
  if (x != x || x == kInf) return x;
  if (x == 0.0) return -kInf;
  if (x < 0.0) return kNan;
  int shift = 0;
  if (x < 2.2250738585072014e-308) {
    x *= 18014398509481984.0;
    shift = -54;
    if (x == 0.0) return -kInf;  // subnormals are flushed
  }
  LogParts p = split_log(x);
  return log_core(p.f, p.n + shift, 0.0);
}

double log1p_f64(double x) {
  if (x != x || x == kInf || std::fabs(x) < 1e-300) return x;
  if (x == -1.0) return -kInf;
  if (x < -1.0) return kNan;
  if (x > -0.29 && x < 0.41) return log_core(x, 0.0, 0.0);
  double u = 1.0 + x;
  double lost = x >= 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
  LogParts p = split_log(u);
  return log_core(p.f, p.n, lost / u);
}

double sin_f64(double x) {
  if (!(std::fabs(x) < kInf)) return kNan;
  if (std::fabs(x) < 1e-300) return x;
  Reduced r = reduce(x);
  double v = (r.quadrant & 1) ? cos_core(r.hi, r.lo) : sin_core(r.hi, r.lo);
  return (r.quadrant & 2) ? -v : v;
}

double cos_f64(double x) {
  if (!(std::fabs(x) < kInf)) return kNan;
  Reduced r = reduce(x);
  double v = (r.quadrant & 1) ? sin_core(r.hi, r.lo) : cos_core(r.hi, r.lo);
  return (r.quadrant == 1 || r.quadrant == 2) ? -v : v;
}

double tan_f64(double x) {
  if (!(std::fabs(x) < kInf)) return kNan;
  if (std::fabs(x) < 1e-300) return x;
  Reduced r = reduce(x);
  double s = sin_core(r.hi, r.lo), c = cos_core(r.hi, r.lo);
  return (r.quadrant & 1) ? -c / s : s / c;
}

double atan_f64(double x) {
  if (x != x) return x;
  constexpr double kTan8 = 0.41421356237309505;    // tan(pi / 8)
  constexpr double kTan16 = 0.19891236737965801;   // tan(pi / 16)
  constexpr double kTan316 = 0.66817863791929892;  // tan(3 pi / 16)
  double a = std::fabs(x);
  bool inverse = a > 1.0;
  // Two-part value of 1 / a, so that the subtraction from pi / 2 is the only rounding left.
  double t = inverse ? 1.0 / a : a, base = 0.0, base_lo = 0.0;
  if (t > kTan316) {
    base = kPiHalf / 2;
    base_lo = kPiHalfLo / 2;
    t = inverse ? (1.0 - a) / (1.0 + a) : (a - 1.0) / (a + 1.0);
  } else if (t > kTan16) {
    base = 0x1.921fb54442d18p-2;
    base_lo = kPiHalfLo / 4;
    t = inverse ? (1.0 - kTan8 * a) / (a + kTan8) : (a - kTan8) / (1.0 + a * kTan8);
  }
  constexpr double c[] = {
      -3.33333333333333315e-01, 1.99999999999999650e-01,  -1.42857142856910146e-01,
      1.11111111051778247e-01,  -9.09090833210827870e-02, 7.69225307074096060e-02,
      -6.66434919517112784e-02, 5.82466743576106824e-02,  -4.47614383440831723e-02};
  if (a < 1e-150) return x;
  double z = t * t;
  double v = base + (t + (t * z * poly(z, c) + base_lo));
  if (inverse) v = kPiHalf - (v - kPiHalfLo);
  return x < 0 ? -v : v;
}

double asin_f64(double x) {
  if (!(std::fabs(x) <= 1.0)) return kNan;
  if (x == 1.0) return kPiHalf;
  if (x == -1.0) return -kPiHalf;
  return atan_f64(x / std::sqrt((1.0 - x) * (1.0 + x)));
}

double acos_f64(double x) {
  if (!(std::fabs(x) <= 1.0)) return kNan;
  if (x == -1.0) return 2.0 * kPiHalf;
  return 2.0 * atan_f64(std::sqrt((1.0 - x) / (1.0 + x)));
}

double sinh_f64(double x) {
  double a = std::fabs(x), v;
  if (a < 22.0) {
    double t = expm1_f64(a);
    v = 0.5 * (t + t / (t + 1.0));
  } else {
    double h = exp_f64(0.5 * a);  // exp(a) itself may overflow before sinh does
    v = 0.5 * h * h;
  }
  return std::copysign(v, x);
}

double cosh_f64(double x) {
  double a = std::fabs(x);
  if (a < 22.0) {
    double t = exp_f64(a);
    return 0.5 * (t + 1.0 / t);
  }
  double h = exp_f64(0.5 * a);
  return 0.5 * h * h;
}

double tanh_f64(double x) {
  double a = std::fabs(x);
  if (a > 22.0) return std::copysign(1.0, x);
  double t = expm1_f64(2.0 * a);
  return std::copysign(t / (t + 2.0), x);
}

double asinh_f64(double x) {
  double a = std::fabs(x);
  if (!(a < kInf)) return x;
  double v = a > 1e9 ? log_f64(a) + 0.69314718055994529
                     : log1p_f64(a + a * a / (1.0 + std::sqrt(a * a + 1.0)));
  return std::copysign(v, x);
}

double acosh_f64(double x) {
  if (!(x >= 1.0)) return kNan;
  if (x > 1e9) return log_f64(x) + 0.69314718055994529;
  double t = x - 1.0;
  return log1p_f64(t + std::sqrt(t * (x + 1.0)));
}

double atanh_f64(double x) {
  double a = std::fabs(x);
  if (!(a <= 1.0)) return kNan;
  return std::copysign(0.5 * log1p_f64(2.0 * a / (1.0 - a)), x);
}

namespace {
double erf_small(double x) {
  constexpr double c[] = {
      1.28379167095512586e-01,  -3.76126389031837538e-01, 1.12837916709551206e-01,
      -2.68661706451298402e-02, 5.22397762542329853e-03,  -8.54832702193482970e-04,
      1.20553329028887357e-04,  -1.49256475675193321e-05, 1.64620454414684182e-06,
      -1.63646421581676080e-07, 1.47924012094047424e-08,  -1.21645600572830445e-09,
      8.70904512905175943e-11,  -4.23094582429334246e-12};
  return x + x * poly(x * x, c);
}
// x >= 1. erfc(x) exp(x^2) (x + 2) is a polynomial in (x - 2) / (x + 2).
double erfc_large(double x) {
  if (x > 28.0) return 0.0;
  constexpr double c[] = {
      1.02158270524202299e+00,  -6.87160684413810618e-01, 2.79472092556054819e-01,
      -3.64422315068782185e-02, -2.15106618894989644e-02, 6.47918506773093820e-03,
      3.09061205965349911e-03,  -8.37296063566105465e-04, -6.63073508285789894e-04,
      3.43714739269645808e-05,  1.44470603104629339e-04,  3.41485056739233741e-05,
      -2.16926906588658647e-05, -1.61224185935425551e-05, -1.15714109087046917e-06,
      3.70354699038088380e-06,  2.09245422495151472e-06,  -4.03236823820043956e-07,
      -2.69995618119134067e-07, 3.18000285388860164e-07,  -1.63511352848750385e-06,
      1.68081184259632246e-06,  -6.61247810802133973e-07, 9.24522653903670928e-08};
  Sum square = two_product(x, x);
  double e = exp_sum(-square.hi, -square.lo);
  return e * poly((x - 2.0) / (x + 2.0), c) / (x + 2.0);
}
}  // namespace

double erf_f64(double x) {
  double a = std::fabs(x);
  if (x != x || a < 1e-300) return x * 1.1283791670955126;
  if (a <= 1.0) return erf_small(x);
  return std::copysign(a > 6.0 ? 1.0 : 1.0 - erfc_large(a), x);
}

double erfc_f64(double x) {
  if (x != x) return x;
  if (std::fabs(x) <= 1.0) return 1.0 - erf_small(x);
  return x > 0 ? erfc_large(x) : 2.0 - erfc_large(-x);
}

namespace {
bool is_integer(double y) { return std::floor(y) == y; }
bool is_odd(double y) { return std::fabs(y) < 0x1p53 && std::floor(0.5 * y) != 0.5 * y; }
}  // namespace

double pow_f64(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return kNan;
  double a = std::fabs(x);
  bool odd = is_integer(y) && std::fabs(y) < kInf && is_odd(y);
  if (std::fabs(y) == kInf) {
    if (a == 1.0) return 1.0;
    return (a > 1.0) == (y > 0) ? kInf : 0.0;
  }
  if (a == 0.0 || a == kInf) {
    double v = (a == 0.0) == (y > 0) ? 0.0 : kInf;
    return odd && std::signbit(x) ? -v : v;
  }
  if (x < 0.0 && !is_integer(y)) return kNan;
  bool negative = x < 0.0 && odd;
  Sum l = log_two(a);
  double v;
  double rough = l.hi * y;
  if (!(std::fabs(rough) < 760.0)) {
    v = rough > 0 ? kInf : 0.0;
  } else if (std::fabs(rough) < 1e-20) {
    v = 1.0;  // y may be too small to be split
  } else {
    Sum p = two_product(l.hi, y);
    v = p.hi > 720.0 ? kInf : exp_sum(p.hi, p.lo + l.lo * y);
  }
  return negative ? -v : v;
}

double fmod_f64(double x, double y) {
  double a = std::fabs(x), b = std::fabs(y);
  if (!(a < kInf) || b != b || b == 0.0) return kNan;
  if (a < b) return x;
  // Shift-subtract on integers: exact, and without division.
  uint64_t ia = bits_of(a), ib = bits_of(b);
  int ea = static_cast<int>(ia >> 52), eb = static_cast<int>(ib >> 52);
  constexpr uint64_t kMantissa = 0x000fffffffffffffull, kHidden = 0x0010000000000000ull;
  uint64_t ma = ia & kMantissa, mb = ib & kMantissa;
  // Subnormals are normalised first; exponents may go below 1.
  auto normalise = [](uint64_t& m, int& e) {
    if (e == 0)
      e = 1;
    else
      m |= kHidden;
    for (; m < kHidden; --e) m <<= 1;
  };
  normalise(ma, ea);
  normalise(mb, eb);
  for (; ea > eb; --ea) {
    if (ma >= mb) ma -= mb;
    ma <<= 1;
  }
  if (ma >= mb) ma -= mb;
  if (ma == 0) return std::copysign(0.0, x);
  for (; ma < kHidden; --ea) ma <<= 1;
  uint64_t r = (ma & kMantissa) | (static_cast<uint64_t>(ea) << 52);
  if (ea < 1) r = ma >> (1 - ea);  // exact: the remainder is a multiple of the smallest subnormal
  return std::copysign(from_bits(r), x);
}

float pow_f32(float x, float y) {
  if (y == 2.0f) return x * x;
  if (y == 1.0f) return x;
  if (y == -1.0f) return 1.0f / x;
  if (y == 0.5f && x >= 0.0f) return std::sqrt(x) + 0.0f;
  if (y == 3.0f) return static_cast<float>(static_cast<double>(x) * x * x);
  return static_cast<float>(pow_f64(x, y));
}

float fmod_f32(float x, float y) { return static_cast<float>(fmod_f64(x, y)); }

}  // namespace sampan::math
