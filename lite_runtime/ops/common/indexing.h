// Checks of indices that come as data.
#pragma once
#include <cinttypes>
#include <cstdint>

#include "ops/common/shape_rules.h"

namespace sampan {

// index in [-size, size) -> [0, size). `position` says which element of the indices it is.
inline Status resolve_index(int64_t index, int64_t size, int64_t position, int64_t* out) {
  SAMPAN_CHECK(index >= -size && index < size, Code::kDataError,
               "index %" PRId64 " (element %" PRId64
               " of the indices) is out of range: the axis has "
               "%" PRId64 " elements",
               index, position, size);
  *out = index < 0 ? index + size : index;
  return Status();
}

// All of an int32 or int64 tensor.
inline Status check_indices(const Tensor& indices, int64_t size) {
  const int64_t n = indices.shape.elements();
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) SAMPAN_TRY(resolve_index(index_at(indices, i), size, i, &at));
  return Status();
}

}  // namespace sampan
