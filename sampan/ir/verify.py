"""The grammar of a graph, as a check that can be run between any two passes."""
from __future__ import annotations

import re

from .graph import Graph, Value

SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class GraphError(ValueError):
    """A graph breaks the grammar: a fault of the reader or pass that made it, not of the user's model."""


def verify(graph: Graph, *, shapes: bool = True) -> None:
    """Raises GraphError naming the first node or value that is wrong.

    Checked: unique names, one writer each, order of nodes, user lists, constants' dtype and shape, symbols, and
    (with `shapes`) that the operator library accepts every node and infers what the graph says.
    """
    known: set[int] = set()
    names: dict[str, Value] = {}

    def fail(where: object, problem: str) -> None:
        raise GraphError(f"graph {graph.name!r}, {where!r}: {problem}")

    def name(value: Value) -> None:
        other = names.setdefault(value.name, value)
        if other is not value:
            fail(value, "the name is used by two values")

    for value in graph.inputs:
        if value.producer is not None or value.data is not None:
            fail(value, "a graph input cannot be computed or constant")
        if value.shape is None:
            fail(value, "a graph input needs a shape")
        for d in value.shape or ():
            if isinstance(d, str) and not SYMBOL.match(d):
                fail(value, f"dimension {d!r} of a graph input must be a number or a symbol")
        name(value)
        known.add(id(value))
    for node in graph.nodes:
        for value in node.inputs:
            if value is None:
                continue
            if node not in value.users:
                fail(node, f"input {value.name!r} does not list it as a user")
            if value.data is not None:
                if str(value.data.dtype) != value.dtype or tuple(value.data.shape) != value.shape:
                    fail(value, f"the constant's data are {value.data.dtype}{list(value.data.shape)}")
                name(value)
            elif id(value) not in known:
                fail(node, f"input {value.name!r} is used before it is computed")
        for value in node.outputs:
            if value.producer is not node:
                fail(node, f"output {value.name!r} has another writer")
            if id(value) in known:
                fail(node, f"output {value.name!r} is written twice")
            name(value)
            known.add(id(value))
    for value in graph.outputs:
        if value.data is None and id(value) not in known:
            fail(value, "a graph output that nothing computes")
    if len(graph.output_names) != len(graph.outputs):
        fail(graph.name, f"{len(graph.outputs)} outputs with {len(graph.output_names)} names")
    if shapes:
        _verify_shapes(graph)


def _verify_shapes(graph: Graph) -> None:
    from sampan import lite_runtime

    from .infer import spec_of

    for node in graph.nodes:
        results = lite_runtime.infer(node.op, node.attrs, [spec_of(v) for v in node.inputs], len(node.outputs))
        for value, result in zip(node.outputs, results):
            got = (value.dtype, value.shape)
            if got != (result.dtype, result.shape) and not _fresh(value, result.shape):
                raise GraphError(f"graph {graph.name!r}, {node!r}: output {value.name!r} is recorded as {got}, the "
                                 f"operator says {(result.dtype, result.shape)}")


def _fresh(value: Value, shape: tuple | None) -> bool:
    """Unknown dimensions get a new name at each inference, so they only have to agree in rank and numbers."""
    if value.shape is None or shape is None or len(value.shape) != len(shape):
        return value.shape is None
    return all(a == b or "?" in str(a) for a, b in zip(value.shape, shape))
