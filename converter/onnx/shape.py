"""Shapes and the movement of data."""
from __future__ import annotations

import numpy as np

from sampan.ir import Value

from .reader import dtype_name
from .registry import NodeContext, importer


def _ints(ctx: NodeContext, values: object) -> Value:
    return ctx.constant(np.asarray(values, np.int64).reshape(-1))


def _as_list(ctx: NodeContext, value: Value) -> Value:
    """A scalar operand as a list of one."""
    return ctx.op("Reshape", [value, _ints(ctx, [-1])]) if value.rank == 0 else value


@importer("Shape")
def shape(ctx: NodeContext) -> Value:
    attrs = {"start": ctx.attr("start", 0)}
    if ctx.has_attr("end"):
        attrs["end"] = ctx.attr("end")
    return ctx.op("Shape", [ctx.require(0)], attrs)


@importer("Size")
def size(ctx: NodeContext) -> Value:
    return ctx.op("Size", [ctx.require(0)])


@importer("Reshape")
def reshape(ctx: NodeContext) -> Value:
    return ctx.op("Reshape", [ctx.require(0), ctx.require(1)], {"allow_zero": bool(ctx.attr("allowzero", 0))})


@importer("Flatten")
def flatten(ctx: NodeContext) -> Value:
    x, axis = ctx.require(0), ctx.attr("axis", 1)
    if x.rank is None:
        return ctx.refuse("the rank of the input is not known")
    if not -x.rank <= axis <= x.rank:
        return ctx.refuse(f"axis {axis} is out of range: the input has rank {x.rank}")
    axis %= x.rank + 1 if axis >= 0 else max(x.rank, 1)
    if axis == 0:
        return ctx.op("Reshape", [x, _ints(ctx, [1, -1])]) if 0 not in (x.shape or ()) else \
            ctx.op("Reshape", [x, _ints(ctx, [1, 0])], {"allow_zero": True})
    if axis == 1:
        tail = x.shape[1:] if x.shape else ()
        if all(isinstance(d, int) for d in tail):
            return ctx.op("Reshape", [x, _ints(ctx, [0, int(np.prod(tail, dtype=np.int64))])])
        return ctx.op("Reshape", [x, _ints(ctx, [0, -1])])
    dims = ctx.op("Shape", [x])
    parts = [ctx.op("ReduceProd", [ctx.op("Slice", [dims, _ints(ctx, [a]), _ints(ctx, [b])])],
                    {"axes": [0], "keepdims": True}) for a, b in ((0, axis), (axis, x.rank))]
    return ctx.op("Reshape", [x, ctx.op("Concat", parts)], {"allow_zero": True})


@importer("Squeeze", "Unsqueeze")
def squeeze(ctx: NodeContext) -> Value:
    x, axes = ctx.require(0), ctx.const(1)
    if ctx.has_attr("axes"):
        return ctx.op(ctx.op_type, [x], {"axes": ctx.attr("axes")})
    if axes is not None:
        if axes.size == 0 and ctx.op_type == "Squeeze":
            return ctx.op("Squeeze", [x, ctx.input(1)])  # nothing is named, so nothing is removed
        return ctx.op(ctx.op_type, [x], {"axes": [int(a) for a in axes.reshape(-1)]})
    return ctx.op(ctx.op_type, [x, ctx.input(1)])


@importer("Transpose")
def transpose(ctx: NodeContext) -> Value:
    return ctx.op("Transpose", [ctx.require(0)], {"perm": ctx.attr("perm", [])})


@importer("Concat")
def concat(ctx: NodeContext) -> Value:
    return ctx.op("Concat", [ctx.require(i) for i in range(len(ctx.inputs))], {"axis": ctx.attr("axis", 1)})


@importer("Split")
def split(ctx: NodeContext) -> list[Value]:
    x, outputs = ctx.require(0), ctx.num_outputs
    sizes = ctx.input(1)
    if ctx.has_attr("split"):
        sizes = _ints(ctx, ctx.attr("split"))
    wanted = ctx.attr("num_outputs", outputs)
    if wanted != outputs:
        return ctx.refuse(f"num_outputs is {wanted}, but the node has {outputs} outputs")
    results = ctx.op("Split", [x, sizes], {"axis": ctx.attr("axis", 0)}, num_outputs=outputs)
    return [results] if outputs == 1 else results


@importer("Slice")
def slice_with_attributes(ctx: NodeContext) -> Value:
    starts, ends = ctx.attr("starts", []), ctx.attr("ends", [])
    axes = ctx.attr("axes")
    return ctx.op("Slice", [ctx.require(0), _ints(ctx, starts), _ints(ctx, ends),
                            None if axes is None else _ints(ctx, axes)])


@importer("Slice", since=10)
def slice_(ctx: NodeContext) -> Value:
    return ctx.op("Slice", [ctx.require(0), ctx.require(1), ctx.require(2), ctx.input(3), ctx.input(4)])


@importer("Pad")
def pad(ctx: NodeContext) -> Value:
    x, mode = ctx.require(0), ctx.attr("mode", "constant")
    if ctx.has_attr("pads"):  # until opset 10
        value = float(ctx.attr("value", 0.0))
        constant = ctx.constant(np.array(value, x.dtype)) if value and mode == "constant" else None
        return ctx.op("Pad", [x, _ints(ctx, ctx.attr("pads")), constant], {"mode": mode})
    return ctx.op("Pad", [x, ctx.require(1), ctx.input(2) if mode == "constant" else None, ctx.input(3)],
                  {"mode": mode})


@importer("Expand")
def expand(ctx: NodeContext) -> Value:
    return ctx.op("Expand", [ctx.require(0), ctx.require(1)])


@importer("Tile")
def tile(ctx: NodeContext) -> Value:
    return ctx.op("Tile", [ctx.require(0), ctx.require(1)])


@importer("ConstantOfShape")
def constant_of_shape(ctx: NodeContext) -> Value:
    value = ctx.attr("value")
    value = np.zeros(1, np.float32) if value is None else value
    return ctx.op("ConstantOfShape", [ctx.require(0), ctx.constant(value)])


@importer("Range")
def range_(ctx: NodeContext) -> Value:
    return ctx.op("Range", [ctx.require(0), ctx.require(1), ctx.require(2)])


@importer("EyeLike")
def eye_like(ctx: NodeContext) -> Value:
    attrs = {"k": ctx.attr("k", 0)}
    if ctx.has_attr("dtype"):
        attrs["dtype"] = dtype_name(ctx.attr("dtype"))
        if attrs["dtype"] is None:
            return ctx.refuse("the element type of the result is not supported")
    return ctx.op("EyeLike", [ctx.require(0)], attrs)


@importer("Trilu")
def trilu(ctx: NodeContext) -> Value:
    return ctx.op("Trilu", [ctx.require(0), ctx.input(1)], {"upper": bool(ctx.attr("upper", 1))})


@importer("ReverseSequence")
def reverse_sequence(ctx: NodeContext) -> Value:
    return ctx.op("ReverseSequence", [ctx.require(0), ctx.require(1)],
                  {"batch_axis": ctx.attr("batch_axis", 1), "time_axis": ctx.attr("time_axis", 0)})
