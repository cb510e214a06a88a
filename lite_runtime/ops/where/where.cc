#include "ops/common/binary.h"

namespace sampan {
namespace {

// The strides of an input as seen from the output's shape: 0 where it is repeated.
void strides_in(const Shape& y, const Shape& x, int64_t* out) {
  int64_t own[kMaxRank];
  row_major_strides(x, own);
  for (int i = 0; i < y.rank; ++i) {
    const int from = i - (y.rank - x.rank);
    out[i] = from < 0 || x[from] == 1 ? 0 : own[from];
  }
}

void set_values(InferContext& ctx, const DimShape& y) {
  int n = 0;
  if (!can_set_values(ctx, ctx.dtype(1), y, &n)) return;
  Values v[3];
  int64_t strides[3][kMaxRank];
  const Shape shape = y.concrete();
  for (int k = 0; k < 3; ++k) {
    v[k] = values_of(ctx, k);
    if (!v[k].known) return;
    strides_in(shape, ctx.shape(k).concrete(), strides[k]);
  }
  Dim out[InferContext::kMaxValues];
  for (int i = 0; i < n; ++i) {
    int64_t at[3] = {}, rest = i;
    for (int d = shape.rank - 1; d >= 0; --d) {
      for (int k = 0; k < 3; ++k) at[k] += rest % shape[d] * strides[k][d];
      rest /= shape[d];
    }
    const Dim condition = v[0][static_cast<int>(at[0])];
    if (!condition.known()) return;
    out[i] = condition.value ? v[1][static_cast<int>(at[1])] : v[2][static_cast<int>(at[2])];
  }
  ctx.set_output_values(0, out, n);
}

Status infer(InferContext& ctx) {
  DimShape y;
  SAMPAN_TRY(broadcast_shapes(ctx, ctx.shape(0), ctx.shape(1), &y));
  SAMPAN_TRY(broadcast_shapes(ctx, y, ctx.shape(2), &y));
  ctx.set_output(0, ctx.dtype(1), y);
  set_values(ctx, y);
  return Status();
}

Status run(RunContext& ctx) {
  if (ctx.output(0).shape.elements() == 0) return Status();
  Tensor& y = ctx.output(0);
  const Shape& s = y.shape;
  const size_t size = dtype_size(y.dtype);
  int64_t strides[3][kMaxRank];
  for (int k = 0; k < 3; ++k) strides_in(s, ctx.input(k).shape, strides[k]);
  // Joins inner dimensions while all three tensors are walked by one stride.
  int inner = s.rank - 1;
  int64_t n = s.rank ? s[inner] : 1;
  while (inner > 0) {
    bool join = true;
    for (int k = 0; k < 3; ++k) join = join && strides[k][inner - 1] == strides[k][inner] * n;
    if (!join) break;
    // The joined dimension keeps the inner stride.
    for (int k = 0; k < 3; ++k) strides[k][inner - 1] = strides[k][inner];
    --inner;
    n *= s[inner];
  }
  int64_t rows = 1;
  for (int i = 0; i < inner; ++i) rows *= s[i];
  int64_t step[3] = {};
  for (int k = 0; k < 3 && s.rank; ++k) step[k] = strides[k][inner];
  ctx.parallel_for(rows, grain_for(n * static_cast<int64_t>(size)),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t r = begin; r < end; ++r) {
                       int64_t at[3] = {}, rest = r;
                       for (int d = inner - 1; d >= 0; --d) {
                         for (int k = 0; k < 3; ++k) at[k] += rest % s[d] * strides[k][d];
                         rest /= s[d];
                       }
                       const auto bytes = [size](int64_t elements) {
                         return static_cast<size_t>(elements) * size;
                       };
                       select_elements(size, ctx.input(0).as<uint8_t>() + at[0], step[0],
                                       ctx.input(1).as<char>() + bytes(at[1]), step[1],
                                       ctx.input(2).as<char>() + bytes(at[2]), step[2],
                                       y.as<char>() + bytes(r * n), n);
                     }
                   });
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(Where, 1)
    .doc("x where the condition holds, y elsewhere, with broadcasting.")
    .input("condition", sampan::kBool)
    .input("x", sampan::kAnyType)
    .input("y", sampan::kAnyType, 0, 1)
    .output("z")
    .infer(sampan::infer)
    .kernel(sampan::run);
