#include "sampan/tensor.h"

namespace sampan {

const char* dtype_name(DType t) {
  static const char* const names[kDTypeCount] = {
      "invalid", "float32", "float16", "bfloat16", "float64", "int8",   "uint8",
      "int16",   "uint16",  "int32",   "uint32",   "int64",   "uint64", "bool"};
  const int i = static_cast<int>(t);
  return i < kDTypeCount ? names[i] : "invalid";
}

}  // namespace sampan
