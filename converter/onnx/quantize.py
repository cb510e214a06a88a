"""QuantizeLinear, DequantizeLinear and the QLinear operators, which are composed exactly, not fast."""
from __future__ import annotations

from typing import Any

from sampan.ir import Value

from .conv import window_attrs
from .norm import same_type
from .reader import dtype_name
from .registry import NodeContext, importer

_STORED = ("int8", "uint8", "int16", "uint16")


def _quant_attrs(ctx: NodeContext) -> dict[str, Any]:
    return {"axis": int(ctx.attr("axis", 1)), "block_size": int(ctx.attr("block_size", 0))}


@importer("QuantizeLinear")
def quantize_linear(ctx: NodeContext) -> Value:
    x, scale, zero = ctx.require(0), ctx.require(1), ctx.input(2)
    to = "uint8" if zero is None else zero.dtype
    if zero is None and ctx.attr("output_dtype", 0):
        to = dtype_name(ctx.attr("output_dtype")) or "?"
    if to not in _STORED:
        ctx.refuse(f"values cannot be quantized to {to}; {', '.join(_STORED)} are supported")
    return ctx.op("QuantizeLinear", [same_type(ctx, x, "float32"), same_type(ctx, scale, "float32"), zero],
                  _quant_attrs(ctx) | {"to": to})


@importer("DequantizeLinear")
def dequantize_linear(ctx: NodeContext) -> Value:
    x, scale, zero = ctx.require(0), ctx.require(1), ctx.input(2)
    to = dtype_name(ctx.attr("output_dtype", 0)) or scale.dtype
    y = ctx.op("DequantizeLinear", [x, same_type(ctx, scale, "float32"), zero], _quant_attrs(ctx))
    return same_type(ctx, y, to)


def _centred(ctx: NodeContext, x: Value, zero: Value | None, dtype: str, axis: int | None = None) -> Value:
    """x - zero_point, exact in `dtype`. axis: where a list of zero points belongs."""
    wide = ctx.op("Cast", [x], {"to": dtype})
    if zero is None:
        return wide
    zero = ctx.op("Cast", [zero], {"to": dtype})
    return ctx.op("Sub", [wide, _along(ctx, zero, axis, x.rank)])


def _along(ctx: NodeContext, value: Value, axis: int | None, rank: int | None) -> Value:
    """A list shaped so that it broadcasts along `axis`."""
    if value.rank != 1 or axis is None or rank is None or value.shape == (1,):
        return value
    return ctx.op("Unsqueeze", [value], {"axes": [i for i in range(rank) if i != axis % rank]})


def _requantize(ctx: NodeContext, total: Value, scales: list[Value], scale: Value, zero: Value) -> Value:
    """Integer sums times the product of `scales`, stored with `scale` and `zero`."""
    x = same_type(ctx, total, "float32")
    factor = ctx.op("Mul", scales)
    x = ctx.op("Mul", [x, factor])
    return ctx.op("QuantizeLinear", [x, same_type(ctx, scale, "float32"), zero], {"to": zero.dtype})


@importer("QLinearMatMul")
def qlinear_matmul(ctx: NodeContext) -> Value:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = (ctx.require(i) for i in range(8))
    if a.rank is None or b.rank is None:
        ctx.refuse("the rank of an input is not known")
    total = ctx.op("MatMul", [_centred(ctx, a, a_zero, "int32", -2), _centred(ctx, b, b_zero, "int32", -1)])
    scales = [_along(ctx, same_type(ctx, a_scale, "float32"), -2, a.rank),
              _along(ctx, same_type(ctx, b_scale, "float32"), -1, b.rank)]
    return _requantize(ctx, total, scales, y_scale, y_zero)


def _integer_conv(ctx: NodeContext, x: Value, x_zero: Value | None, w: Value, w_zero: Value | None) -> Value:
    """The convolution of centred integers, exact in float64."""
    attrs = window_attrs(ctx) | {"group": ctx.attr("group", 1)}
    return ctx.op("Conv", [_centred(ctx, x, x_zero, "float64"), _centred(ctx, w, w_zero, "float64", 0)], attrs)


@importer("ConvInteger")
def conv_integer(ctx: NodeContext) -> Value:
    total = _integer_conv(ctx, ctx.require(0), ctx.input(2), ctx.require(1), ctx.input(3))
    return ctx.op("Cast", [total], {"to": "int32"})


@importer("QLinearConv")
def qlinear_conv(ctx: NodeContext) -> Value:
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = (ctx.require(i) for i in range(8))
    total = _integer_conv(ctx, x, x_zero, w, w_zero)
    if ctx.input(8) is not None:
        bias = ctx.op("Cast", [ctx.require(8)], {"to": "float64"})
        total = ctx.op("Add", [total, _along(ctx, bias, 1, x.rank)])
    scales = [same_type(ctx, x_scale, "float32"), _along(ctx, same_type(ctx, w_scale, "float32"), 1, x.rank)]
    return _requantize(ctx, total, scales, y_scale, y_zero)
