"""Functions of single elements: arithmetic, comparisons, activations, casts."""
from __future__ import annotations

import numpy as np

from sampan.ir import Value

from .reader import dtype_name
from .registry import NodeContext, importer

FLOATS = ("float32", "float16", "bfloat16", "float64")
_SAME = ("Abs Neg Exp Log Sqrt Reciprocal Floor Ceil Round Sign Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh "
         "Atanh Erf Tanh Sigmoid Softplus Softsign HardSwish Mish Not IsNaN BitwiseNot Identity")
_BINARY = ("Add Sub Mul Div Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor BitwiseAnd BitwiseOr BitwiseXor "
           "Pow PRelu")
# ONNX's defaults where an attribute is left out.
_PARAMETERS = {
    "Elu": {"alpha": 1.0}, "Celu": {"alpha": 1.0}, "LeakyRelu": {"alpha": 0.01}, "ThresholdedRelu": {"alpha": 1.0},
    "Selu": {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875},
    "HardSigmoid": {"alpha": 0.2, "beta": 0.5}, "Shrink": {"lambd": 0.5, "bias": 0.0},
}


@importer(*_SAME.split())
def unary(ctx: NodeContext) -> Value:
    x = ctx.require(0)
    if ctx.op_type in ("Floor", "Ceil", "Round") and x.dtype not in FLOATS:
        return ctx.op("Identity", [x])
    return ctx.op(ctx.op_type, [x])


@importer(*_PARAMETERS)
def with_parameters(ctx: NodeContext) -> Value:
    attrs = {name: ctx.attr(name, default) for name, default in _PARAMETERS[ctx.op_type].items()}
    return ctx.op(ctx.op_type, [ctx.require(0)], attrs)


@importer(*_BINARY.split())
def binary(ctx: NodeContext) -> Value:
    return ctx.op(ctx.op_type, [ctx.require(0), ctx.require(1)])


@importer("IsInf")
def is_inf(ctx: NodeContext) -> Value:
    return ctx.op("IsInf", [ctx.require(0)], {"detect_negative": bool(ctx.attr("detect_negative", 1)),
                                              "detect_positive": bool(ctx.attr("detect_positive", 1))})


@importer("Gelu")
def gelu(ctx: NodeContext) -> Value:
    return ctx.op("Gelu", [ctx.require(0)], {"approximate": ctx.attr("approximate", "none")})


@importer("Swish")
def swish(ctx: NodeContext) -> Value:
    x, alpha = ctx.require(0), ctx.attr("alpha", 1.0)
    if alpha == 1.0:
        return ctx.op("Silu", [x])
    scaled = ctx.op("Mul", [x, _scalar(ctx, alpha, x.dtype)])
    return ctx.op("Mul", [x, ctx.op("Sigmoid", [scaled])])


@importer("Relu")
def relu(ctx: NodeContext) -> Value:
    return ctx.op("Clip", [ctx.require(0)], {"min": 0.0})


@importer("Clip")
def clip(ctx: NodeContext) -> Value:
    low, high = ctx.attr("min"), ctx.attr("max")  # until opset 10
    attrs = {k: v for k, v in (("min", low), ("max", high)) if v is not None}
    inputs: list[Value | None] = [ctx.require(0)]
    x = inputs[0]
    for index, name in ((1, "min"), (2, "max")):
        value, bound = ctx.input(index), ctx.const(index)
        if bound is not None and bound.size == 1 and x.dtype in FLOATS:
            number = float(bound.reshape(()).astype(np.float64))
            if np.float32(number) == number:  # an attribute holds it exactly
                attrs[name] = number
                value = None
        inputs.append(value)
    if attrs.get("min", -np.inf) > attrs.get("max", np.inf):
        attrs["min"] = attrs["max"]  # ONNX: the maximum wins
    return ctx.op("Clip", inputs, attrs)


@importer("Sum", "Max", "Min")
def variadic(ctx: NodeContext) -> Value:
    op = "Add" if ctx.op_type == "Sum" else ctx.op_type
    result = ctx.require(0)
    for i in range(1, len(ctx.inputs)):
        result = ctx.op(op, [result, ctx.require(i)])
    return ctx.op("Identity", [result]) if len(ctx.inputs) == 1 else result


@importer("Mean")
def mean(ctx: NodeContext) -> Value:
    total = ctx.require(0)
    for i in range(1, len(ctx.inputs)):
        total = ctx.op("Add", [total, ctx.require(i)])
    return ctx.op("Div", [total, _scalar(ctx, len(ctx.inputs), total.dtype)])


@importer("Mod")
def mod(ctx: NodeContext) -> Value:
    return ctx.op("Mod", [ctx.require(0), ctx.require(1)], {"fmod": bool(ctx.attr("fmod", 0))})


@importer("BitShift")
def bit_shift(ctx: NodeContext) -> Value:
    return ctx.op("BitShift", [ctx.require(0), ctx.require(1)], {"direction": ctx.attr("direction", "")})


@importer("Where")
def where(ctx: NodeContext) -> Value:
    return ctx.op("Where", [ctx.require(0), ctx.require(1), ctx.require(2)])


@importer("Cast")
def cast(ctx: NodeContext) -> Value:
    to = dtype_name(ctx.attr("to", 0))
    if to is None:
        return ctx.refuse("the target type of the cast is not supported (strings, complex, 4 and 8 bit floats)")
    return ctx.op("Cast", [ctx.require(0)], {"to": to})


@importer("CastLike")
def cast_like(ctx: NodeContext) -> Value:
    return ctx.op("Cast", [ctx.require(0)], {"to": ctx.require(1).dtype})


@importer("BitCast")
def bit_cast(ctx: NodeContext) -> Value:
    to = dtype_name(ctx.attr("to", 0))
    if to is None:
        return ctx.refuse("the target type of the bit cast is not supported")
    return ctx.op("BitCast", [ctx.require(0)], {"to": to})


@importer("Dropout")
def dropout(ctx: NodeContext) -> list[Value | None]:
    """Inference: the input itself, and a mask of true."""
    x = ctx.require(0)
    training = ctx.const(2)
    if ctx.input(2) is not None and (training is None or bool(training.reshape(-1)[0])):
        ratio = ctx.const(1)
        if ctx.input(1) is None or ratio is None or float(ratio.reshape(-1)[0]) != 0.0:
            return ctx.refuse("Dropout in training mode draws random numbers", "export the model for inference")
    results: list[Value | None] = [ctx.op("Identity", [x])]
    if ctx.num_outputs > 1:
        mask = ctx.constant(np.array([True])) if ctx.opset >= 10 else ctx.constant(np.array([1], x.dtype))
        results.append(ctx.op("Expand", [mask, ctx.op("Shape", [x])]))
    return results


def _scalar(ctx: NodeContext, number: float, dtype: str | None) -> Value:
    """A constant of an element type numpy may not know by itself (bfloat16)."""
    if dtype == "bfloat16":
        import ml_dtypes

        return ctx.constant(np.array(number, ml_dtypes.bfloat16))
    return ctx.constant(np.array(number, dtype))
