"""Reductions, positions of extremes, running sums and orders along axes."""
from __future__ import annotations

from typing import Any

import numpy as np

from sampan.ir import Value

from .registry import NodeContext, importer


def _axes(ctx: NodeContext) -> tuple[dict[str, Any], Value | None]:
    """The attributes and the axes operand of one of our reductions. Axes were an attribute first, an input later."""
    attrs: dict[str, Any] = {"keepdims": bool(ctx.attr("keepdims", 1)),
                             "noop_with_empty_axes": bool(ctx.attr("noop_with_empty_axes", 0))}
    if ctx.has_attr("axes"):
        attrs["axes"] = [int(a) for a in ctx.attr("axes")]
        return attrs, None
    axes = ctx.const(1)
    if axes is not None:
        attrs["axes"] = [int(a) for a in axes.reshape(-1)]
        return attrs, None
    return attrs, ctx.input(1)


@importer("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
          "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp")
def reduce(ctx: NodeContext) -> Value:
    attrs, axes = _axes(ctx)
    return ctx.op(ctx.op_type, [ctx.require(0), axes], attrs)


@importer("ArgMax", "ArgMin")
def arg_extreme(ctx: NodeContext) -> Value:
    return ctx.op(ctx.op_type, [ctx.require(0)],
                  {"axis": ctx.attr("axis", 0), "keepdims": bool(ctx.attr("keepdims", 1)),
                   "select_last_index": bool(ctx.attr("select_last_index", 0))})


@importer("CumSum", "CumProd")
def running(ctx: NodeContext) -> Value:
    return ctx.op(ctx.op_type, [ctx.require(0), ctx.require(1)],
                  {"exclusive": bool(ctx.attr("exclusive", 0)), "reverse": bool(ctx.attr("reverse", 0))})


@importer("TopK")
def top_k(ctx: NodeContext) -> list[Value]:
    k = ctx.constant(np.array([ctx.attr("k")], np.int64)) if ctx.has_attr("k") else ctx.require(1)
    return ctx.op("TopK", [ctx.require(0), k],
                  {"axis": ctx.attr("axis", -1), "largest": bool(ctx.attr("largest", 1)),
                   "sorted": bool(ctx.attr("sorted", 1))}, num_outputs=2)


@importer("Det")
def det(ctx: NodeContext) -> Value:
    return ctx.op("Det", [ctx.require(0)])
