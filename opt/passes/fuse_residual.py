"""The sum at the end of a residual block is added while the last convolution's results are in registers."""
from __future__ import annotations

from sampan.ir import Change, Graph, Node, Value

from ..match import attribute, input_index, sole_user


def fuse_residual(graph: Graph) -> list[Change]:
    """Add(Conv or MatMul output, other tensor of the same shape) becomes the operator's `residual` input."""
    changes = []
    order = {id(node): i for i, node in enumerate(graph.nodes)}
    for add in list(graph.nodes):
        if add.op != "Add" or add.output.dtype != "float32":
            continue
        a, b = add.inputs
        if a is b or a.is_constant or b.is_constant or a.shape is None or a.shape != b.shape:
            continue
        candidates = [(n, other) for n, other in ((_host(graph, a, add), b), (_host(graph, b, add), a)) if n]
        if not candidates:
            continue
        # The later one: its other operand is then surely computed before it, or can be.
        node, other = max(candidates, key=lambda c: order[id(c[0])])
        _move_to(graph, node, add)
        node.set_input(input_index(node.op, "residual"), other)
        result = node.output
        result.source, result.source_permutation = add.output.source, add.output.source_permutation
        graph.replace_uses(add.output, result)
        node.sources = list(dict.fromkeys(node.sources + add.sources))
        for i in range(len(add.inputs)):
            add.set_input(i, None)
        graph.nodes = [n for n in graph.nodes if n is not add]
        changes.append(Change("fuse_residual", f"{add.name} into {node.name}", "both operands have the same shape",
                              tuple(add.sources)))
    return changes


def _host(graph: Graph, value: Value, add: Node) -> Node | None:
    node = value.producer
    if node is None or node.op not in ("Conv", "MatMul") or sole_user(graph, value) is not add:
        return None
    index = input_index(node.op, "residual")
    if index is None or node.input(index) is not None or attribute(node, "activation") != "none":
        return None
    return node


def _move_to(graph: Graph, node: Node, place: Node) -> None:
    """Moves a node down to just before `place`, where all of `place`'s inputs exist."""
    nodes = [n for n in graph.nodes if n is not node]
    index = next(i for i, n in enumerate(nodes) if n is place)
    nodes.insert(index, node)
    graph.nodes = nodes
