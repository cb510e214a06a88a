"""Common subexpressions: equal operators on equal inputs are computed once."""
from __future__ import annotations

import hashlib

from sampan.ir import Change, Graph, Value


def merge_common(graph: Graph) -> list[Change]:
    """Of nodes with the same operator, attributes and inputs (constants by content) the first one stays."""
    changes = []
    seen: dict[tuple, object] = {}
    digests: dict[int, tuple] = {}
    outputs = {id(value) for value in graph.outputs}

    def key(value: Value | None) -> tuple | None:
        if value is None:
            return None
        if value.data is None:
            return ("value", id(value))
        if id(value) not in digests:
            digests[id(value)] = ("const", value.dtype, value.shape, hashlib.sha256(value.data.tobytes()).digest())
        return digests[id(value)]

    for node in list(graph.nodes):
        signature = (node.op, repr(sorted(node.attrs.items())), tuple(map(key, node.inputs)), len(node.outputs))
        first = seen.setdefault(signature, node)
        if first is node:
            continue
        # Two graph outputs of one value would leave one of the names without a writer of its own.
        if any(id(a) in outputs and id(b) in outputs for a, b in zip(node.outputs, first.outputs)):
            continue
        for old, new in zip(node.outputs, first.outputs):
            graph.replace_uses(old, new)
            if id(old) in outputs:
                outputs.add(id(new))
        first.sources = list(dict.fromkeys(first.sources + node.sources))
        graph.remove(node)
        changes.append(Change("merge_common", f"{node.op} {node.name}", f"computes the same as {first.name}",
                              tuple(node.sources)))
    return changes
