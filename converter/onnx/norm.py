"""Normalisation operators."""
from __future__ import annotations

import numpy as np

from sampan.ir import Value

from .registry import NodeContext, importer


def same_type(ctx: NodeContext, value: Value | None, dtype: str | None) -> Value | None:
    """`value` in another element type, where it differs."""
    if value is None or value.dtype == dtype:
        return value
    return ctx.op("Cast", [value], {"to": dtype})


def scalar(ctx: NodeContext, number: float, dtype: str | None) -> Value:
    """A float constant of a type."""
    return same_type(ctx, ctx.constant(np.float32(number)), dtype)


@importer("BatchNormalization")
def batch_normalization(ctx: NodeContext) -> Value | list[Value | None]:
    x = ctx.require(0)
    if not ctx.attr("spatial", 1):
        ctx.refuse("spatial=0 (one mean for each element) is not supported")
    parameters = [same_type(ctx, ctx.require(i), x.dtype) for i in range(1, 5)]
    attrs = {"epsilon": float(ctx.attr("epsilon", 1e-5))}
    if ctx.opset >= 14 and ctx.attr("training_mode", 0):
        return _training(ctx, x, parameters, attrs)
    if ctx.opset < 14 and any(ctx.wants_output(i) for i in range(1, 5)):
        ctx.refuse("training outputs are not supported", "export the model for inference")
    return ctx.op("BatchNormalization", [x, *parameters], attrs)


def _training(ctx: NodeContext, x: Value, parameters: list[Value], attrs: dict) -> list[Value | None]:
    """Normalises by the batch's own statistics; the running ones move by 1 - momentum towards them."""
    axes = [0, *range(2, x.rank)]
    scale, bias, mean, variance = parameters
    batch_mean = ctx.op("ReduceMean", [x], {"axes": axes, "keepdims": True})
    centred = ctx.op("Sub", [x, batch_mean])
    square = ctx.op("Mul", [centred, centred])
    batch_variance = ctx.op("ReduceMean", [square], {"axes": axes, "keepdims": False})
    batch_mean = ctx.op("Squeeze", [batch_mean], {"axes": axes})
    y = ctx.op("BatchNormalization", [x, scale, bias, batch_mean, batch_variance], attrs)
    outputs: list[Value | None] = [y]
    momentum = float(ctx.attr("momentum", 0.9))
    for i, (old, new) in enumerate(((mean, batch_mean), (variance, batch_variance))):
        if not ctx.wants_output(i + 1):
            outputs.append(None)
            continue
        kept = ctx.op("Mul", [old, scalar(ctx, momentum, old.dtype)])
        moved = ctx.op("Mul", [new, scalar(ctx, 1.0 - momentum, new.dtype)])
        outputs.append(same_type(ctx, ctx.op("Add", [kept, moved]), ctx.require(3 + i).dtype))
    return outputs


@importer("InstanceNormalization")
def instance_normalization(ctx: NodeContext) -> Value:
    return ctx.op("InstanceNormalization", [ctx.require(i) for i in range(3)],
                  {"epsilon": float(ctx.attr("epsilon", 1e-5))})


def _group_attrs(ctx: NodeContext) -> dict:
    groups = ctx.attr("num_groups")
    if groups is None or groups < 1:
        ctx.refuse(f"num_groups is {groups}; it must be 1 or more")
    return {"epsilon": float(ctx.attr("epsilon", 1e-5)), "num_groups": int(groups)}


@importer("GroupNormalization", since=21)
def group_normalization(ctx: NodeContext) -> Value:
    return ctx.op("GroupNormalization", [ctx.require(i) for i in range(3)], _group_attrs(ctx))


@importer("GroupNormalization", since=18)
def group_normalization_18(ctx: NodeContext) -> Value:
    """Scale and bias have one value for each group: they are repeated for its channels."""
    x, attrs = ctx.require(0), _group_attrs(ctx)
    groups = attrs["num_groups"]
    if x.rank is None or not isinstance(x.shape[1], int) or x.shape[1] % groups:
        ctx.refuse(f"the channels of {x} must be a fixed multiple of num_groups = {groups}")
    parameters = []
    for i in (1, 2):
        column = ctx.op("Unsqueeze", [ctx.require(i)], {"axes": [1]})
        wide = ctx.op("Expand", [column, ctx.constant([groups, x.shape[1] // groups], "int64")])
        parameters.append(ctx.op("Reshape", [wide, ctx.constant([-1], "int64")]))
    return ctx.op("GroupNormalization", [x, *parameters], attrs)


def _fits(x: Value, parameter: Value | None, axis: int) -> bool:
    return parameter is None or parameter.shape == x.shape[axis:]


@importer("LayerNormalization")
def layer_normalization(ctx: NodeContext) -> list[Value]:
    x, scale, bias = ctx.require(0), ctx.require(1), ctx.input(2)
    axis = int(ctx.attr("axis", -1))
    if x.rank is None or not -x.rank <= axis < x.rank:
        ctx.refuse(f"axis is {axis}, the input has rank {x.rank}")
    axis %= x.rank
    scale, bias = same_type(ctx, scale, x.dtype), same_type(ctx, bias, x.dtype)
    attrs = {"axis": axis, "epsilon": float(ctx.attr("epsilon", 1e-5))}
    outputs = max((i + 1 for i in range(3) if ctx.wants_output(i)), default=1)
    fused = _fits(x, scale, axis) and _fits(x, bias, axis)
    results = ctx.op("LayerNormalization", [x, scale, bias] if fused else [x], attrs, num_outputs=outputs)
    results = [results] if outputs == 1 else list(results)
    if not fused:  # parameters that broadcast
        results[0] = ctx.op("Mul", [results[0], scale])
        if bias is not None:
            results[0] = ctx.op("Add", [results[0], bias])
    return results


@importer("RMSNormalization")
def rms_normalization(ctx: NodeContext) -> Value:
    x, axis = ctx.require(0), int(ctx.attr("axis", -1))
    if x.rank is None or not -x.rank <= axis < x.rank:
        ctx.refuse(f"axis is {axis}, the input has rank {x.rank}")
    axis %= x.rank
    scale = same_type(ctx, ctx.require(1), x.dtype)
    attrs = {"axis": axis, "epsilon": float(ctx.attr("epsilon", 1e-5))}
    if _fits(x, scale, axis):
        return ctx.op("RMSNormalization", [x, scale], attrs)
    return ctx.op("Mul", [ctx.op("RMSNormalization", [x], attrs), scale])


@importer("LRN")
def lrn(ctx: NodeContext) -> Value:
    size = ctx.attr("size")
    if size is None or size < 1:
        ctx.refuse(f"size is {size}; it must be 1 or more")
    return ctx.op("LRN", [ctx.require(0)],
                  {"size": int(size), "alpha": float(ctx.attr("alpha", 1e-4)),
                   "beta": float(ctx.attr("beta", 0.75)), "bias": float(ctx.attr("bias", 1.0))})


@importer("LpNormalization")
def lp_normalization(ctx: NodeContext) -> Value:
    """x / norm along one axis; a norm of 0 leaves the zeros it comes from."""
    x, axis, p = ctx.require(0), int(ctx.attr("axis", -1)), int(ctx.attr("p", 2))
    if p not in (1, 2):
        ctx.refuse(f"p is {p}; ONNX has 1 and 2")
    power = ctx.op("Abs", [x]) if p == 1 else ctx.op("Mul", [x, x])
    norm = ctx.op("ReduceSum", [power], {"axes": [axis], "keepdims": True})
    if p == 2:
        norm = ctx.op("Sqrt", [norm])
    zero = scalar(ctx, 0.0, x.dtype)
    safe = ctx.op("Where", [ctx.op("Equal", [norm, zero]), scalar(ctx, 1.0, x.dtype), norm])
    return ctx.op("Div", [x, safe])
