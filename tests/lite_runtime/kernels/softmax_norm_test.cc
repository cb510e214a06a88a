// Softmax and normalisation: every instruction set against portable, portable against float64.
#include <cmath>
#include <vector>

#include "check.h"
#include "kernels/norm/norm.h"
#include "kernels/softmax/softmax.h"

namespace sampan::test {
namespace {

void test_softmax() {
  Random random(1);
  for (int round = 0; round < 800; ++round) {
    const int64_t outer = random.integer(1, 3), n = random.integer(1, 80);
    const int64_t inner = round % 2 ? 1 : random.integer(2, 40), lines = outer * inner;
    const bool log = round % 3 == 0, wild = round % 11 == 0;
    Guarded<float> x(lines * n), want(lines * n), got(lines * n);
    random.fill<float>(x.data(), x.size(), -20, 20);
    for (int64_t i = 0; wild && i < x.size(); ++i)
      x[i] = random.integer(0, 9) ? random.any_float() : -INFINITY;
    const SoftmaxKernels& p = softmax_kernels(Isa::kPortable);
    (log ? p.log_softmax : p.softmax)(x.data(), want.data(), n, inner, 0, lines);
    for (Isa isa : kFastIsas) {
      if (!can_run(isa)) continue;
      const SoftmaxKernels& k = softmax_kernels(isa);
      const int64_t cut = random.integer(0, lines);
      std::memset(got.data(), 0x77, static_cast<size_t>(got.size()) * 4);
      (log ? k.log_softmax : k.softmax)(x.data(), got.data(), n, inner, 0, cut);
      (log ? k.log_softmax : k.softmax)(x.data(), got.data(), n, inner, cut, lines);
      int64_t bad = first_difference(want.data(), got.data(), got.size());
      CHECK(bad < 0, "%s, n %d, inner %d: %a, portable %a", k.softmax_name, (int)n, (int)inner,
            got[bad], want[bad]);
      // In place.
      std::memcpy(got.data(), x.data(), static_cast<size_t>(x.size()) * 4);
      (log ? k.log_softmax : k.softmax)(got.data(), got.data(), n, inner, 0, lines);
      bad = first_difference(want.data(), got.data(), got.size());
      CHECK(bad < 0, "%s in place", k.softmax_name);
    }
    for (int64_t line = 0; line < lines && !wild; ++line) {
      const int64_t at = line / inner * n * inner + line % inner;
      double m = -INFINITY, sum = 0;
      for (int64_t i = 0; i < n; ++i) m = std::fmax(m, x[at + i * inner]);
      for (int64_t i = 0; i < n; ++i) sum += std::exp(x[at + i * inner] - m);
      for (int64_t i = 0; i < n; ++i) {
        const double d = x[at + i * inner] - m, e = log ? d - std::log(sum) : std::exp(d) / sum;
        CHECK(std::fabs(want[at + i * inner] - e) <= 4e-6 * std::fabs(e) + (log ? 2e-6 : 1e-30),
              "%g, expected %g", want[at + i * inner], e);
      }
    }
  }
}

void test_row_norm() {
  Random random(2);
  for (int round = 0; round < 600; ++round) {
    LayerNormF32 p;
    p.n = random.integer(1, 100);
    p.epsilon = 1e-5f;
    const int64_t rows = random.integer(1, 4);
    Guarded<float> x(rows * p.n), want(rows * p.n), got(rows * p.n), scale(p.n), bias(p.n);
    Guarded<float> mean(rows), inverse(rows), mean2(rows), inverse2(rows);
    random.fill<float>(x.data(), x.size(), -3, 5);
    random.fill<float>(scale.data(), p.n, -2, 2);
    random.fill<float>(bias.data(), p.n, -2, 2);
    if (random.integer(0, 2)) p.scale = scale.data();
    if (random.integer(0, 2)) p.bias = bias.data();
    const bool rms = round % 2 != 0;
    auto run = [&](Isa isa, float* y, float* m, float* v, int64_t b, int64_t e) {
      const NormKernels& k = norm_kernels(isa);
      (rms ? k.rms_norm : k.layer_norm)(p, x.data(), y, rms ? nullptr : m, v, b, e);
    };
    run(Isa::kPortable, want.data(), mean.data(), inverse.data(), 0, rows);
    for (Isa isa : kFastIsas) {
      if (!can_run(isa)) continue;
      run(isa, got.data(), mean2.data(), inverse2.data(), 0, rows / 2);
      run(isa, got.data(), mean2.data(), inverse2.data(), rows / 2, rows);
      CHECK(first_difference(want.data(), got.data(), got.size()) < 0, "row norm on %s, n = %d",
            isa_name(isa), (int)p.n);
      CHECK(first_difference(inverse.data(), inverse2.data(), rows) < 0, "inverse");
      CHECK(rms || first_difference(mean.data(), mean2.data(), rows) < 0, "mean");
    }
    for (int64_t r = 0; r < rows; ++r) {
      double m = 0, v = 0;
      for (int64_t i = 0; i < p.n && !rms; ++i) m += x[r * p.n + i] / static_cast<double>(p.n);
      for (int64_t i = 0; i < p.n; ++i)
        v += (x[r * p.n + i] - m) * (x[r * p.n + i] - m) / static_cast<double>(p.n);
      if (v < 0.1) continue;
      for (int64_t i = 0; i < p.n; ++i) {
        double e = (x[r * p.n + i] - m) / std::sqrt(v + 1e-5);
        if (p.scale) e *= scale[i];
        if (p.bias) e += bias[i];
        CHECK(std::fabs(want[r * p.n + i] - e) <= 2e-5, "%g, expected %g", want[r * p.n + i], e);
      }
    }
  }
}

void test_channels() {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const int64_t rows = random.integer(0, 9), channels = random.integer(1, 90);
    Guarded<float> x(rows * channels), want(rows * channels), got(rows * channels);
    Guarded<float> mean(channels), factor(channels), bias(channels), sum(channels), sum2(channels);
    random.fill<float>(x.data(), x.size(), -3, 5);
    random.fill<float>(mean.data(), channels, -1, 1);
    random.fill<float>(factor.data(), channels, -1, 1);
    random.fill<float>(bias.data(), channels, -1, 1);
    const float* m = random.integer(0, 1) ? mean.data() : nullptr;
    const float* b = random.integer(0, 1) ? bias.data() : nullptr;
    const NormKernels& p = norm_kernels(Isa::kPortable);
    p.channel_affine(x.data(), want.data(), rows, channels, m, factor.data(), b);
    std::memset(sum.data(), 0, static_cast<size_t>(channels) * 4);
    p.channel_sum(x.data(), rows, channels, channels, m, sum.data());
    for (int64_t c = 0; c < channels; ++c) {
      double e = 0;
      for (int64_t r = 0; r < rows; ++r) {
        const double d = static_cast<double>(x[r * channels + c]) - (m ? m[c] : 0.0f);
        e += m ? d * d : d;
        const double y = d * factor[c] + (b ? b[c] : 0.0f);
        CHECK(std::fabs(want[r * channels + c] - y) < 1e-5, "affine");
      }
      CHECK(std::fabs(sum[c] - e) < 1e-3, "%g, expected %g", sum[c], e);
    }
    for (Isa isa : kFastIsas) {
      if (!can_run(isa)) continue;
      const NormKernels& k = norm_kernels(isa);
      k.channel_affine(x.data(), got.data(), rows, channels, m, factor.data(), b);
      CHECK(first_difference(want.data(), got.data(), got.size()) < 0, "affine on %s", k.isa);
      std::memset(sum2.data(), 0, static_cast<size_t>(channels) * 4);
      const int64_t half = rows / 2;
      k.channel_sum(x.data(), half, channels, channels, m, sum2.data());
      k.channel_sum(x.data() + half * channels, rows - half, channels, channels, m, sum2.data());
      CHECK(first_difference(sum.data(), sum2.data(), channels) < 0, "channel sums on %s", k.isa);
    }
  }
  const float x[] = {3, 4, 0, 0};
  float y[4];
  lp_normalize_f32(x, y, 2, 1, 2, 1e-12f, 0, 2);
  CHECK(y[0] == 0.6f && y[1] == 0.8f && y[2] == 0 && y[3] == 0, "%g %g %g %g", y[0], y[1], y[2],
        y[3]);
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  test_softmax();
  test_row_norm();
  test_channels();
  Flushed flushed;  // once more as in a session
  test_softmax();
  return finish("softmax_norm_test");
}
