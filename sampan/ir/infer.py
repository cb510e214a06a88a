"""Types, shapes and known elements of a node's outputs: asked of the operator library, nothing is known here."""
from __future__ import annotations

import numpy as np

from sampan import lite_runtime

from .graph import Graph, Node, Value

MAX_ELEMENTS = 64  # as InferContext::kMaxValues: what is known of longer tensors is not tracked


def spec_of(value: Value | None) -> lite_runtime.TensorSpec | None:
    """What the operator library needs to know of an input."""
    if value is None:
        return None
    data = value.data if value.data is not None else value._folded
    if data is None and value.elements is None and _may_decide_shapes(value):
        data = constant_of(value, max_elements=MAX_ELEMENTS)
    if data is not None and data.size <= MAX_ELEMENTS * 16:
        return lite_runtime.TensorSpec(value.dtype, value.shape, data=data)
    return lite_runtime.TensorSpec(value.dtype, value.shape, values=value.elements)


def _may_decide_shapes(value: Value) -> bool:
    return value.dtype in ("int64", "int32") and value.is_static and \
        int(np.prod(value.shape, dtype=np.int64)) <= MAX_ELEMENTS


def infer_node(node: Node) -> None:
    """Sets dtype, shape and elements of the node's outputs.

    Raises what `lite_runtime.infer` raises when the operator refuses its inputs or attributes.
    """
    try:
        results = lite_runtime.infer(node.op, node.attrs, [spec_of(v) for v in node.inputs], len(node.outputs))
    except lite_runtime.SampanError as error:
        if hasattr(error, "add_note"):  # Python 3.11
            error.add_note(f"while inferring {node!r}")
        raise
    for value, result in zip(node.outputs, results):
        value.dtype, value.shape = result.dtype, result.shape
        value.elements = None if result.values is None else tuple(result.values)


def infer_graph(graph: Graph) -> None:
    """Infers all nodes in order, after a rewrite that changes shapes."""
    for node in graph.nodes:
        infer_node(node)


def constant_of(value: Value | None, *, max_elements: int = 1 << 16) -> np.ndarray | None:
    """The value's elements if they are the same in every run, else None.

    Looks through computations on constants (evaluated by the operator library and remembered) and through shape
    arithmetic that came out as plain numbers. The graph is not changed.
    """
    if value is None:
        return None
    if value.data is not None:
        return value.data
    if value._folded is not None:
        return value._folded
    if value.elements is not None and value.is_static and all(isinstance(e, int) for e in value.elements):
        value._folded = np.array(value.elements, dtype=value.dtype).reshape(value.shape)
        return value._folded
    return _evaluate(value, max_elements)


def _evaluate(value: Value, max_elements: int) -> np.ndarray | None:
    """Runs the cone of constant nodes above `value`, without recursion (shape chains can be long)."""
    stack = [value]
    while stack:
        top = stack[-1]
        node = top.producer
        if top._folded is not None:
            stack.pop()
            continue
        if node is None or not top.is_static or int(np.prod(top.shape, dtype=np.int64)) > max_elements:
            return None
        missing = []
        for v in node.inputs:
            if v is None or v.data is not None or v._folded is not None:
                continue
            if v.elements is not None and v.is_static and all(isinstance(e, int) for e in v.elements):
                v._folded = np.array(v.elements, dtype=v.dtype).reshape(v.shape)
                continue
            missing.append(v)
        if missing:
            stack.extend(missing)
            continue
        arrays = [None if v is None else v.data if v.data is not None else v._folded for v in node.inputs]
        results = lite_runtime.evaluate(node.op, node.attrs, arrays, len(node.outputs))
        for out, array in zip(node.outputs, results):
            out._folded = array
        stack.pop()
    return value._folded
