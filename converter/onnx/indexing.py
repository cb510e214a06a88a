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
