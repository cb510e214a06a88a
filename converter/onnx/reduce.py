"""Reductions, positions of extremes, running sums and orders along axes."""
from __future__ import annotations

from typing import Any

import numpy as np

from sampan.ir import Value

from .registry import NodeContext, importer

_WIDE_ENOUGH = ("float32", "float64")


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


def _reduce(ctx: NodeContext, op: str, x: Value, *, keepdims: bool | None = None) -> Value:
    attrs, axes = _axes(ctx)
    if keepdims is not None:
        attrs["keepdims"] = keepdims
    return ctx.op(op, [x, axes], attrs)


@importer("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
def reduce(ctx: NodeContext) -> Value:
    return _reduce(ctx, ctx.op_type, ctx.require(0))


def _widened(ctx: NodeContext, x: Value) -> Value:
    """Squares and exponentials of halves overflow, and integers have no roots: those are done in wider floats."""
    if x.dtype in _WIDE_ENOUGH:
        return x
    return ctx.op("Cast", [x], {"to": "float32" if x.dtype in ("float16", "bfloat16") else "float64"})


def _narrowed(ctx: NodeContext, y: Value, dtype: str | None) -> Value:
    return y if y.dtype == dtype else ctx.op("Cast", [y], {"to": dtype})


@importer("ReduceL1")
def reduce_l1(ctx: NodeContext) -> Value:
    return _reduce(ctx, "ReduceSum", ctx.op("Abs", [ctx.require(0)]))


@importer("ReduceSumSquare")
def reduce_sum_square(ctx: NodeContext) -> Value:
    x = ctx.require(0)
    wide = x if x.dtype not in ("float16", "bfloat16") else _widened(ctx, x)
    return _narrowed(ctx, _reduce(ctx, "ReduceSum", ctx.op("Mul", [wide, wide])), x.dtype)


@importer("ReduceL2")
def reduce_l2(ctx: NodeContext) -> Value:
    x = ctx.require(0)
    wide = _widened(ctx, x)
    total = _reduce(ctx, "ReduceSum", ctx.op("Mul", [wide, wide]))
    return _narrowed(ctx, ctx.op("Sqrt", [total]), x.dtype)


@importer("ReduceLogSum")
def reduce_log_sum(ctx: NodeContext) -> Value:
    x = ctx.require(0)
    return _narrowed(ctx, ctx.op("Log", [_reduce(ctx, "ReduceSum", _widened(ctx, x))]), x.dtype)


@importer("ReduceLogSumExp")
def reduce_log_sum_exp(ctx: NodeContext) -> Value:
    """log(sum(exp(x - m))) + m with the largest element m, which keeps the exponentials finite."""
    x = ctx.require(0)
    wide = _widened(ctx, x)
    largest = float(np.finfo(np.float32).max)
    top = ctx.op("Clip", [_reduce(ctx, "ReduceMax", wide, keepdims=True)], {"min": -largest, "max": largest})
    total = _reduce(ctx, "ReduceSum", ctx.op("Exp", [ctx.op("Sub", [wide, top])]), keepdims=True)
    result = ctx.op("Add", [ctx.op("Log", [total]), top])
    attrs, axes = _axes(ctx)
    if not attrs["keepdims"]:
        everything = not attrs.get("axes") and axes is None
        if not (everything and attrs["noop_with_empty_axes"]):
            result = ctx.op("Squeeze", [result, axes], {"axes": range(wide.rank or 0) if everything
                                                        else attrs.get("axes", [])})
    return _narrowed(ctx, result, x.dtype)


@importer("ArgMax", "ArgMin")
def arg_extreme(ctx: NodeContext) -> Value:
    return ctx.op(ctx.op_type, [ctx.require(0)],
                  {"axis": ctx.attr("axis", 0), "keepdims": bool(ctx.attr("keepdims", 1)),
                   "select_last_index": bool(ctx.attr("select_last_index", 0))})


@importer("CumSum")
def cum_sum(ctx: NodeContext) -> Value:
    return ctx.op("CumSum", [ctx.require(0), ctx.require(1)],
                  {"exclusive": bool(ctx.attr("exclusive", 0)), "reverse": bool(ctx.attr("reverse", 0))})


@importer("TopK")
def top_k(ctx: NodeContext) -> list[Value]:
    k = ctx.constant(np.array([ctx.attr("k")], np.int64)) if ctx.has_attr("k") else ctx.require(1)
    return ctx.op("TopK", [ctx.require(0), k],
                  {"axis": ctx.attr("axis", -1), "largest": bool(ctx.attr("largest", 1)),
                   "sorted": bool(ctx.attr("sorted", 1))}, num_outputs=2)
