// The pointwise part of recurrent cells: everything but the matrix products.
//
// Arrays are [batch, ...] with the hidden units innermost; `hidden` is their number. Gates come as
// the sums x W + h R + biases, gate behind gate within a row. Activations are given as for
// activation_fn; sigmoid and tanh are the usual ones. Products are rounded before they are added.
#pragma once
#include <cstdint>

#include "kernels/activation.h"
#include "kernels/isa.h"

namespace sampan {

struct CellActivation {
  ActivationFn fn = nullptr;
  float p0 = 0.0f, p1 = 0.0f;
};

struct LstmCellF32 {
  int64_t hidden = 0;
  CellActivation f, g, h;           // gates, cell input, cell output
  const float* peephole = nullptr;  // [3, hidden] for i, o, f; or null
  float clip = 0.0f;                // gates' sums are limited to [-clip, clip]; 0: no limit
  bool input_forget = false;        // f = 1 - i
};

// gates: [batch, 4, hidden] in the order i, o, f, c; overwritten. For rows [begin, end):
//   i = f(i + Pi c), f = f(f + Pf c), c' = f c + i g(c~), o = f(o + Po c'), h' = o h(c')
// cell (in and out) and output: [batch, hidden].
using LstmCellF32Fn = void (*)(const LstmCellF32& p, float* gates, float* cell, float* output,
                               int64_t begin, int64_t end);

struct GruCellF32 {
  int64_t hidden = 0;
  CellActivation f, g;
  float clip = 0.0f;
  bool linear_before_reset = false;
};

// Step 1: z = f(z), r = f(r) in place in gates ([batch, 3, hidden], order z, r, h), and unless
// linear_before_reset, reset = r * state ([batch, hidden]), which goes into the product with R_h.
using GruResetF32Fn = void (*)(const GruCellF32& p, float* gates, const float* state, float* reset,
                               int64_t begin, int64_t end);
// Step 2: h~ = g(gates_h + recurrent) or with linear_before_reset g(gates_h + r * recurrent), where
// recurrent ([batch, hidden], overwritten) is what step 1's operand gave, biases included;
// output = (1 - z) h~ + z state. output may be state.
using GruOutputF32Fn = void (*)(const GruCellF32& p, const float* gates, float* recurrent,
                                const float* state, float* output, int64_t begin, int64_t end);

struct RnnKernels {
  LstmCellF32Fn lstm;
  GruResetF32Fn gru_reset;
  GruOutputF32Fn gru_output;
  const char *lstm_name, *gru_name;
};
// A plain recurrent cell is activation_fn over the sums.
const RnnKernels& rnn_kernels(Isa isa);
extern const RnnKernels kRnnPortable, kRnnAvx2, kRnnAvx512;

}  // namespace sampan
