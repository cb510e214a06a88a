"""Reshapes, transposes and casts that do nothing, or that another one undoes."""
from __future__ import annotations

import numpy as np

from sampan.ir import Change, Graph, Node, Value

from ..match import attribute, made_by


def simplify_moves(graph: Graph) -> list[Change]:
    """Identity, Cast to the same type, Reshape to the same shape, and chains of Reshape or Transpose."""
    changes = []
    for node in list(graph.nodes):
        rule = _RULES.get(node.op)
        if rule is None or not node.inputs:
            continue
        result = rule(graph, node)
        if result is None:
            continue
        value, reason = result
        if _needs_own_writer(graph, node, value):
            if value is node.inputs[0]:
                continue
            value = graph.add_node("Identity", [value], sources=node.sources, before=node, name=f"{node.name}/output",
                                   output_names=[f"{node.output.name}/output"]).output
        graph.replace_uses(node.output, value)
        graph.remove(node)
        changes.append(Change("simplify_moves", f"{node.op} {node.name}", reason, tuple(node.sources)))
    return changes


def _needs_own_writer(graph: Graph, node: Node, value: Value) -> bool:
    """A graph output must not become a graph input, nor a second name of another output."""
    if not any(node.output is o for o in graph.outputs):
        return False
    return value.producer is None or any(value is o for o in graph.outputs)


def _identity(graph: Graph, node: Node) -> tuple[Value, str] | None:
    return node.inputs[0], "it passes its input on"


def _cast(graph: Graph, node: Node) -> tuple[Value, str] | None:
    return (node.inputs[0], "the input has this type already") if node.inputs[0].dtype == node.output.dtype else None


def _reshape(graph: Graph, node: Node) -> tuple[Value, str] | None:
    x = node.inputs[0]
    if x.shape is not None and x.shape == node.output.shape:
        return x, "the input has this shape already"
    before = made_by(x, "Reshape", "Squeeze", "Unsqueeze")
    target = _target(node)
    if before is not None and target is not None:
        fresh = _add_reshape(graph, before.inputs[0], target, node)
        if fresh.shape == node.output.shape:
            return fresh, f"it follows {before.name}, which only renames dimensions, too"
        graph.remove(fresh.producer)
    return None


def _target(node: Node) -> list[int] | None:
    """The output's shape as a Reshape operand with at most one -1, if that says it all."""
    shape = node.output.shape
    if shape is None:
        return None
    unknown = [i for i, d in enumerate(shape) if isinstance(d, str)]
    if len(unknown) > 1 or (unknown and 0 in shape):
        return None
    return [-1 if isinstance(d, str) else d for d in shape]


def _add_reshape(graph: Graph, x: Value, target: list[int], place: Node) -> Value:
    shape = graph.add_constant(np.asarray(target, np.int64), f"{place.name}/shape")
    node = graph.add_node("Reshape", [x, shape], {"allow_zero": True} if 0 in target else {}, sources=place.sources,
                          before=place, name=f"{place.name}/merged", output_names=[f"{place.output.name}/merged"])
    return node.output


def _transpose(graph: Graph, node: Node) -> tuple[Value, str] | None:
    x = node.inputs[0]
    perm = permutation(node)
    if perm == list(range(len(perm))):
        return x, "it keeps the order of axes"
    before = made_by(x, "Transpose")
    if before is not None:
        first = permutation(before)
        merged = [first[p] for p in perm]
        if merged == list(range(len(merged))):
            return before.inputs[0], f"it undoes {before.name}"
        fresh = graph.add_node("Transpose", [before.inputs[0]], {"perm": merged}, sources=before.sources + node.sources,
                               before=node, name=f"{node.name}/merged",
                               output_names=[f"{node.output.name}/merged"])
        return fresh.output, f"it follows {before.name}"
    target = _target(node)
    if x.shape is not None and target is not None and not any(d == 0 for d in x.shape):
        moved = [p for p in perm if x.shape[p] != 1]
        if moved == sorted(moved):
            fresh = _add_reshape(graph, x, target, node)
            if fresh.shape == node.output.shape:
                return fresh, "it moves only dimensions of size 1"
            graph.remove(fresh.producer)
    return None


def permutation(node: Node) -> list[int]:
    """A Transpose's axes (reversed when the attribute is empty)."""
    perm = list(attribute(node, "perm"))
    return perm or list(range(node.inputs[0].rank))[::-1]


_RULES = {"Identity": _identity, "Cast": _cast, "Reshape": _reshape, "Squeeze": _reshape, "Unsqueeze": _reshape,
          "Transpose": _transpose}
