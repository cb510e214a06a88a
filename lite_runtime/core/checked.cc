#include "core/checked.h"

namespace sampan {

Status check_shape(const Shape& shape, DType dtype, const char* what) {
  const int64_t element = static_cast<int64_t>(dtype_size(dtype));
  SAMPAN_CHECK(element > 0, Code::kBadModel, "%s: unknown element type %d", what,
               static_cast<int>(dtype));
  SAMPAN_CHECK(shape.rank >= 0 && shape.rank <= kMaxRank, Code::kBadModel,
               "%s: rank %d; at most %d is supported", what, static_cast<int>(shape.rank),
               kMaxRank);
  // The product without the zeros is checked, too: kernels multiply in other orders.
  int64_t bytes = element;
  for (int i = 0; i < shape.rank; ++i) {
    SAMPAN_CHECK(shape.dims[i] >= 0, Code::kBadModel, "%s: dimension %d is %lld", what, i,
                 static_cast<long long>(shape.dims[i]));
    if (shape.dims[i] == 0) continue;
    SAMPAN_CHECK(checked_mul(bytes, shape.dims[i], &bytes) && bytes <= kMaxTensorBytes,
                 Code::kLimit, "%s: the tensor would have more than %lld bytes", what,
                 static_cast<long long>(kMaxTensorBytes));
  }
  return Status();
}

}  // namespace sampan
