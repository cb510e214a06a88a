// Recurrent cells and resizing passes: every instruction set against portable, portable against
// the formulas in double.
#include <cmath>
#include <vector>

#include "check.h"
#include "kernels/math/math.h"
#include "kernels/resize/resize.h"
#include "kernels/rnn/rnn.h"

namespace sampan::test {
namespace {

CellActivation act(Isa isa, Activation a) { return {activation_fn(isa, a), 0.0f, 0.0f}; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double bound(double x, double clip) { return clip > 0 ? std::fmin(clip, std::fmax(-clip, x)) : x; }

void test_lstm() {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const int64_t n = random.integer(1, 40), batch = random.integer(1, 3);
    Guarded<float> gates(batch * 4 * n), cell(batch * n), peephole(3 * n);
    random.fill<float>(gates.data(), gates.size(), -4, 4);
    random.fill<float>(cell.data(), cell.size(), -2, 2);
    random.fill<float>(peephole.data(), 3 * n, -1, 1);
    LstmCellF32 p;
    p.hidden = n;
    if (round % 2) p.peephole = peephole.data();
    if (round % 3 == 0) p.clip = 2.0f;
    p.input_forget = round % 5 == 0;
    auto run = [&](Isa isa, float* c, float* h) {
      Guarded<float> g(gates.size());
      std::memcpy(g.data(), gates.data(), static_cast<size_t>(g.size()) * 4);
      std::memcpy(c, cell.data(), static_cast<size_t>(cell.size()) * 4);
      p.f = act(isa, Activation::kSigmoid);
      p.g = p.h = act(isa, Activation::kTanh);
      rnn_kernels(isa).lstm(p, g.data(), c, h, 0, batch);
    };
    Guarded<float> c(batch * n), h(batch * n), c2(batch * n), h2(batch * n);
    run(Isa::kPortable, c.data(), h.data());
    for (Isa isa : kFastIsas) {
      if (!can_run(isa)) continue;
      run(isa, c2.data(), h2.data());
      CHECK(first_difference(c.data(), c2.data(), c.size()) < 0, "lstm cell on %s", isa_name(isa));
      CHECK(first_difference(h.data(), h2.data(), h.size()) < 0, "lstm output on %s",
            isa_name(isa));
    }
    for (int64_t k = 0; k < batch * n; ++k) {
      const float* g = gates.data() + k / n * 4 * n + k % n;
      auto pp = [&](int i) {
        return p.peephole ? static_cast<double>(peephole[i * n + k % n]) : 0.0;
      };
      const double i = sigmoid(bound(g[0] + pp(0) * cell[k], p.clip));
      const double f = p.input_forget ? 1 - i : sigmoid(bound(g[2 * n] + pp(2) * cell[k], p.clip));
      const double next = f * cell[k] + i * std::tanh(bound(g[3 * n], p.clip));
      const double o = sigmoid(bound(g[n] + pp(1) * next, p.clip));
      CHECK(std::fabs(c[k] - next) < 1e-5, "cell %g, expected %g", c[k], next);
      CHECK(std::fabs(h[k] - o * std::tanh(next)) < 1e-5, "output %g", h[k]);
    }
  }
}

void test_gru() {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    const int64_t n = random.integer(1, 40), batch = random.integer(1, 3);
    Guarded<float> gates(batch * 3 * n), state(batch * n), recurrent(batch * n);
    random.fill<float>(gates.data(), gates.size(), -4, 4);
    random.fill<float>(state.data(), state.size(), -1, 1);
    random.fill<float>(recurrent.data(), recurrent.size(), -2, 2);
    GruCellF32 p;
    p.hidden = n;
    p.linear_before_reset = round % 2 != 0;
    auto run = [&](Isa isa, float* reset, float* y) {
      Guarded<float> g(gates.size()), r(recurrent.size());
      std::memcpy(g.data(), gates.data(), static_cast<size_t>(g.size()) * 4);
      std::memcpy(r.data(), recurrent.data(), static_cast<size_t>(r.size()) * 4);
      p.f = act(isa, Activation::kSigmoid);
      p.g = act(isa, Activation::kTanh);
      std::memset(reset, 0, static_cast<size_t>(batch * n) * 4);
      rnn_kernels(isa).gru_reset(p, g.data(), state.data(), reset, 0, batch);
      rnn_kernels(isa).gru_output(p, g.data(), r.data(), state.data(), y, 0, batch);
    };
    Guarded<float> r(batch * n), y(batch * n), r2(batch * n), y2(batch * n);
    run(Isa::kPortable, r.data(), y.data());
    for (Isa isa : kFastIsas) {
      if (!can_run(isa)) continue;
      run(isa, r2.data(), y2.data());
      CHECK(first_difference(r.data(), r2.data(), r.size()) < 0, "gru reset on %s", isa_name(isa));
      CHECK(first_difference(y.data(), y2.data(), y.size()) < 0, "gru output on %s", isa_name(isa));
    }
    for (int64_t k = 0; k < batch * n; ++k) {
      const float* g = gates.data() + k / n * 3 * n + k % n;
      const double z = sigmoid(g[0]), reset = sigmoid(g[n]);
      const double fresh =
          std::tanh(g[2 * n] + (p.linear_before_reset ? reset : 1.0) * recurrent[k]);
      CHECK(std::fabs(y[k] - ((1 - z) * fresh + z * state[k])) < 1e-5, "output %g", y[k]);
      if (!p.linear_before_reset)
        CHECK(std::fabs(r[k] - reset * state[k]) < 1e-6, "reset %g", r[k]);
    }
  }
}

void test_resize() {
  Random random(3);
  for (int round = 0; round < 400; ++round) {
    ResizePassF32 p;
    p.in = random.integer(1, 9);
    p.out = random.integer(1, 9);
    p.inner = random.integer(1, 90);
    p.taps = random.integer(1, 5);
    const int64_t outer = random.integer(1, 3), rows = outer * p.out;
    std::vector<int32_t> index(static_cast<size_t>(p.out * p.taps));
    std::vector<float> weight(index.size());
    random.fill<int32_t>(index.data(), p.out * p.taps, 0, static_cast<int32_t>(p.in - 1));
    random.fill<float>(weight.data(), p.out * p.taps, -1, 1);
    p.index = index.data();
    p.weight = weight.data();
    Guarded<float> x(outer * p.in * p.inner), want(rows * p.inner), got(rows * p.inner);
    random.fill<float>(x.data(), x.size(), -1, 1);
    resize_kernels(Isa::kPortable).pass(p, x.data(), want.data(), 0, rows);
    for (Isa isa : kFastIsas) {
      if (!can_run(isa)) continue;
      const int64_t cut = random.integer(0, rows);
      resize_kernels(isa).pass(p, x.data(), got.data(), 0, cut);
      resize_kernels(isa).pass(p, x.data(), got.data(), cut, rows);
      CHECK(first_difference(want.data(), got.data(), got.size()) < 0, "resize on %s",
            isa_name(isa));
    }
    for (int64_t k = 0; k < want.size(); ++k) {
      const int64_t row = k / p.inner;
      double e = 0;
      for (int64_t t = 0; t < p.taps; ++t) {
        const size_t at = static_cast<size_t>(row % p.out * p.taps + t);
        e += static_cast<double>(weight[at]) *
             x[(row / p.out * p.in + index[at]) * p.inner + k % p.inner];
      }
      CHECK(std::fabs(want[k] - e) < 1e-5, "%g, expected %g", want[k], e);
    }
  }
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  test_lstm();
  test_gru();
  test_resize();
  return finish("rnn_resize_test");
}
