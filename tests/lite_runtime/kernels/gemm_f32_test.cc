// Every float32 matrix kernel gives the bits of the plain loops, within guard pages, for any split.
#include "check.h"
#include "epilogues.h"
#include "kernels/gemm/gemm.h"

using namespace sampan;
using namespace sampan::test;

namespace {

int64_t pick_k(Random& r) {
  switch (r.integer(0, 5)) {
    case 0:
      return r.integer(0, 8);
    case 1:
      return r.integer(1020, 1030);
    case 2:
      return r.integer(2044, 2052);
    case 3:
      return r.integer(1, 3000);
    default:
      return r.integer(1, 200);
  }
}

void one_shape(Random& r, int round) {
  const int64_t m = r.integer(1, coin(r) ? 8 : 70), n = r.integer(1, coin(r) ? 40 : 200),
                k = pick_k(r);
  const int64_t lda = k + r.integer(0, 5), ldc = n + r.integer(0, 5), ldr = n + r.integer(0, 5);
  const auto end = side(r);
  Guarded<float> a((m - 1) * lda + k, end), b(k * n, end), bias(n, end);
  Guarded<float> residual((m - 1) * ldr + n, end), panels(panels_f32_size(k, n), end);
  r.fill(a.data(), a.size(), -1.0f, 1.0f);
  r.fill(b.data(), b.size(), -1.0f, 1.0f);
  r.fill(bias.data(), bias.size(), -1.0f, 1.0f);
  r.fill(residual.data(), residual.size(), -1.0f, 1.0f);
  sprinkle(r, a);
  sprinkle(r, bias);
  pack_panels_f32(b.data(), k, n, n, 1, panels.data());

  GemmF32 g;
  g.a = a.data();
  g.lda = lda;
  g.panels = panels.data();
  g.ldc = ldc;
  g.n = n;
  g.k = k;
  g.ep = random_epilogue(r, bias.data(), residual.data(), ldr);
  const int64_t size = (m - 1) * ldc + n, count = panels_f32_count(n);
  Guarded<float> want(size, end), got(size, end);
  Guarded<const float*> rows(m);
  for (int64_t i = 0; i < m; ++i) rows[i] = a.data() + i * lda;
  g.c = want.data();
  gemm_f32_kernels(Isa::kPortable).run(g, 0, m, 0, count);

  for (Isa isa : kFastIsas) {
    if (!can_run(isa)) continue;
    const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
    CHECK(kernels.isa == isa, "%s", kernels.name);
    g.c = got.data();
    const auto report = [&](const char* how) {
      const int64_t at = first_difference(want.data(), got.data(), size);
      CHECK(at < 0, "%s %s round %d m %lld n %lld k %lld: row %lld column %lld: %.9g and not %.9g",
            kernels.name, how, round, (long long)m, (long long)n, (long long)k,
            (long long)(at / ldc), (long long)(at % ldc), got[at], want[at]);
      spoil(got);
    };
    kernels.run(g, 0, m, 0, count);
    report("whole");
    const int64_t ms = r.integer(0, m), ps = r.integer(0, count);
    kernels.run(g, ms, m, ps, count);
    kernels.run(g, 0, ms, ps, count);
    kernels.run(g, 0, m, 0, ps);
    report("split");
    GemmF32 by_rows = g;
    by_rows.a = nullptr;
    by_rows.rows = rows.data();
    kernels.run(by_rows, 0, m, 0, count);
    report("row pointers");
    if (g.ep.residual != nullptr && ldr == ldc) {
      std::memcpy(got.data(), residual.data(), static_cast<size_t>(got.size()) * 4);
      by_rows.ep.residual = got.data();
      kernels.run(by_rows, 0, m, 0, count);
      for (int64_t i = 0; i < m * ldc && i < size; ++i) {
        if (i % ldc >= n) got[i] = want[i];  // between the rows lie the residual's own values
      }
      report("in place");
    }
  }
}

void packing(Random& r) {
  const int64_t k = r.integer(1, 70), n = r.integer(1, 70), ld = r.integer(0, 3);
  const bool transposed = coin(r);
  const int64_t sk = transposed ? 1 : n + ld, sn = transposed ? k + ld : 1;
  Guarded<float> b((k - 1) * sk + (n - 1) * sn + 1);
  Guarded<float> want(panels_f32_size(k, n)), got(panels_f32_size(k, n));
  r.fill(b.data(), b.size(), -1.0f, 1.0f);
  pack_panels_f32(b.data(), k, n, sk, sn, want.data());
  const int64_t i = r.integer(0, k - 1), j = r.integer(0, n - 1);
  CHECK(want[(j / 16 * k + i) * 16 + j % 16] == b[i * sk + j * sn], "panel order");
  for (Isa isa : kFastIsas) {
    if (!can_run(isa)) continue;
    const int64_t count = panels_f32_count(n), split = r.integer(0, count);
    gemm_f32_kernels(isa).pack(b.data(), k, n, sk, sn, split, count, got.data());
    gemm_f32_kernels(isa).pack(b.data(), k, n, sk, sn, 0, split, got.data());
    CHECK(first_difference(want.data(), got.data(), want.size()) < 0, "packing %lld x %lld, %d",
          (long long)k, (long long)n, transposed);
  }
}

// The plain loops themselves, against float64.
void portable_is_right(Random& r) {
  const int64_t m = r.integer(1, 9), n = r.integer(1, 40), k = r.integer(1, 2500);
  Guarded<float> a(m * k), b(k * n), bias(n), panels(panels_f32_size(k, n)), c(m * n);
  r.fill(a.data(), a.size(), -1.0f, 1.0f);
  r.fill(b.data(), b.size(), -1.0f, 1.0f);
  r.fill(bias.data(), bias.size(), -1.0f, 1.0f);
  pack_panels_f32(b.data(), k, n, n, 1, panels.data());
  GemmF32 g;
  g.a = a.data();
  g.lda = k;
  g.panels = panels.data();
  g.c = c.data();
  g.ldc = g.n = n;
  g.k = k;
  g.ep.bias = bias.data();
  gemm_f32_kernels(Isa::kPortable).run(g, 0, m, 0, panels_f32_count(n));
  for (int64_t i = 0; i < m * n; ++i) {
    double sum = 0, size = 0;
    for (int64_t j = 0; j < k; ++j) {
      const double p = double(a[i / n * k + j]) * b[j * n + i % n];
      sum += p;
      size += std::fabs(p);
    }
    sum += bias[i % n];
    // A chain of 1024 roundings and the sum of three chunks.
    CHECK(std::fabs(c[i] - sum) <= (1030 * size + 1) * 0x1p-24, "%.9g for %.17g", c[i], sum);
  }
}

}  // namespace

int main() {
  Random r(1);
  for (int i = 0; i < 600; ++i) one_shape(r, i);
  for (int i = 0; i < 300; ++i) packing(r);
  for (int i = 0; i < 20; ++i) portable_is_right(r);
  return finish("gemm_f32");
}
