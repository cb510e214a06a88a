#include "kernels/rnn/rnn_impl.h"

namespace sampan {

using V = simd::F32x1;
const RnnKernels kRnnPortable = {lstm_cell<V>, gru_reset<V>, gru_output<V>,
                                 "lstm_cell_f32_portable", "gru_cell_f32_portable"};

const RnnKernels& rnn_kernels(Isa isa) {
#if SAMPAN_X86
  if (isa == Isa::kAvx512) return kRnnAvx512;
  if (isa == Isa::kAvx2) return kRnnAvx2;
#endif
  (void)isa;
  return kRnnPortable;
}

}  // namespace sampan
