"""Conv, ConvTranspose, ConvInteger."""
from __future__ import annotations

from typing import Any

from sampan.ir import Value

from .registry import NodeContext, importer

AUTO_PADS = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


def window_attrs(ctx: NodeContext) -> dict[str, Any]:
    """strides, dilations, pads and auto_pad of a convolution or pooling, refused when they are out of range."""
    auto_pad = ctx.attr("auto_pad", "NOTSET") or "NOTSET"
    if auto_pad not in AUTO_PADS:
        ctx.refuse(f"auto_pad is {auto_pad!r}; ONNX has {', '.join(AUTO_PADS)}")
    attrs = {"auto_pad": auto_pad}
    for name, least in (("strides", 1), ("dilations", 1), ("pads", 0)):
        values = list(ctx.attr(name, []))
        if any(v < least for v in values):
            ctx.refuse(f"{name} is {values}; every entry must be at least {least}")
        if values and not (name == "pads" and auto_pad != "NOTSET"):
            attrs[name] = values
    return attrs


def _check_kernel_shape(ctx: NodeContext, weight: Value) -> None:
    given = ctx.attr("kernel_shape")
    if given is None or weight.shape is None:
        return
    spatial = weight.shape[2:]
    if len(given) != len(spatial) or any(isinstance(d, int) and d != g for d, g in zip(spatial, given)):
        ctx.refuse(f"kernel_shape is {list(given)}, the weights have shape {list(weight.shape)}")


@importer("Conv")
def conv(ctx: NodeContext) -> Value:
    weight = ctx.require(1)
    _check_kernel_shape(ctx, weight)
    attrs = window_attrs(ctx) | {"group": ctx.attr("group", 1)}
    return ctx.op("Conv", [ctx.require(0), weight, ctx.input(2)], attrs)


@importer("ConvTranspose")
def conv_transpose(ctx: NodeContext) -> Value:
    weight = ctx.require(1)
    _check_kernel_shape(ctx, weight)
    attrs = window_attrs(ctx) | {"group": ctx.attr("group", 1)}
    for name in ("output_padding", "output_shape"):
        if ctx.has_attr(name):
            attrs[name] = list(ctx.attr(name))
    return ctx.op("ConvTranspose", [ctx.require(0), weight, ctx.input(2)], attrs)
