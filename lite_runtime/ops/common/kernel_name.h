// Names of kernels for the profiler: "reduce_sum_f32_avx2".
#pragma once
#include "core/op.h"

namespace sampan {

// From the operator's name, the element type and an instruction set's name; lives as long as the
// plan.
Status name_kernel(PrepareContext& ctx, DType type, const char* isa);

}  // namespace sampan
