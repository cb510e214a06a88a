// Matrix product in float32: C[M, N] = epilogue(A[M, K] * B[K, N]).
//
// Order of every sum, on every instruction set: k is cut into chunks of 1024, each chunk is one
// chain acc = fma(a, b, acc) from +0 in ascending k, chunk sums are added in ascending order. Any
// split of the output into rectangles gives the same bits.
//
// B lies in canonical panels [ceil(N / 16)][K][16], the last one padded with zeros to 16 columns.
#pragma once
#include <cstdint>

#include "kernels/activation.h"
#include "kernels/isa.h"

namespace sampan {

constexpr int64_t kPanelWidth = 16;
constexpr int64_t kChunkK = 1024;

inline int64_t panels_f32_count(int64_t n) { return (n + kPanelWidth - 1) / kPanelWidth; }

// Floats that the panels of a K x N matrix take. The caller has checked that this fits.
inline int64_t panels_f32_size(int64_t k, int64_t n) {
  return panels_f32_count(n) * kPanelWidth * k;
}

struct GemmF32 {
  const float* a = nullptr;  // row m starts at a + m * lda and holds k floats
  int64_t lda = 0;
  const float* const* rows = nullptr;  // if given, row m starts at rows[m] instead
  const float* panels = nullptr;
  float* c = nullptr;  // row m starts at c + m * ldc
  int64_t ldc = 0;
  int64_t n = 0;
  int64_t k = 0;  // may be 0: the sum is +0 then
  EpilogueF32 ep;
};

struct GemmF32Kernels {
  const char* name;
  Isa isa;
  int mr, nr;  // the main tile: splitting the work at multiples of it wastes least
  // Rows m0..m1 of the panels p0..p1 (columns 16 * p0 up to min(n, 16 * p1)).
  void (*run)(const GemmF32& g, int64_t m0, int64_t m1, int64_t p0, int64_t p1);
  // Panels p0..p1 of the k x n matrix with element (i, j) at b[i * stride_k + j * stride_n]; `out`
  // is where panel 0 goes. Transposed matrices are handed over by their strides.
  void (*pack)(const float* b, int64_t k, int64_t n, int64_t stride_k, int64_t stride_n, int64_t p0,
               int64_t p1, float* out);
};

// The best kernels this build has whose instruction set is at most `isa`.
const GemmF32Kernels& gemm_f32_kernels(Isa isa);

// All panels, in plain loops.
void pack_panels_f32(const float* b, int64_t k, int64_t n, int64_t stride_k, int64_t stride_n,
                     float* out);

}  // namespace sampan
