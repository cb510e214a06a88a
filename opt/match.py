"""Small questions that passes ask of a graph."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sampan import lite_runtime
from sampan.ir import Graph, Node, Value, constant_of


def scalar(value: Value | None) -> float | None:
    """The number in a constant of one element, else None."""
    data = constant_of(value, max_elements=16)
    return float(data.reshape(-1)[0]) if data is not None and data.size == 1 else None


def is_scalar(value: Value | None, number: float, tolerance: float = 1e-6) -> bool:
    """Whether the value is a constant equal to `number` (as models write 1/sqrt(2) with few digits)."""
    got = scalar(value)
    return got is not None and abs(got - number) <= tolerance * max(1.0, abs(number))


def sole_user(graph: Graph, value: Value) -> Node | None:
    """The one node that reads the value, if there is exactly one use and the value is no graph output."""
    if len(value.users) != 1 or any(value is o for o in graph.outputs):
        return None
    return value.users[0]


def made_by(value: Value | None, *ops: str) -> Node | None:
    """The node that computes the value if it is one of `ops`."""
    node = None if value is None else value.producer
    return node if node is not None and node.op in ops and node.output is value else None


def with_constant(node: Node) -> tuple[Value, Value] | None:
    """(computed operand, constant operand) of a commutative binary node, if just one is constant."""
    a, b = node.inputs[0], node.inputs[1]
    if a is None or b is None or a.is_constant == b.is_constant:
        return None
    return (b, a) if a.is_constant else (a, b)


def input_index(op: str, name: str) -> int | None:
    """Position of an operator's input by its name, or None."""
    for i, definition in enumerate(lite_runtime.operators()[op].inputs):
        if definition.name == name:
            return i
    return None


def has_attribute(op: str, name: str) -> bool:
    return any(a.name == name for a in lite_runtime.operators()[op].attrs)


def attribute(node: Node, name: str) -> object:
    """A node's attribute, or its default."""
    if name in node.attrs:
        return node.attrs[name]
    for definition in lite_runtime.operators()[node.op].attrs:
        if definition.name == name:
            return definition.default
    raise KeyError(f"{node.op} has no attribute {name!r}")


def channel_axis(node: Node) -> int:
    """The axis of output channels of a Conv, ConvTranspose or MatMul result, counted from the end."""
    if node.op == "MatMul":
        return -1
    rank = node.output.rank or 4
    return -1 if attribute(node, "layout") == "NHWC" else 1 - rank


def per_channel(value: Value, channels: int, axis: int) -> np.ndarray | None:
    """A constant as one number per channel ([1] or [channels]) if it varies along no axis but `axis` (< 0)."""
    data = value.data
    if data is None:
        return None
    if data.size == 1:
        return data.reshape(1)
    if data.ndim < -axis or data.shape[axis] != channels or data.size != channels:
        return None
    return data.reshape(channels)


def evaluate(op: str, inputs: Sequence[np.ndarray | None], **attrs: object) -> np.ndarray:
    """One operator on arrays, by the operator library: what is stored in files is never computed by numpy."""
    return lite_runtime.evaluate(op, attrs, list(inputs), 1)[0]
