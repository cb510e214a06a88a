"""Reshape targets that follow from the input's shape become constants, so that the shape arithmetic can go."""
from __future__ import annotations

import numpy as np

from sampan.ir import Change, Graph, Node

from ..match import attribute


def fix_reshape_targets(graph: Graph) -> list[Change]:
    """Reshape with a computed target gets one of numbers, 0 (copy that dimension) and at most one -1 (the rest)."""
    changes = []
    for node in list(graph.nodes):
        if node.op != "Reshape" or node.inputs[1].is_constant or attribute(node, "allow_zero"):
            continue
        target = _target(node)
        if target is None:
            continue
        node.set_input(1, graph.add_constant(np.asarray(target, np.int64), f"{node.name}/shape"))
        changes.append(Change("fix_reshape_targets", f"{node.name}: {target}",
                              "each dimension is a number, a dimension of the input, or the rest",
                              tuple(node.sources)))
    return changes


def _target(node: Node) -> list[int] | None:
    source, shape = node.inputs[0].shape, node.output.shape
    if source is None or shape is None or 0 in shape or 0 in source:
        return None
    target: list[int] = []
    for i, dim in enumerate(shape):
        if isinstance(dim, int):
            target.append(dim)
        elif i < len(source) and source[i] == dim:
            target.append(0)
        elif -1 in target:
            return None
        else:
            target.append(-1)
    return target
