"""Softmax, LogSoftmax, Hardmax."""
from __future__ import annotations

from sampan.ir import Value

from .registry import NodeContext, importer


@importer("Softmax", "LogSoftmax", "Hardmax", since=13)
def softmax(ctx: NodeContext) -> Value:
    return ctx.op(ctx.op_type, [ctx.require(0)], {"axis": int(ctx.attr("axis", -1))})


@importer("Softmax", "LogSoftmax", "Hardmax")
def softmax_flat(ctx: NodeContext) -> Value:
    """Until opset 12 all axes from `axis` on are taken as one."""
    x, axis = ctx.require(0), int(ctx.attr("axis", 1))
    if x.rank is None or not -x.rank <= axis <= max(x.rank, 1):
        ctx.refuse(f"axis is {axis}, the input has rank {x.rank}")
    axis %= x.rank
    if axis == x.rank - 1 or all(d == 1 for d in x.shape[axis + 1:]):
        return ctx.op(ctx.op_type, [x], {"axis": axis})
    shape = ctx.constant(x.shape, "int64") if x.is_static else ctx.op("Shape", [x])
    flat = ctx.op("Reshape", [x, ctx.constant([0] * axis + [-1], "int64")])
    return ctx.op("Reshape", [ctx.op(ctx.op_type, [flat], {"axis": -1}), shape])
