"""Spatial operators are given the layout their kernels run: channels last."""
from __future__ import annotations

from sampan.ir import Change, Graph, Node, Value

from ..match import attribute, evaluate, has_attribute, input_index

# Inputs that are images like the output, by operator; all others (weights, bias, scales) are handled apart.
_IMAGE_INPUTS = {"residual"}
_WEIGHT_PERMUTATIONS = {
    "Conv": lambda rank: [0, *range(2, rank), 1],  # OIHW -> OHWI
    "ConvTranspose": lambda rank: [0, *range(2, rank), 1],  # IOHW -> IHWO
}


def to_nhwc(graph: Graph) -> list[Change]:
    """Each operator with layout NCHW becomes NHWC between two transposes; later passes cancel these."""
    changes = []
    for node in list(graph.nodes):
        if not has_attribute(node.op, "layout") or attribute(node, "layout") != "NCHW":
            continue
        rank = node.inputs[0].rank
        if rank is None or rank < 3 or node.output.rank != rank or not _weights_ready(node):
            continue
        there = [0, *range(2, rank), 1]
        back = [0, rank - 1, *range(1, rank - 1)]
        image_inputs = [0] + [i for i in map(lambda n: input_index(node.op, n), _IMAGE_INPUTS) if i is not None]
        for i in image_inputs:
            value = node.input(i)
            if value is not None:
                node.set_input(i, transposed(graph, value, there, node))
        if node.op in _WEIGHT_PERMUTATIONS:
            weight = node.inputs[1]
            perm = _WEIGHT_PERMUTATIONS[node.op](weight.rank)
            if weight.is_constant:
                node.set_input(1, graph.add_constant(evaluate("Transpose", [weight.data], perm=perm), weight.name))
            else:
                node.set_input(1, transposed(graph, weight, perm, node))
        node.attrs["layout"] = "NHWC"
        for old in node.outputs:
            _transpose_back(graph, node, old, there, back)
        changes.append(Change("to_nhwc", f"{node.op} {node.name}", "its kernels run channels last",
                              tuple(node.sources)))
    return changes


def _weights_ready(node: Node) -> bool:
    weight = node.input(1) if node.op in _WEIGHT_PERMUTATIONS else None
    return weight is None or weight.rank is not None


def transposed(graph: Graph, value: Value, perm: list[int], before: Node) -> Value:
    """`value` with permuted axes: a constant, an existing transpose of it, or a new node."""
    if value.is_constant:
        constant = graph.add_constant(evaluate("Transpose", [value.data], perm=perm), value.name, source=value.source)
        constant.source_permutation = compose(value.source_permutation, perm)
        return constant
    node = graph.add_node("Transpose", [value], {"perm": perm}, before=before, name=f"{value.name}/transposed")
    node.output.source = value.source
    node.output.source_permutation = compose(value.source_permutation, perm)
    return node.output


def compose(first: tuple[int, ...] | None, then: list[int]) -> tuple[int, ...] | None:
    """Axes of `first` followed by `then`; None for the identity."""
    result = tuple(then) if first is None else tuple(first[p] for p in then)
    return None if result == tuple(range(len(result))) else result


def _transpose_back(graph: Graph, node: Node, old: Value, there: list[int], back: list[int]) -> None:
    """Gives `node` a channels-last output in place of `old`, and makes `old`'s users read its transpose."""
    fresh = Value(graph.unique_name(f"{old.name}/nhwc"), old.dtype,
                  None if old.shape is None else [old.shape[p] for p in there], source=old.source)
    fresh.source_permutation = compose(old.source_permutation, there)
    node.outputs[node.outputs.index(old)] = fresh
    fresh.producer = node
    index = next(i for i, n in enumerate(graph.nodes) if n is node)
    follower = graph.nodes[index + 1] if index + 1 < len(graph.nodes) else None
    transpose = graph.add_node("Transpose", [fresh], {"perm": back}, before=follower, name=f"{old.name}/nchw")
    transpose.output.source, transpose.output.source_permutation = old.source, old.source_permutation
    graph.replace_uses(old, transpose.output)
