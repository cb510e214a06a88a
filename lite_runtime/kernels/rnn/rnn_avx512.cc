#include "kernels/rnn/rnn_impl.h"

namespace sampan {

using V = simd::F32x16;
const RnnKernels kRnnAvx512 = {lstm_cell<V>, gru_reset<V>, gru_output<V>, "lstm_cell_f32_avx512",
                               "gru_cell_f32_avx512"};

}  // namespace sampan
