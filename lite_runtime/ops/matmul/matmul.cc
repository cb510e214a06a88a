#include <cinttypes>

#include "kernels/gemm/gemm.h"
#include "ops/common/conv_common.h"
#include "ops/common/epilogue.h"
#include "ops/common/grid.h"
#include "ops/common/shape_rules.h"
#include "ops/common/spatial.h"

namespace sampan {
namespace {

enum { kA, kB, kBias, kResidual };
enum { kTransposeA, kTransposeB, kAlpha, kAct, kActAlpha, kActBeta };

constexpr DTypeSet kTypes =
    kFloats | kIndices | dtype_bit(DType::kUInt32) | dtype_bit(DType::kUInt64);

// ---- shapes --------------------------------------------------------------------------------

Status check_operand(const DimShape& s, bool transposed, const char* name) {
  SAMPAN_RULE(s.rank >= 1, "%s is a scalar: a matrix product needs vectors or matrices", name);
  SAMPAN_RULE(s.rank >= 2 || !transposed,
              "%s is a vector, which cannot be transposed: set "
              "transpose_%s to false",
              name, name);
  return Status();
}

Status infer(InferContext& ctx) {
  const DimShape &a = ctx.shape(kA), &b = ctx.shape(kB);
  const bool ta = ctx.attr_bool(kTransposeA), tb = ctx.attr_bool(kTransposeB);
  SAMPAN_TRY(check_operand(a, ta, "a"));
  SAMPAN_TRY(check_operand(b, tb, "b"));
  SAMPAN_TRY(check_activation(ctx, kAct, ctx.dtype(kA)));
  SAMPAN_RULE(in_set(kFloats, ctx.dtype(kA)) || ctx.attr_float(kAlpha) == 1.0f,
              "alpha is for floating point only: it is %g, the elements are %s",
              static_cast<double>(ctx.attr_float(kAlpha)), dtype_name(ctx.dtype(kA)));
  DimMath& math = ctx.math();
  const Dim ka = a[ta ? a.rank - 2 : a.rank - 1];
  const Dim kb = b[b.rank == 1 || tb ? b.rank - 1 : b.rank - 2];
  SAMPAN_RULE(math.equal(ka, kb) != Tri::kNo,
              "a %s and b %s do not fit: a has %" PRId64
              " elements along the summed axis, b %" PRId64,
              ShapeText(a).c_str(), ShapeText(b).c_str(), ka.value, kb.value);
  DimShape batch_a = a, batch_b = b, y;
  batch_a.rank = a.rank > 2 ? a.rank - 2 : 0;
  batch_b.rank = b.rank > 2 ? b.rank - 2 : 0;
  SAMPAN_TRY(broadcast_shapes(ctx, batch_a, batch_b, &y));
  const Dim n = b.rank == 1 ? Dim(1) : b[tb ? b.rank - 2 : b.rank - 1];
  if (a.rank > 1) y[y.rank++] = a[ta ? a.rank - 1 : a.rank - 2];
  if (b.rank > 1) y[y.rank++] = n;
  if (ctx.has_input(kBias)) SAMPAN_TRY(check_bias(ctx, kBias, n));
  if (ctx.has_input(kResidual)) SAMPAN_TRY(check_residual(ctx, kResidual, y));
  ctx.set_output(0, ctx.dtype(kA), y);
  return Status();
}

bool panels(const NodeView& node, int input, const Shape& shape, PanelSpec* out) {
  if (input != kB || shape.rank < 2) return false;
  const bool tb = node.attr_bool(kTransposeB);
  const int64_t rows = shape[shape.rank - 2], cols = shape[shape.rank - 1];
  out->groups = 1;
  for (int i = 0; i < shape.rank - 2; ++i) out->groups *= shape[i];
  out->k = tb ? cols : rows;
  out->n = tb ? rows : cols;
  out->stride_group = rows * cols;
  out->stride_k = tb ? 1 : cols;
  out->stride_n = tb ? cols : 1;
  return true;
}

// ---- prepare -------------------------------------------------------------------------------

struct State {
  const GemmF32Kernels* kernels = nullptr;
  int64_t m = 0, n = 0, k = 0;  // of one product
  int batch_rank = 0;
  int64_t batch_dims[kMaxRank] = {}, a_strides[kMaxRank] = {}, b_strides[kMaxRank] = {};
  int64_t batches = 1, a_count = 1, b_count = 1;  // matrices
  int64_t b_stride_k = 0, b_stride_n = 0;
  const float* panels = nullptr;  // ready before the run
  int64_t panel_size = 0;         // of one matrix
  int64_t at_a = 0, at_b = 0, at_bias = 0, at_residual = 0, at_y = 0, at_swapped = 0, at_panels = 0;

  // Matrices of a and b that batch i multiplies.
  void operands(int64_t i, int64_t* a, int64_t* b) const {
    *a = *b = 0;
    for (int d = batch_rank - 1; d >= 0; --d) {
      const int64_t at = i % batch_dims[d];
      *a += at * a_strides[d];
      *b += at * b_strides[d];
      i /= batch_dims[d];
    }
  }
};

void plan_batches(const Shape& a, const Shape& b, State* s) {
  const int ra = a.rank > 2 ? a.rank - 2 : 0, rb = b.rank > 2 ? b.rank - 2 : 0;
  s->batch_rank = ra > rb ? ra : rb;
  for (int d = s->batch_rank - 1; d >= 0; --d) {
    const int ia = d - (s->batch_rank - ra), ib = d - (s->batch_rank - rb);
    const int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    s->batch_dims[d] = da == 1 ? db : da;
    s->a_strides[d] = da == 1 ? 0 : s->a_count;
    s->b_strides[d] = db == 1 ? 0 : s->b_count;
    s->a_count *= da;
    s->b_count *= db;
    s->batches *= s->batch_dims[d];
  }
}

void plan_sizes(const TensorContext& ctx, State* s) {
  const Shape &a = ctx.input(kA).shape, &b = ctx.input(kB).shape;
  const bool ta = ctx.attr_bool(kTransposeA), tb = ctx.attr_bool(kTransposeB);
  s->m = a.rank == 1 ? 1 : a[ta ? a.rank - 1 : a.rank - 2];
  s->k = a[ta ? a.rank - 2 : a.rank - 1];
  s->n = b.rank == 1 ? 1 : b[tb ? b.rank - 2 : b.rank - 1];
  s->b_stride_k = b.rank == 1 || tb ? 1 : s->n;
  s->b_stride_n = tb ? s->k : 1;
  plan_batches(a, b, s);
}

Status prepare(PrepareContext& ctx) {
  State* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  plan_sizes(ctx, s);
  const Tensor& b = ctx.input(kB);
  const DType type = ctx.input(kA).dtype;
  if (compute_type(type) != DType::kFloat32) {
    ctx.kernel_name("matmul_portable");
    return Status();
  }
  const bool half = type != DType::kFloat32;
  s->kernels = &gemm_f32_kernels(ctx.isa());
  ctx.kernel_name(s->kernels->name);
  int64_t size = 0, all = 0;
  SAMPAN_TRY(conv_panel_floats(1, s->k, s->n, &size));
  SAMPAN_TRY(conv_panel_floats(s->b_count, s->k, s->n, &all));
  s->panel_size = size;
  WorkspacePlan plan;
  if (b.packing == Packing::kPanelsF32) {
    s->panels = b.as<float>();
  } else if (ctx.is_constant(kB) && !half) {
    void* memory = nullptr;
    bool fresh = false;
    SAMPAN_TRY(ctx.constant_memory(0, static_cast<size_t>(all) * 4, &memory, &fresh));
    float* out = static_cast<float*>(memory);
    s->panels = out;
    for (int64_t i = 0; fresh && i < s->b_count; ++i)
      s->kernels->pack(b.as<float>() + i * s->k * s->n, s->k, s->n, s->b_stride_k, s->b_stride_n, 0,
                       panels_f32_count(s->n), out + i * size);
  } else {
    s->at_panels = plan.add(all, 4);
  }
  const int64_t elements_y = ctx.output(0).shape.elements();
  if (half) {
    s->at_a = plan.add(ctx.input(kA).shape.elements(), 4);
    if (!s->panels) s->at_b = plan.add(b.shape.elements(), 4);
    if (ctx.has_input(kBias)) s->at_bias = plan.add(s->n, 4);
    if (ctx.has_input(kResidual)) s->at_residual = plan.add(elements_y, 4);
    s->at_y = plan.add(elements_y, 4);
  }
  if (ctx.attr_bool(kTransposeA)) s->at_swapped = plan.add(ctx.input(kA).shape.elements(), 4);
  return plan.request(ctx);
}

// ---- float32 -------------------------------------------------------------------------------

const float* pack_at_run(const RunContext& ctx, const State& s) {
  const float* b = as_float(ctx, ctx.input(kB), s.at_b);
  float* out = workspace_at<float>(ctx, s.at_panels);
  const int64_t per_matrix = panels_f32_count(s.n);
  ctx.parallel_for(s.b_count * per_matrix, grain_for_work(s.k * kPanelWidth),
                   [&](int64_t begin, int64_t end, int) {
                     while (begin < end) {
                       const int64_t i = begin / per_matrix, p0 = begin % per_matrix;
                       const int64_t p1 =
                           end - begin < per_matrix - p0 ? p0 + end - begin : per_matrix;
                       s.kernels->pack(b + i * s.k * s.n, s.k, s.n, s.b_stride_k, s.b_stride_n, p0,
                                       p1, out + i * s.panel_size);
                       begin += p1 - p0;
                     }
                   });
  return out;
}

// y = activation(alpha * y + bias + residual): where alpha keeps the kernels from doing it.
void scale_and_finish(const RunContext& ctx, const State& s, const EpilogueF32& ep, float alpha,
                      float* y) {
  const int64_t rows = s.batches * s.m, n = s.n;
  ctx.parallel_for(rows, grain_for_work(n), [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      float* row = y + i * n;
      for (int64_t j = 0; j < n; ++j) row[j] *= alpha;
      if (ep.bias)
        for (int64_t j = 0; j < n; ++j) row[j] += ep.bias[j];
      if (ep.residual)
        for (int64_t j = 0; j < n; ++j) row[j] += ep.residual[i * n + j];
      if (ep.act == Activation::kClip) {
        for (int64_t j = 0; j < n; ++j) {
          const float low = ep.p0 > row[j] ? ep.p0 : row[j];
          row[j] = ep.p1 < low ? ep.p1 : low;
        }
      } else if (ep.act_fn) {
        ep.act_fn(row, n, ep.p0, ep.p1);
      }
    }
  });
}

void multiply(const RunContext& ctx, const State& s, const float* a, const float* panels, float* y,
              const EpilogueF32& ep) {
  GemmF32 g;
  g.lda = s.k;
  g.ldc = g.n = s.n;
  g.k = s.k;
  // With one matrix b all rows of all batches are one product.
  const bool merged = s.b_count == 1;
  Grid grid;
  grid.outer = merged ? 1 : s.batches;
  grid.rows = merged ? s.m * s.batches : s.m;
  grid.row_multiple = s.kernels->mr;
  grid.cols = panels_f32_count(s.n);
  grid.col_multiple = (s.kernels->nr + kPanelWidth - 1) / kPanelWidth;
  grid.work = static_cast<double>(s.batches) * static_cast<double>(s.m) * static_cast<double>(s.n) *
              static_cast<double>(s.k + 1);
  run_grid(ctx, grid, [&](int64_t i, int64_t r0, int64_t r1, int64_t c0, int64_t c1, int) {
    int64_t ia = 0, ib = 0;
    if (!merged) s.operands(i, &ia, &ib);
    GemmF32 part = g;
    part.a = a + ia * s.m * s.k;
    part.panels = panels + ib * s.panel_size;
    part.c = y + i * s.m * s.n;
    part.ep = ep;
    if (ep.residual) part.ep.residual = ep.residual + i * s.m * s.n;
    s.kernels->run(part, r0, r1, c0, c1);
  });
}

void run_f32(const RunContext& ctx, const State& s) {
  Tensor& out = ctx.output(0);
  const bool half = out.dtype != DType::kFloat32;
  const float alpha = ctx.attr_float(kAlpha);
  const float* a = as_float(ctx, ctx.input(kA), s.at_a);
  if (ctx.attr_bool(kTransposeA)) {
    float* swapped = workspace_at<float>(ctx, s.at_swapped);
    swap_axes(ctx, DType::kFloat32, s.a_count, s.k, s.m, a, swapped);
    a = swapped;
  }
  const float* panels = s.panels ? s.panels : pack_at_run(ctx, s);
  float* y = half ? workspace_at<float>(ctx, s.at_y) : out.as<float>();
  EpilogueF32 ep = epilogue_of(ctx, kAct);
  if (ctx.has_input(kBias)) ep.bias = as_float(ctx, ctx.input(kBias), s.at_bias);
  if (ctx.has_input(kResidual)) ep.residual = as_float(ctx, ctx.input(kResidual), s.at_residual);
  ep.residual_stride = s.n;
  if (alpha == 1.0f) {
    multiply(ctx, s, a, panels, y, ep);
  } else {
    multiply(ctx, s, a, panels, y, EpilogueF32());
    scale_and_finish(ctx, s, ep, alpha, y);
  }
  if (half) narrow(ctx, out.dtype, y, out.data, out.shape.elements());
}

// ---- other types ---------------------------------------------------------------------------

template <class T>
T finish_other(const RunContext& ctx, T sum, int64_t at, int64_t column) {
  if constexpr (std::is_floating_point<T>::value) sum *= static_cast<T>(ctx.attr_float(kAlpha));
  if (ctx.has_input(kBias)) sum += ctx.input(kBias).as<T>()[column];
  if (ctx.has_input(kResidual)) sum += ctx.input(kResidual).as<T>()[at];
  if constexpr (std::is_floating_point<T>::value) {
    sum = activate_f64(static_cast<Activation>(ctx.attr_int(kAct)), sum,
                       static_cast<double>(ctx.attr_float(kActAlpha)),
                       static_cast<double>(ctx.attr_float(kActBeta)));
  }
  return sum;
}

// Integers wrap, and so are computed as unsigned.
template <class T>
void run_other(const RunContext& ctx, const State& s) {
  const bool ta = ctx.attr_bool(kTransposeA);
  const int64_t a_m = ta ? 1 : s.k, a_k = ta ? s.m : 1;
  ctx.parallel_for(s.batches * s.m, grain_for_work(s.n * s.k),
                   [&](int64_t begin, int64_t end, int) {
                     for (int64_t row = begin; row < end; ++row) {
                       int64_t ia = 0, ib = 0;
                       s.operands(row / s.m, &ia, &ib);
                       const T* a = ctx.input(kA).as<T>() + ia * s.m * s.k + row % s.m * a_m;
                       const T* b = ctx.input(kB).as<T>() + ib * s.k * s.n;
                       T* y = ctx.output(0).as<T>() + row * s.n;
                       for (int64_t j = 0; j < s.n; ++j) {
                         T sum = 0;
                         for (int64_t k = 0; k < s.k; ++k)
                           sum += a[k * a_k] * b[k * s.b_stride_k + j * s.b_stride_n];
                         y[j] = finish_other(ctx, sum, row * s.n + j, j);
                       }
                     }
                   });
}

Status run(RunContext& ctx) {
  const State& s = *ctx.state<State>();
  if (ctx.output(0).shape.elements() == 0) return Status();
  if (s.kernels) {
    run_f32(ctx, s);
  } else if (ctx.output(0).dtype == DType::kFloat64) {
    run_other<double>(ctx, s);
  } else if (dtype_size(ctx.output(0).dtype) == 4) {
    run_other<uint32_t>(ctx, s);
  } else {
    run_other<uint64_t>(ctx, s);
  }
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(MatMul, 1)
    .doc(
        "activation(alpha * a x b + bias + residual): the matrix product of the last two axes, as "
        "numpy.matmul; the axes before them broadcast. Integers wrap.")
    .input("a", sampan::kTypes)
    .input("b", sampan::kTypes, sampan::kPackable, 0)
    .input("bias", sampan::kTypes, sampan::kOptional, 0)
    .input("residual", sampan::kTypes, sampan::kOptional, 0)
    .output("y")
    .attr_bool(sampan::kTransposeA, "transpose_a", false, "swap the last two axes of a")
    .attr_bool(sampan::kTransposeB, "transpose_b", false, "swap the last two axes of b")
    .attr_float(sampan::kAlpha, "alpha", 1.0f, "factor of the product")
    .attr_enum(sampan::kAct, "activation", sampan::kActivationChoices, 0, sampan::kActivationDoc)
    .attr_float(sampan::kActAlpha, "act_alpha", 0.0f)
    .attr_float(sampan::kActBeta, "act_beta", 0.0f)
    .infer(sampan::infer)
    .panels(sampan::panels)
    .kernel(sampan::prepare, sampan::run);
