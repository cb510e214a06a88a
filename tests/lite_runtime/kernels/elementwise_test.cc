// Element-wise kernels: portable against every instruction set, accuracy of what math_test does not
// reach, integer rules, broadcasting against plain index arithmetic, casts.
#include "kernels/elementwise/elementwise.h"

#include <cmath>
#include <limits>
#include <vector>

#include "check.h"
#include "kernels/elementwise/broadcast.h"
#include "kernels/elementwise/cast.h"
#include "kernels/elementwise/half.h"

namespace sampan::test {
namespace {

void test_unary_same_bits() {
  Random random(1);
  for (int o = 0; o < kUnaryCount; ++o) {
    const UnaryOp op = static_cast<UnaryOp>(o);
    if (!unary_kernel(Isa::kPortable, op, DType::kFloat32)) continue;
    for (int round = 0; round < 200; ++round) {
      const int64_t n = random.integer(0, 67);
      const float p0 = random.uniform(-1, 1), p1 = random.uniform(0, 3);
      Guarded<float> x(n), want(n), got(n);
      for (int64_t i = 0; i < n; ++i) x[i] = round % 2 ? random.any_float() : random.uniform(-9, 9);
      const UnaryKernel portable = unary_kernel(Isa::kPortable, op, DType::kFloat32, p0, p1);
      portable.run(x.data(), want.data(), n);
      for (Isa isa : kFastIsas) {
        if (!can_run(isa)) continue;
        unary_kernel(isa, op, DType::kFloat32, p0, p1).run(x.data(), got.data(), n);
        int64_t i = -1;
        if (portable.output == DType::kBool) {
          if (std::memcmp(want.data(), got.data(), n) != 0) i = 0;
        } else {
          i = first_difference(want.data(), got.data(), n);
        }
        CHECK(i < 0, "unary %d on %s: x = %a gives %a, portable %a", o, isa_name(isa), x[i], got[i],
              want[i]);
      }
    }
  }
}

struct Accuracy {
  UnaryOp op;
  const char* name;
  double (*reference)(double);
  double low, high;
  double limit;
};
const double kAll = std::numeric_limits<float>::max();
const Accuracy kAccuracy[] = {
    {UnaryOp::kExp, "exp", [](double x) { return std::exp(x); }, -kAll, kAll, 1},
    {UnaryOp::kExpm1, "expm1", [](double x) { return std::expm1(x); }, -kAll, kAll, 2},
    {UnaryOp::kLog, "log", [](double x) { return std::log(x); }, 0, kAll, 1},
    {UnaryOp::kLog1p, "log1p", [](double x) { return std::log1p(x); }, -1, kAll, 2},
    {UnaryOp::kErf, "erf", [](double x) { return std::erf(x); }, -kAll, kAll, 2},
    {UnaryOp::kSin, "sin", [](double x) { return std::sin(x); }, -kAll, kAll, 1},
    {UnaryOp::kCos, "cos", [](double x) { return std::cos(x); }, -kAll, kAll, 1},
    {UnaryOp::kTan, "tan", [](double x) { return std::tan(x); }, -kAll, kAll, 1},
    {UnaryOp::kAsin, "asin", [](double x) { return std::asin(x); }, -1, 1, 1},
    {UnaryOp::kAcos, "acos", [](double x) { return std::acos(x); }, -1, 1, 1},
    {UnaryOp::kAtan, "atan", [](double x) { return std::atan(x); }, -kAll, kAll, 1},
    {UnaryOp::kSinh, "sinh", [](double x) { return std::sinh(x); }, -kAll, kAll, 1},
    {UnaryOp::kCosh, "cosh", [](double x) { return std::cosh(x); }, -kAll, kAll, 1},
    {UnaryOp::kAsinh, "asinh", [](double x) { return std::asinh(x); }, -kAll, kAll, 1},
    {UnaryOp::kAcosh, "acosh", [](double x) { return std::acosh(x); }, 1, kAll, 1},
    {UnaryOp::kAtanh, "atanh", [](double x) { return std::atanh(x); }, -1, 1, 1},
    {UnaryOp::kSqrt, "sqrt", [](double x) { return std::sqrt(x); }, 0, kAll, 0.5},
    {UnaryOp::kRsqrt, "rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0, kAll, 1.5},
    {UnaryOp::kReciprocal, "reciprocal", [](double x) { return 1 / x; }, -kAll, kAll, 0.5},
    {UnaryOp::kRound, "round", [](double x) { return std::nearbyint(x); }, -kAll, kAll, 0},
    {UnaryOp::kSoftsign, "softsign", [](double x) { return x / (1 + std::fabs(x)); }, -kAll, kAll,
     1.5},
};

void test_accuracy() {
  const char* step_text = std::getenv("SAMPAN_MATH_STEP");
  const uint64_t step = step_text ? static_cast<uint64_t>(std::atoi(step_text)) : 9973;
  const Isa isa = can_run(Isa::kAvx2) ? Isa::kAvx2 : Isa::kPortable;
  for (const Accuracy& a : kAccuracy) {
    double worst = 0;
    float worst_x = 0;
    const UnaryKernel k = unary_kernel(isa, a.op, DType::kFloat32);
    float x[512], y[512];
    for (uint64_t bits = 0; bits < (1ull << 32);) {
      int64_t n = 0;
      for (; n < 512 && bits < (1ull << 32); bits += step) {
        float v = f32_from_bits(static_cast<uint32_t>(bits));
        if (v >= a.low && v <= a.high) x[n++] = v;
      }
      k.run(x, y, n);
      for (int64_t i = 0; i < n; ++i) {
        const double u = ulps(y[i], a.reference(x[i]));
        if (u > worst) worst = u, worst_x = x[i];
      }
    }
    if (std::getenv("SAMPAN_VERBOSE"))
      std::printf("%-10s %.3f ULP at %a\n", a.name, worst, worst_x);
    CHECK(worst <= a.limit, "%s: %.3f ULP at %a, allowed %.1f", a.name, worst, worst_x, a.limit);
    const float edges[] = {0.0f, -0.0f, INFINITY,  -INFINITY,           NAN,
                           1.0f, -1.0f, 0x1p-149f, kAll > 0 ? 3e38f : 0};
    for (float e : edges) {
      float got;
      k.run(&e, &got, 1);
      const float want = static_cast<float>(a.reference(e));
      CHECK(ulps(got, want) <= a.limit + 0.5, "%s(%a) = %a, expected %a", a.name, e, got, want);
    }
  }
}

void test_binary_same_bits() {
  Random random(2);
  for (int o = 0; o < kBinaryCount; ++o) {
    const BinaryOp op = static_cast<BinaryOp>(o);
    const BinaryKernel portable = binary_kernel(Isa::kPortable, op, DType::kFloat32);
    if (!portable) continue;
    for (int round = 0; round < 200; ++round) {
      const int64_t n = random.integer(1, 67);
      const int64_t sa = random.integer(0, 3) != 0, sb = random.integer(0, 3) != 0;
      Guarded<float> a(sa ? n : 1), b(sb ? n : 1), want(n), got(n);
      for (int64_t i = 0; i < a.size(); ++i)
        a[i] = round % 2 ? random.any_float() : random.uniform(-9, 9);
      for (int64_t i = 0; i < b.size(); ++i)
        b[i] = round % 2 ? random.any_float() : random.uniform(-9, 9);
      portable.run(a.data(), sa, b.data(), sb, want.data(), n);
      for (Isa isa : kFastIsas) {
        if (!can_run(isa)) continue;
        binary_kernel(isa, op, DType::kFloat32).run(a.data(), sa, b.data(), sb, got.data(), n);
        const bool equal = portable.output == DType::kBool
                               ? std::memcmp(want.data(), got.data(), n) == 0
                               : first_difference(want.data(), got.data(), n) < 0;
        CHECK(equal, "binary %d on %s, n = %d", o, isa_name(isa), static_cast<int>(n));
      }
      // Meaning, with double as the judge.
      for (int64_t i = 0; i < n && portable.output != DType::kBool && !flushing(); ++i) {
        const double x = a[i * sa], y = b[i * sb];
        double e = 0;
        switch (op) {
          case BinaryOp::kAdd:
            e = x + y;
            break;
          case BinaryOp::kSub:
            e = x - y;
            break;
          case BinaryOp::kMul:
            e = x * y;
            break;
          case BinaryOp::kDiv:
            e = x / y;
            break;
          case BinaryOp::kMin:
            e = x != x || y != y ? NAN : std::fmin(x, y);
            break;
          case BinaryOp::kMax:
            e = x != x || y != y ? NAN : std::fmax(x, y);
            break;
          case BinaryOp::kPow:
            e = std::pow(x, y);
            break;
          case BinaryOp::kFmod:
            e = std::fmod(x, y);
            break;
          case BinaryOp::kPrelu:
            e = x < 0 ? x * y : x;
            break;
          case BinaryOp::kAtan2:
            e = std::atan2(x, y);
            break;
          default:
            continue;
        }
        CHECK(ulps(want[i], e) <= 0.51, "binary %d(%a, %a) = %a, expected %a", o, x, y, want[i], e);
      }
    }
  }
}

template <class T>
T run_int(BinaryOp op, DType t, T a, T b) {
  T y = 99;
  const BinaryKernel k = binary_kernel(Isa::kPortable, op, t);
  CHECK(static_cast<bool>(k), "binary %d has no kernel of type %d", static_cast<int>(op),
        static_cast<int>(t));
  k.run(&a, 1, &b, 1, &y, 1);
  return y;
}

// All pairs of int8 and uint8 against 32-bit arithmetic.
template <class T>
void test_bytes(DType t) {
  const int low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  for (int x = low; x <= high; x += 3)
    for (int y = low; y <= high; ++y) {
      const T a = static_cast<T>(x), b = static_cast<T>(y);
      CHECK(run_int(BinaryOp::kAdd, t, a, b) == static_cast<T>(x + y), "%d + %d", x, y);
      CHECK(run_int(BinaryOp::kSub, t, a, b) == static_cast<T>(x - y), "%d - %d", x, y);
      CHECK(run_int(BinaryOp::kMul, t, a, b) == static_cast<T>(x * y), "%d * %d", x, y);
      const int q = y == 0 ? 0 : x / y, r = y == 0 ? 0 : x % y;
      CHECK(run_int(BinaryOp::kDiv, t, a, b) == static_cast<T>(q), "%d / %d", x, y);
      CHECK(run_int(BinaryOp::kFmod, t, a, b) == static_cast<T>(r), "%d rem %d", x, y);
      const int m = r != 0 && (r < 0) != (y < 0) ? r + y : r;
      CHECK(run_int(BinaryOp::kMod, t, a, b) == static_cast<T>(m), "%d mod %d", x, y);
      CHECK(run_int(BinaryOp::kMax, t, a, b) == static_cast<T>(x > y ? x : y), "max %d %d", x, y);
      CHECK(run_int(BinaryOp::kBitwiseXor, t, a, b) == static_cast<T>(x ^ y), "%d xor %d", x, y);
      if (t == DType::kUInt8) {
        CHECK(run_int(BinaryOp::kShiftLeft, t, a, b) == static_cast<T>(y < 8 ? x << y : 0),
              "%d << %d", x, y);
        CHECK(run_int(BinaryOp::kShiftRight, t, a, b) == static_cast<T>(y < 8 ? x >> y : 0),
              "%d >> %d", x, y);
      }
      const BinaryKernel less = binary_kernel(Isa::kPortable, BinaryOp::kLess, t);
      uint8_t is_less = 9;
      less.run(&a, 1, &b, 1, &is_less, 1);
      CHECK(less.output == DType::kBool && is_less == (x < y), "%d < %d", x, y);
    }
}

void test_wide_ints() {
  const int64_t low = INT64_MIN;
  const DType t = DType::kInt64;
  CHECK(run_int<int64_t>(BinaryOp::kDiv, t, low, -1) == low, "lowest / -1");
  CHECK(run_int<int64_t>(BinaryOp::kMod, t, low, -1) == 0, "lowest mod -1");
  CHECK(run_int<int64_t>(BinaryOp::kDiv, t, 7, 0) == 0, "7 / 0");
  CHECK(run_int<int64_t>(BinaryOp::kAdd, t, INT64_MAX, 1) == low, "wraps");
  CHECK(run_int<int64_t>(BinaryOp::kPow, t, -3, 5) == -243, "(-3)^5");
  CHECK(run_int<int64_t>(BinaryOp::kPow, t, -1, -3) == -1, "(-1)^-3");
  CHECK(run_int<int64_t>(BinaryOp::kPow, t, 2, -1) == 0, "2^-1");
  CHECK(run_int<int32_t>(BinaryOp::kMul, DType::kInt32, 1 << 20, 1 << 20) == 0, "wraps");
  CHECK(run_int<uint64_t>(BinaryOp::kShiftLeft, DType::kUInt64, 3, 64) == 0, "shift by the width");
  CHECK(run_int<uint64_t>(BinaryOp::kMax, DType::kUInt64, 1, ~0ull) == ~0ull, "unsigned order");
  CHECK(run_int<uint32_t>(BinaryOp::kShiftLeft, DType::kUInt32, 1, 31) == 1u << 31, "bit 31");
  int8_t x = -128, y = 0;
  unary_kernel(Isa::kPortable, UnaryOp::kAbs, DType::kInt8).run(&x, &y, 1);
  CHECK(y == -128, "abs(-128) wraps, got %d", y);
}

void test_broadcast() {
  Random random(5);
  for (int round = 0; round < 400; ++round) {
    const int rank = static_cast<int>(random.integer(0, 5));
    int64_t out[8], shape[3][8];
    int ranks[3];
    const int64_t* shapes[3];
    for (int d = 0; d < rank; ++d) out[d] = random.integer(1, 5);
    for (int i = 0; i < 3; ++i) {
      ranks[i] = i == 0 ? rank : static_cast<int>(random.integer(0, rank));
      shapes[i] = shape[i];
      for (int d = 0; d < ranks[i]; ++d) {
        const int64_t full = out[rank - ranks[i] + d];
        shape[i][d] = i > 0 && random.integer(0, 2) == 0 ? 1 : full;
      }
    }
    BroadcastPlan plan;
    CHECK(make_broadcast_plan(3, shapes, ranks, &plan), "round %d", round);
    int64_t total = 1;
    for (int d = 0; d < rank; ++d) total *= out[d];
    CHECK(plan.total == total, "round %d", round);
    auto elements = [&](int i) {
      int64_t n = 1;
      for (int d = 0; d < ranks[i]; ++d) n *= shape[i][d];
      return n;
    };
    Guarded<uint8_t> condition(elements(0));
    Guarded<float> a(elements(1)), b(elements(2)), y(total), sum(total);
    random.fill<uint8_t>(condition.data(), condition.size(), 0, 1);
    random.fill<float>(a.data(), a.size(), -1, 1);
    random.fill<float>(b.data(), b.size(), -1, 1);
    const int64_t cut = random.integer(0, total), cut2 = random.integer(cut, total);
    const int64_t cuts[] = {0, cut, cut2, total};
    BroadcastPlan two;
    CHECK(make_broadcast_plan(2, shapes + 1, ranks + 1, &two), "round %d", round);
    const BinaryKernel add = binary_kernel(Isa::kAvx2, BinaryOp::kAdd, DType::kFloat32);
    for (int c = 0; c < 3; ++c)
      run_select(plan, 4, condition.data(), a.data(), b.data(), y.data(), cuts[c], cuts[c + 1]);
    run_binary(add, two, a.data(), b.data(), sum.data(), 0, two.total);
    // Index arithmetic.
    auto at = [&](int i, int64_t flat, int out_rank, const int64_t* dims) {
      int64_t offset = 0, stride = 1;
      for (int back = 0; back < out_rank; ++back) {
        const int64_t k = flat % dims[out_rank - 1 - back];
        flat /= dims[out_rank - 1 - back];
        if (back < ranks[i]) {
          const int64_t dim = shape[i][ranks[i] - 1 - back];
          offset += (dim == 1 ? 0 : k) * stride;
          stride *= dim;
        }
      }
      return offset;
    };
    for (int64_t f = 0; f < total; ++f) {
      const float want =
          condition[at(0, f, rank, out)] ? a[at(1, f, rank, out)] : b[at(2, f, rank, out)];
      CHECK(y[f] == want, "select, round %d, element %d", round, static_cast<int>(f));
    }
    int64_t dims2[8];
    const int rank2 = ranks[1] > ranks[2] ? ranks[1] : ranks[2];
    for (int back = 0; back < rank2; ++back) {
      const int64_t p = back < ranks[1] ? shape[1][ranks[1] - 1 - back] : 1;
      const int64_t q = back < ranks[2] ? shape[2][ranks[2] - 1 - back] : 1;
      dims2[rank2 - 1 - back] = p > q ? p : q;
    }
    for (int64_t f = 0; f < two.total; ++f)
      CHECK(sum[f] == a[at(1, f, rank2, dims2)] + b[at(2, f, rank2, dims2)], "add, round %d",
            round);
  }
  int64_t p[] = {2, 3}, q[] = {2, 4};
  const int64_t* bad[] = {p, q};
  int ranks[] = {2, 2};
  BroadcastPlan plan;
  CHECK(!make_broadcast_plan(2, bad, ranks, &plan), "3 and 4 do not broadcast");
}

void test_casts() {
  // All halves, and every float32 near the interesting places, hardware against software.
  for (uint32_t h = 0; h < 65536; ++h) {
    const uint16_t bits = static_cast<uint16_t>(h);
    float want, got;
    cast_fn(Isa::kPortable, DType::kFloat16, DType::kFloat32)(&bits, &want, 1);
    if (can_run(Isa::kAvx2)) {
      cast_fn(Isa::kAvx2, DType::kFloat16, DType::kFloat32)(&bits, &got, 1);
      CHECK(same(want, got), "half %04x: %a, hardware %a", h, want, got);
    }
    CHECK(want != want || f16_from_f32(want) == bits, "half %04x does not come back", h);
    CHECK(want != want || f16_from_f64(want) == bits, "half %04x does not come back", h);
    // Halves plus and minus a little around the middle of the next.
    if (!can_run(Isa::kAvx2) || want != want) continue;
    const float mid = std::fabs(want) * (1.0f + 0x1p-11f);
    for (float f :
         {mid, std::nextafter(mid, 0.0f), std::nextafter(mid, INFINITY), want * 1.0001f}) {
      uint16_t s, t;
      cast_fn(Isa::kPortable, DType::kFloat32, DType::kFloat16)(&f, &s, 1);
      cast_fn(Isa::kAvx2, DType::kFloat32, DType::kFloat16)(&f, &t, 1);
      CHECK(s == t, "%a: %04x, hardware %04x", f, s, t);
    }
  }
  Random random(6);
  for (int i = 0; i < 200000; ++i) {
    const float f = random.any_float();
    if (f != f) continue;
    uint16_t s = f16_from_f32(f), t = s;
    if (can_run(Isa::kAvx2)) cast_fn(Isa::kAvx2, DType::kFloat32, DType::kFloat16)(&f, &t, 1);
    CHECK(s == t, "%a: %04x, hardware %04x", f, s, t);
    const float back = f32_from_bf16(bf16_from_f32(f));
    CHECK(std::isinf(back) || std::fabs(back - f) <= std::ldexp(std::fabs(f), -8) + 1e-40f,
          "%a as bfloat16 is %a", f, back);
    // Double rounding: just above a tie.
    const double tie = 1.0 + 0x1p-11 + 0x1p-40;
    CHECK(f16_from_f64(tie) == 0x3c01, "%04x", f16_from_f64(tie));
  }
  const float floats[] = {NAN,     INFINITY, -INFINITY, 3.9f,  -3.9f, 300.0f,
                          -300.0f, 3e9f,     -3e9f,     1e19f, 2e19f, -0.5f};
  const int8_t i8[] = {0, 127, -128, 3, -3, 127, -128, 127, -128, 127, 127, 0};
  const uint8_t u8[] = {0, 255, 0, 3, 0, 255, 0, 255, 0, 255, 255, 0};
  const int64_t i64[] = {0,    INT64_MAX,  INT64_MIN,   3,         -3,        300,
                         -300, 3000000000, -3000000000, INT64_MAX, INT64_MAX, 0};
  const uint64_t u64[] = {
      0, UINT64_MAX, 0, 3, 0, 300, 0, 3000000000, 0, 9999999980506447872ull, UINT64_MAX, 0};
  for (int i = 0; i < 12; ++i) {
    int8_t a;
    uint8_t b;
    int64_t c;
    uint64_t d;
    uint8_t e;
    cast_fn(Isa::kAvx2, DType::kFloat32, DType::kInt8)(&floats[i], &a, 1);
    cast_fn(Isa::kAvx2, DType::kFloat32, DType::kUInt8)(&floats[i], &b, 1);
    cast_fn(Isa::kAvx2, DType::kFloat32, DType::kInt64)(&floats[i], &c, 1);
    cast_fn(Isa::kAvx2, DType::kFloat32, DType::kUInt64)(&floats[i], &d, 1);
    cast_fn(Isa::kAvx2, DType::kFloat32, DType::kBool)(&floats[i], &e, 1);
    CHECK(a == i8[i] && b == u8[i] && c == i64[i] && d == u64[i] && e == 1, "cast of %g",
          floats[i]);
  }
  for (int f = 1; f < kDTypeCount; ++f)
    for (int t = 1; t < kDTypeCount; ++t) {
      const CastFn there = cast_fn(Isa::kPortable, static_cast<DType>(f), static_cast<DType>(t));
      const CastFn in = cast_fn(Isa::kPortable, DType::kInt32, static_cast<DType>(f));
      const CastFn out = cast_fn(Isa::kPortable, static_cast<DType>(t), DType::kInt32);
      int32_t x[] = {0, 1, 0, 1, 1}, y[5];
      uint64_t u[5], v[5];
      in(x, u, 5);
      there(u, v, 5);
      out(v, y, 5);
      CHECK(std::memcmp(x, y, sizeof(x)) == 0, "cast %d to %d", f, t);
    }
}

// float16 and float64 kernels agree with float32 ones where the values are the same.
void test_other_floats() {
  Random random(7);
  for (int o = 0; o < kUnaryCount; ++o) {
    const UnaryOp op = static_cast<UnaryOp>(o);
    const UnaryKernel k32 = unary_kernel(Isa::kPortable, op, DType::kFloat32, 0.5f, 1.5f);
    const UnaryKernel k16 = unary_kernel(Isa::kPortable, op, DType::kFloat16, 0.5f, 1.5f);
    const UnaryKernel k64 = unary_kernel(Isa::kPortable, op, DType::kFloat64, 0.5f, 1.5f);
    if (!k32 || k32.output == DType::kBool) continue;
    for (int i = 0; i < 600; ++i) {
      const uint16_t h = f16_from_f32(random.uniform(-4, 4));
      const float x = f32_from_f16(h);
      const double xd = x;
      float y;
      double yd;
      uint16_t yh;
      k32.run(&x, &y, 1);
      k16.run(&h, &yh, 1);
      k64.run(&xd, &yd, 1);
      CHECK(y != y || yh == f16_from_f32(y), "unary %d float16", o);
      CHECK(ulps(y, yd) <= 4.0, "unary %d: %a in float32, %a in float64", o, y, yd);
    }
  }
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  test_unary_same_bits();
  test_accuracy();
  test_binary_same_bits();
  test_bytes<int8_t>(sampan::DType::kInt8);
  test_bytes<uint8_t>(sampan::DType::kUInt8);
  test_wide_ints();
  test_broadcast();
  test_casts();
  test_other_floats();
  Flushed flushed;  // once more as in a session
  test_unary_same_bits();
  test_binary_same_bits();
  return finish("elementwise_test");
}
