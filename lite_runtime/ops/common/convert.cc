#include "ops/common/convert.h"

namespace sampan {
namespace {

template <class From, class To>
void row(const void* px, void* py, int64_t n) {
  const From* x = static_cast<const From*>(px);
  To* y = static_cast<To*>(py);
  for (int64_t i = 0; i < n; ++i) y[i] = convert<To>(x[i]);
}

}  // namespace

ConvertRow convert_row(DType from, DType to) {
  ConvertRow fn = nullptr;
  with_type<kAnyType>(from, [&](auto f) {
    with_type<kAnyType>(
        to, [&](auto t) { fn = row<typename decltype(f)::type, typename decltype(t)::type>; });
  });
  return fn;
}

}  // namespace sampan
