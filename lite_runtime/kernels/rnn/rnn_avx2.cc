#include "kernels/rnn/rnn_impl.h"

namespace sampan {

using V = simd::F32x8;
const RnnKernels kRnnAvx2 = {lstm_cell<V>, gru_reset<V>, gru_output<V>, "lstm_cell_f32_avx2",
                             "gru_cell_f32_avx2"};

}  // namespace sampan
