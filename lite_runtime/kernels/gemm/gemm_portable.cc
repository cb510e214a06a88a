// The oracle: plain loops, one output element after the other.
#include <cmath>

#include "kernels/gemm/gemm_tile.h"

namespace sampan {
namespace {

float chunked_dot(const float* a, const float* b, int64_t k) {
  float sum = 0.0f;
  for (int64_t k0 = 0; k0 == 0 || k0 < k; k0 += kChunkK) {
    const int64_t end = k - k0 < kChunkK ? k : k0 + kChunkK;
    float acc = 0.0f;
    for (int64_t i = k0; i < end; ++i) acc = std::fma(a[i], b[i * kPanelWidth], acc);
    sum = k0 == 0 ? acc : sum + acc;
  }
  return sum;
}

}  // namespace

void gemm_f32_portable(const GemmF32& g, int64_t m0, int64_t m1, int64_t p0, int64_t p1) {
  const int64_t n0 = p0 * kPanelWidth;
  const int64_t n1 = g.n < p1 * kPanelWidth ? g.n : p1 * kPanelWidth;
  for (int64_t m = m0; m < m1; ++m) {
    const float* a = g.rows != nullptr ? g.rows[m] : g.a + m * g.lda;
    float* c = g.c + m * g.ldc;
    for (int64_t n = n0; n < n1; ++n) {
      const float* b = g.panels + n / kPanelWidth * g.k * kPanelWidth + n % kPanelWidth;
      float v = chunked_dot(a, b, g.k);
      if (g.ep.bias != nullptr) v = v + g.ep.bias[n];
      if (g.ep.residual != nullptr) v = v + g.ep.residual[m * g.ep.residual_stride + n];
      if (g.ep.act == Activation::kClip) {
        v = g.ep.p0 > v ? g.ep.p0 : v;
        v = g.ep.p1 < v ? g.ep.p1 : v;
      }
      c[n] = v;
    }
    apply_act_rows_f32(g.ep, c, g.ldc, 1, n0, n1);
  }
}

void pack_f32_portable(const float* b, int64_t k, int64_t n, int64_t stride_k, int64_t stride_n,
                       int64_t p0, int64_t p1, float* out) {
  for (int64_t p = p0; p < p1; ++p) {
    float* o = out + p * k * kPanelWidth;
    const int64_t n0 = p * kPanelWidth;
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t j = 0; j < kPanelWidth; ++j) {
        o[i * kPanelWidth + j] = n0 + j < n ? b[i * stride_k + (n0 + j) * stride_n] : 0.0f;
      }
    }
  }
}

}  // namespace sampan
