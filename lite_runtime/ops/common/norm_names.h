// Names of normalisation kernels for the profiler.
#pragma once
#include "kernels/norm/norm.h"

namespace sampan {

// "<prefix>_<isa>" of the kernels that norm_kernels gives.
#define SAMPAN_NORM_NAME(isa, prefix)                                            \
  (&::sampan::norm_kernels(isa) == &::sampan::kNormPortable ? prefix "_portable" \
   : (isa) == ::sampan::Isa::kAvx512                        ? prefix "_avx512"   \
                                                            : prefix "_avx2")

}  // namespace sampan
