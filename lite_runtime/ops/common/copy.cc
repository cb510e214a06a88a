#include "ops/common/copy.h"

#include <cstring>

namespace sampan {
void row_major_strides(const Shape& shape, int64_t* strides) {
  int64_t stride = 1;
  for (int i = shape.rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape[i];
  }
}

void run_strided_copy(const RunContext& ctx, const StridedCopy& copy, void* dst, const void* src,
                      size_t element_size) {
  const CopyPlan plan = make_copy_plan(copy);
  if (plan.empty || plan.rows == 0) return;
  int64_t bytes = static_cast<int64_t>(element_size);
  for (int i = 0; i < copy.rank; ++i) bytes *= copy.dims[i];
  ctx.parallel_for(plan.rows, grain_for(bytes / plan.rows), [&](int64_t begin, int64_t end, int) {
    run_copy_plan(ctx.isa(), plan, element_size, src, dst, begin, end);
  });
}

void run_copy(const RunContext& ctx, void* dst, const void* src, size_t bytes) {
  if (bytes == 0) return;
  ctx.parallel_for(
      static_cast<int64_t>(bytes), int64_t{256} << 10, [&](int64_t begin, int64_t end, int) {
        std::memcpy(static_cast<char*>(dst) + begin, static_cast<const char*>(src) + begin,
                    static_cast<size_t>(end - begin));
      });
}

void run_fill(const RunContext& ctx, void* dst, const void* element, size_t element_size,
              int64_t count) {
  StridedCopy c;
  c.push(count, 1, 0);
  run_strided_copy(ctx, c, dst, element, element_size);
}

}  // namespace sampan
