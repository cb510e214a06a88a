"""Takes out nodes that no output depends on."""
from __future__ import annotations

from sampan.ir import Change, Graph


def remove_dead_code(graph: Graph) -> list[Change]:
    """Nodes none of whose outputs is used or is a graph output are removed, last ones first."""
    changes = []
    outputs = {id(value) for value in graph.outputs}
    kept = []
    for node in reversed(graph.nodes):
        if any(value.users or id(value) in outputs for value in node.outputs):
            kept.append(node)
            continue
        for value in node.inputs:
            if value is not None:
                value.users.remove(node)
        node.inputs = []
        changes.append(Change("remove_dead_code", f"{node.op} {node.name}", "no output depends on it",
                              tuple(node.sources)))
    graph.nodes = kept[::-1]
    return changes
