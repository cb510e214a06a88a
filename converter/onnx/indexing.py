"""Reading and writing at indices."""
from __future__ import annotations

import numpy as np

from sampan.ir import Value

from .registry import NodeContext, importer


@importer("Gather", "GatherElements")
def gather(ctx: NodeContext) -> Value:
    return ctx.op(ctx.op_type, [ctx.require(0), ctx.require(1)], {"axis": ctx.attr("axis", 0)})


@importer("GatherND")
def gather_nd(ctx: NodeContext) -> Value:
    return ctx.op("GatherND", [ctx.require(0), ctx.require(1)], {"batch_dims": ctx.attr("batch_dims", 0)})


@importer("ScatterElements", "Scatter")
def scatter_elements(ctx: NodeContext) -> Value:
    return ctx.op("ScatterElements", [ctx.require(0), ctx.require(1), ctx.require(2)],
                  {"axis": ctx.attr("axis", 0), "reduction": ctx.attr("reduction", "none")})


@importer("ScatterND")
def scatter_nd(ctx: NodeContext) -> Value:
    return ctx.op("ScatterND", [ctx.require(0), ctx.require(1), ctx.require(2)],
                  {"reduction": ctx.attr("reduction", "none")})


@importer("OneHot")
def one_hot(ctx: NodeContext) -> Value:
    depth = ctx.require(1)
    if depth.dtype not in ("int32", "int64"):
        depth = ctx.op("Cast", [depth], {"to": "int64"})
    return ctx.op("OneHot", [ctx.require(0), depth, ctx.require(2)], {"axis": ctx.attr("axis", -1)})


@importer("NonZero")
def non_zero(ctx: NodeContext) -> Value:
    return ctx.op("NonZero", [ctx.require(0)])


@importer("Compress")
def compress(ctx: NodeContext) -> Value:
    x = ctx.require(0)
    if not ctx.has_attr("axis"):
        x = ctx.op("Reshape", [x, ctx.constant(np.array([-1], np.int64))])
    return ctx.op("Compress", [x, ctx.require(1)], {"axis": ctx.attr("axis", 0)})


@importer("Unique")
def unique(ctx: NodeContext) -> list[Value]:
    x = ctx.require(0)
    if not ctx.has_attr("axis"):
        x = ctx.op("Reshape", [x, ctx.constant(np.array([-1], np.int64))])
    results = ctx.op("Unique", [x], {"axis": ctx.attr("axis", 0), "sorted": bool(ctx.attr("sorted", 1))},
                     num_outputs=ctx.num_outputs)
    return [results] if ctx.num_outputs == 1 else results


@importer("TensorScatter")
def tensor_scatter(ctx: NodeContext) -> Value:
    """Writes `update` into a cache along the sequence axis, from each batch's write index on."""
    cache, update, start = ctx.require(0), ctx.require(1), ctx.input(2)
    axis = ctx.attr("axis", -2)
    if cache.rank is None or update.shape is None or cache.shape is None:
        return ctx.refuse("the ranks of the inputs are not known")
    axis %= cache.rank
    if axis == 0:
        return ctx.refuse("the sequence axis cannot be the batch axis")
    zero, one = (ctx.constant(np.array(n, np.int64)) for n in (0, 1))
    dims = ctx.op("Shape", [update])
    length = ctx.op("Gather", [dims, ctx.constant(np.array(axis, np.int64))], {"axis": 0})
    positions = ctx.op("Range", [zero, length, one])  # [length]
    if start is not None:
        positions = ctx.op("Add", [ctx.op("Unsqueeze", [start], {"axes": [1]}), positions])  # [batch, length]
        if ctx.attr("mode", "linear") == "circular":
            size = ctx.op("Gather", [ctx.op("Shape", [cache]), ctx.constant(np.array(axis, np.int64))], {"axis": 0})
            positions = ctx.op("Mod", [positions, size])
    else:
        positions = ctx.op("Unsqueeze", [positions], {"axes": [0]})
    inner = [a for a in range(1, cache.rank) if a != axis]
    indices = ctx.op("Expand", [ctx.op("Unsqueeze", [positions], {"axes": inner}), dims])
    return ctx.op("ScatterElements", [cache, indices, update], {"axis": axis})
