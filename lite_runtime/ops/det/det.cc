#include <cmath>

#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {
namespace {

constexpr DTypeSet kTypes = kF32 | dtype_bit(DType::kFloat64);

Status infer(InferContext& ctx) {
  const DimShape& x = ctx.shape(0);
  SAMPAN_RULE(x.rank >= 2 && ctx.math().equal(x[x.rank - 1], x[x.rank - 2]) != Tri::kNo,
              "x must hold square matrices, got shape %s", ShapeText(x).c_str());
  DimShape y = x;
  y.rank -= 2;
  ctx.set_output(0, ctx.dtype(0), y);
  return Status();
}

// Gaussian elimination with row pivots, in double, on a copy.
double determinant(double* a, int64_t n) {
  double result = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t r = k + 1; r < n; ++r)
      if (std::fabs(a[r * n + k]) > std::fabs(a[pivot * n + k])) pivot = r;
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      for (int64_t c = k; c < n; ++c) {
        const double swap = a[k * n + c];
        a[k * n + c] = a[pivot * n + c];
        a[pivot * n + c] = swap;
      }
      result = -result;
    }
    result *= a[k * n + k];
    for (int64_t r = k + 1; r < n; ++r) {
      const double factor = a[r * n + k] / a[k * n + k];
      for (int64_t c = k + 1; c < n; ++c) a[r * n + c] -= factor * a[k * n + c];
    }
  }
  return result;
}

Status prepare(PrepareContext& ctx) {
  const Shape& x = ctx.input(0).shape;
  int64_t bytes = 0;
  SAMPAN_CHECK(checked_mul(x[x.rank - 1] * x[x.rank - 2], 8, &bytes), Code::kLimit,
               "the matrices are too large");
  return ctx.workspace(bytes);
}

Status run(RunContext& ctx) {
  const Tensor& x = ctx.input(0);
  const int64_t n = x.shape[x.shape.rank - 1], count = ctx.output(0).shape.elements();
  double* a = static_cast<double*>(ctx.workspace());
  const bool known = with_type<kTypes>(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t m = 0; m < count; ++m) {
      for (int64_t i = 0; i < n * n; ++i) a[i] = static_cast<double>(x.as<T>()[m * n * n + i]);
      ctx.output(0).as<T>()[m] = static_cast<T>(determinant(a, n));
    }
  });
  return known ? Status() : type_not_built(x.dtype);
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Det, 1)
    .doc("The determinant of each matrix, computed in double precision.")
    .input("x", sampan::kTypes)
    .output("y")
    .infer(sampan::infer)
    .kernel(sampan::prepare, sampan::run);
