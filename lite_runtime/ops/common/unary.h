// Elementwise operators of one input. An operator of floats names how a block of float32 is done
// and one float64; float16 and bfloat16 go through float32.
//
//   struct ExpFn {
//     static BlockF32 block(Isa isa);
//     static double f64(double x, double p0, double p1);
//   };
#pragma once
#include "kernels/math/f64.h"
#include "kernels/math/math.h"
#include "ops/common/copy.h"
#include "ops/common/dtypes.h"
#include "ops/common/shape_rules.h"

namespace sampan {

using BlockF32 = ActivationFn;  // x[0..n) = f(x[0..n); p0, p1)
using ScalarF64 = double (*)(double x, double p0, double p1);

// output 0 = f(input 0) over any float type.
Status run_float_unary(RunContext& ctx, BlockF32 f32, ScalarF64 f64, float p0, float p1);

template <class Fn>
Status run_unary(RunContext& ctx) {
  return run_float_unary(ctx, Fn::block(ctx.isa()), Fn::f64, 0, 0);
}
// The first attribute is p0 (and the second p1).
template <class Fn>
Status run_unary_p(RunContext& ctx) {
  return run_float_unary(ctx, Fn::block(ctx.isa()), Fn::f64, ctx.attr_float(0), 0);
}
template <class Fn>
Status run_unary_pp(RunContext& ctx) {
  return run_float_unary(ctx, Fn::block(ctx.isa()), Fn::f64, ctx.attr_float(0), ctx.attr_float(1));
}

// output 0 = f(input 0) element by element, f: Wide<T> -> Wide<Y>, for the types of `Set`.
// Y = void: the type of the input.
template <DTypeSet Set, class Y = void, class F>
Status run_map(RunContext& ctx, F f) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0);
  const bool known = with_type<Set>(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using R = std::conditional_t<std::is_void<Y>::value, T, Y>;
    const T* from = x.as<T>();
    R* to = y.as<R>();
    ctx.parallel_for(x.shape.elements(), grain_for(sizeof(T)),
                     [&](int64_t begin, int64_t end, int) {
                       for (int64_t i = begin; i < end; ++i)
                         to[i] = narrow<R>(f(static_cast<Wide<T>>(from[i])));
                     });
  });
  return known ? Status() : type_not_built(x.dtype);
}

// Refuses a NaN parameter: no result would follow from it.
inline Status check_parameter(const InferContext& ctx, int attr, const char* name) {
  const float v = ctx.attr_float(attr);
  SAMPAN_RULE(v == v, "%s is NaN: expected a number", name);
  return Status();
}

// Shape rule for operators with one or two float parameters.
inline Status infer_parameters(InferContext& ctx) {
  for (int i = 0; i < ctx.def().num_attrs; ++i)
    if (ctx.def().attrs[i].type == AttrType::kFloat)
      SAMPAN_TRY(check_parameter(ctx, i, "a parameter"));
  return same_as_first(ctx);
}

}  // namespace sampan
