"""MaxPool, AveragePool, LpPool and their global forms."""
from __future__ import annotations

from typing import Any

import numpy as np

from sampan.ir import Value

from .conv import window_attrs
from .registry import NodeContext, importer


def _pool_attrs(ctx: NodeContext) -> dict[str, Any]:
    kernel = ctx.attr("kernel_shape")
    if kernel is None:
        ctx.refuse("the attribute kernel_shape is missing")
    attrs = window_attrs(ctx) | {"kernel_shape": list(kernel)}
    if ctx.attr("ceil_mode", 0):
        attrs["ceil_mode"] = True
    return attrs


@importer("MaxPool")
def max_pool(ctx: NodeContext) -> list[Value]:
    attrs = _pool_attrs(ctx)
    if ctx.attr("storage_order", 0):
        attrs["column_major"] = True
    outputs = 2 if ctx.wants_output(1) else 1
    result = ctx.op("MaxPool", [ctx.require(0)], attrs, num_outputs=outputs)
    return result if outputs == 2 else [result]


@importer("AveragePool")
def average_pool(ctx: NodeContext) -> Value:
    attrs = _pool_attrs(ctx) | {"count_include_pad": bool(ctx.attr("count_include_pad", 0))}
    return ctx.op("AveragePool", [ctx.require(0)], attrs)


@importer("LpPool")
def lp_pool(ctx: NodeContext) -> Value:
    return ctx.op("LpPool", [ctx.require(0)], _pool_attrs(ctx) | {"p": int(ctx.attr("p", 2))})


@importer("GlobalAveragePool", "GlobalMaxPool")
def global_pool(ctx: NodeContext) -> Value:
    return ctx.op(ctx.op_type, [ctx.require(0)])


@importer("GlobalLpPool")
def global_lp_pool(ctx: NodeContext) -> Value:
    x = ctx.require(0)
    if not x.is_static:
        ctx.refuse("the input's size is not fixed", "give a fixed input shape")
    kernel = [int(d) for d in x.shape[2:]]
    return ctx.op("LpPool", [x], {"kernel_shape": kernel, "p": int(ctx.attr("p", 2))})


@importer("MaxUnpool")
def max_unpool(ctx: NodeContext) -> Value:
    """Scatters the values over a zero tensor: indices count in the flattened output."""
    x, indices = ctx.require(0), ctx.require(1)
    if x.shape is None or not all(isinstance(d, int) for d in x.shape):
        ctx.refuse("the input's size is not fixed", "give a fixed input shape")
    kernel = list(ctx.attr("kernel_shape", []))
    spatial = len(x.shape) - 2
    strides = list(ctx.attr("strides", [])) or [1] * spatial
    pads = list(ctx.attr("pads", [])) or [0] * (2 * spatial)
    inner = [(d - 1) * s - pads[i] - pads[i + spatial] + k
             for i, (d, s, k) in enumerate(zip(x.shape[2:], strides, kernel))]
    shape = [*x.shape[:2], *inner]
    if ctx.input(2) is not None:
        given = ctx.const(2)
        if given is None:
            ctx.refuse("output_shape is computed by the model")
        # Indices refer to the tensor that was pooled, whose shape the smaller size is.
        target = [int(d) for d in given]
    else:
        target = shape
    flat = ctx.constant(np.zeros(int(np.prod(shape)), np.float32))
    if x.dtype != "float32":
        flat = ctx.op("Cast", [flat], {"to": x.dtype})
    minus_one = ctx.constant([-1], "int64")
    updates, where = (ctx.op("Reshape", [v, minus_one]) for v in (x, indices))
    filled = ctx.op("ScatterElements", [flat, where, updates], {"axis": 0})
    out = ctx.op("Reshape", [filled, ctx.constant(shape, "int64")])
    if target == shape:
        return out
    amounts = [0] * len(shape) + [t - s for t, s in zip(target, shape)]
    return ctx.op("Pad", [out, ctx.constant(amounts, "int64")])
