// Reductions: every instruction set against portable, portable against float64, NaN and empty
// rules.
#include "kernels/reduce/reduce.h"

#include <cmath>
#include <vector>

#include "check.h"

namespace sampan::test {
namespace {

double reference(ReduceOp op, const std::vector<double>& v) {
  double sum = 0, prod = 1, high = -INFINITY, low = INFINITY, l1 = 0, squares = 0, e = 0;
  for (double x : v) {
    sum += x;
    prod *= x;
    high = std::fmax(high, x);
    low = std::fmin(low, x);
    l1 += std::fabs(x);
    squares += x * x;
    e += std::exp(x);
  }
  switch (op) {
    case ReduceOp::kSum:
      return sum;
    case ReduceOp::kMean:
      return sum / static_cast<double>(v.size());
    case ReduceOp::kProd:
      return prod;
    case ReduceOp::kMax:
      return high;
    case ReduceOp::kMin:
      return low;
    case ReduceOp::kL1:
      return l1;
    case ReduceOp::kL2:
      return std::sqrt(squares);
    case ReduceOp::kSumSquare:
      return squares;
    case ReduceOp::kLogSum:
      return std::log(sum);
    default:
      return std::log(e);
  }
}

void test_f32() {
  Random random(1);
  for (int round = 0; round < 1500; ++round) {
    const ReduceOp op = static_cast<ReduceOp>(round % kReduceCount);
    ReduceShape s;
    s.outer = random.integer(1, 3);
    s.n = random.integer(round % 7 == 0 ? 0 : 1, 90);
    s.inner = random.integer(0, 1) ? 1 : random.integer(2, 100);
    Guarded<float> x(s.outer * s.n * s.inner), want(s.outer * s.inner), got(s.outer * s.inner);
    random.fill<float>(x.data(), x.size(), 0.5f, 1.5f);
    const bool wild = round % 5 == 0;
    if (wild)
      for (int64_t i = 0; i < x.size(); ++i) x[i] = random.any_float();
    const ReduceRange all{0, s.outer, 0, s.inner};
    reduce_fn(Isa::kPortable, op, DType::kFloat32)(x.data(), want.data(), s, all);
    for (Isa isa : kFastIsas) {
      if (!can_run(isa)) continue;
      std::memset(got.data(), 0x77, static_cast<size_t>(got.size()) * 4);
      const ReduceFn fn = reduce_fn(isa, op, DType::kFloat32);
      const int64_t o = random.integer(0, s.outer), i = random.integer(0, s.inner);
      fn(x.data(), got.data(), s, {0, o, 0, i});
      fn(x.data(), got.data(), s, {0, o, i, s.inner});
      fn(x.data(), got.data(), s, {o, s.outer, 0, s.inner});
      const int64_t bad = first_difference(want.data(), got.data(), got.size());
      CHECK(bad < 0, "op %d on %s, [%d, %d, %d]: %a, portable %a", static_cast<int>(op),
            isa_name(isa), (int)s.outer, (int)s.n, (int)s.inner, got[bad], want[bad]);
    }
    if (wild || s.n == 0) continue;
    for (int64_t k = 0; k < want.size(); ++k) {
      std::vector<double> line;
      for (int64_t j = 0; j < s.n; ++j)
        line.push_back(x[(k / s.inner * s.n + j) * s.inner + k % s.inner]);
      const double e = reference(op, line);
      CHECK(std::fabs(want[k] - e) <= 1e-5 * std::fabs(e) + 1e-6, "op %d: %g, expected %g",
            static_cast<int>(op), want[k], e);
    }
  }
}

template <class T>
T reduce_one(ReduceOp op, DType t, std::vector<T> v) {
  T y = 0;
  const ReduceShape s{1, static_cast<int64_t>(v.size()), 1};
  reduce_fn(Isa::kAvx2, op, t)(v.data(), &y, s, {0, 1, 0, 1});
  return y;
}

void test_rules() {
  const float nan = NAN;
  for (int at = 0; at < 40; ++at) {
    std::vector<float> v(40, 1.0f);
    v[static_cast<size_t>(at)] = nan;
    CHECK(std::isnan(reduce_one<float>(ReduceOp::kMax, DType::kFloat32, v)), "max, NaN at %d", at);
    CHECK(std::isnan(reduce_one<float>(ReduceOp::kMin, DType::kFloat32, v)), "min, NaN at %d", at);
    int64_t y = -1;
    arg_max_fn(DType::kFloat32)(v.data(), &y, {1, 40, 1}, {0, 1, 0, 1}, false);
    CHECK(y == at, "argmax is %d, the NaN is at %d", (int)y, at);
  }
  CHECK(reduce_one<float>(ReduceOp::kSum, DType::kFloat32, {}) == 0, "empty sum");
  CHECK(reduce_one<float>(ReduceOp::kMax, DType::kFloat32, {}) == -INFINITY, "empty max");
  CHECK(std::isnan(reduce_one<float>(ReduceOp::kMean, DType::kFloat32, {})), "empty mean");
  CHECK(reduce_one<int8_t>(ReduceOp::kMax, DType::kInt8, {}) == -128, "empty int8 max");
  CHECK(reduce_one<int8_t>(ReduceOp::kSum, DType::kInt8, {127, 1}) == -128, "int8 sums wrap");
  CHECK(reduce_one<int32_t>(ReduceOp::kMean, DType::kInt32, {-3, -4}) == -3, "truncated mean");
  CHECK(reduce_one<uint8_t>(ReduceOp::kL2, DType::kUInt8, {3, 4}) == 5, "uint8 norm");
  CHECK(
      reduce_one<float>(ReduceOp::kLogSumExp, DType::kFloat32, {-INFINITY, -INFINITY}) == -INFINITY,
      "log sum exp of -inf");
  CHECK(reduce_one<float>(ReduceOp::kLogSumExp, DType::kFloat32, {1000.0f, 1000.0f}) > 1000.6f,
        "log sum exp without overflow");
  const std::vector<int64_t> v = {3, 9, 9, 1, 1};
  int64_t y = -1;
  arg_max_fn(DType::kInt64)(v.data(), &y, {1, 5, 1}, {0, 1, 0, 1}, false);
  CHECK(y == 1, "first of equals, got %d", (int)y);
  arg_max_fn(DType::kInt64)(v.data(), &y, {1, 5, 1}, {0, 1, 0, 1}, true);
  CHECK(y == 2, "last of equals, got %d", (int)y);
  arg_min_fn(DType::kInt64)(v.data(), &y, {1, 5, 1}, {0, 1, 0, 1}, true);
  CHECK(y == 4, "last of equals, got %d", (int)y);
}

void test_cum_sum() {
  const std::vector<int32_t> x = {1, 2, 3, 4, 5, 6};
  const std::vector<int32_t> want[2][2] = {{{1, 2, 4, 6, 9, 12}, {9, 12, 8, 10, 5, 6}},
                                           {{0, 0, 1, 2, 4, 6}, {8, 10, 5, 6, 0, 0}}};
  for (int exclusive = 0; exclusive < 2; ++exclusive)
    for (int reverse = 0; reverse < 2; ++reverse) {
      std::vector<int32_t> y(6);
      cum_sum_fn(DType::kInt32)(x.data(), y.data(), {1, 3, 2}, {0, 1, 0, 2},
                                {exclusive != 0, reverse != 0});
      CHECK(y == want[exclusive][reverse], "exclusive %d, reverse %d", exclusive, reverse);
    }
}

void test_plan() {
  const int64_t dims[] = {2, 3, 1, 4, 5};
  ReducePlan p = make_reduce_plan(5, dims, 1u << 1 | 1u << 3);
  CHECK(!p.permute && p.shape.outer == 2 && p.shape.n == 12 && p.shape.inner == 5, "neighbours");
  p = make_reduce_plan(5, dims, 1u << 0 | 1u << 3);
  CHECK(p.permute && p.shape.outer == 15 && p.shape.n == 8 && p.shape.inner == 1, "apart");
  CHECK(p.perm[0] == 1 && p.perm[1] == 2 && p.perm[2] == 4 && p.perm[3] == 0 && p.perm[4] == 3,
        "order");
  p = make_reduce_plan(5, dims, 0);
  CHECK(!p.permute && p.shape.outer == 120 && p.shape.n == 1 && p.shape.inner == 1, "nothing");
  p = make_reduce_plan(5, dims, 31);
  CHECK(!p.permute && p.shape.outer == 1 && p.shape.n == 120 && p.shape.inner == 1, "all");
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  test_f32();
  test_rules();
  test_cum_sum();
  test_plan();
  Flushed flushed;  // once more as in a session
  test_f32();
  return finish("reduce_test");
}
