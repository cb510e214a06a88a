#include "ops/common/rows.h"

namespace sampan {

Rows rows_of(const Shape& shape, int axis) {
  Rows r;
  for (int i = 0; i < axis; ++i) r.outer *= shape[i];
  if (axis < shape.rank) r.n = shape[axis];
  for (int i = axis + 1; i < shape.rank; ++i) r.inner *= shape[i];
  return r;
}

WideTensors plan_wide(const Tensor& x, const Tensor& y, WorkspacePlan* plan) {
  WideTensors at;
  if (compute_type(y.dtype) == y.dtype) return at;
  at.x = plan->add(x.shape.elements(), 4);
  at.y = plan->add(y.shape.elements(), 4);
  return at;
}

}  // namespace sampan
