"""Layer normalisation that a model writes out in primitives."""
from __future__ import annotations

from sampan.ir import Change, Graph, Node, Value, constant_of

from ..match import attribute, is_scalar, made_by, scalar, sole_user


def fuse_layer_norm(graph: Graph) -> list[Change]:
    """(x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) [* scale] [+ bias] over the last axis."""
    changes = []
    for node in list(graph.nodes):
        if node.op != "Div" or not node.inputs:
            continue
        found = _match(node)
        if found is None:
            continue
        x, epsilon = found
        last, scale, bias = node, None, None
        follower = sole_user(graph, node.output)
        if follower is not None and follower.op == "Mul":
            scale = _parameter(follower, last.output, x)
            if scale is not None:
                last = follower
                follower = sole_user(graph, last.output)
                if follower is not None and follower.op == "Add":
                    bias = _parameter(follower, last.output, x)
                    last = follower if bias is not None else last
        if scale is None:
            continue
        fused = graph.add_node("LayerNormalization", [x, scale, bias], {"axis": -1, "epsilon": epsilon},
                               sources=dict.fromkeys(node.sources + last.sources), before=last,
                               name=f"{last.name}/LayerNormalization",
                               output_names=[f"{last.output.name}/LayerNormalization"])
        fused.output.source = last.output.source
        fused.output.source_permutation = last.output.source_permutation
        graph.replace_uses(last.output, fused.output)
        changes.append(Change("fuse_layer_norm", f"LayerNormalization ending at {last.name}",
                              "mean, variance, scale and bias over the last axis", tuple(fused.sources)))
    return changes


def _match(div: Node) -> tuple[Value, float] | None:
    centred = made_by(div.inputs[0], "Sub")
    root = made_by(div.inputs[1], "Sqrt")
    if centred is None or root is None:
        return None
    add = made_by(root.inputs[0], "Add")
    if add is None:
        return None
    epsilon, variance = scalar(add.inputs[1]), add.inputs[0]
    if epsilon is None:
        epsilon, variance = scalar(add.inputs[0]), add.inputs[1]
    mean_square = _mean_over_last(variance)
    x = centred.inputs[0]
    if epsilon is None or mean_square is None or _mean_over_last(centred.inputs[1]) is not x:
        return None
    square = made_by(mean_square, "Pow", "Mul")
    if square is None:
        return None
    base = square.inputs[0]
    is_square = is_scalar(square.inputs[1], 2.0) if square.op == "Pow" else square.inputs[1] is base
    twin = made_by(base, "Sub")
    if not is_square or twin is None or twin.inputs[0] is not x or _mean_over_last(twin.inputs[1]) is not x:
        return None
    return x, epsilon


def _mean_over_last(value: Value | None) -> Value | None:
    """x, if value = ReduceMean(x) over the last axis with kept dimensions."""
    node = made_by(value, "ReduceMean")
    if node is None or not attribute(node, "keepdims") or node.inputs[0].rank is None:
        return None
    axes = list(attribute(node, "axes"))
    if node.input(1) is not None:
        given = constant_of(node.input(1))
        axes = [] if given is None else [int(a) for a in given]
    return node.inputs[0] if axes in ([-1], [node.inputs[0].rank - 1]) else None


def _parameter(node: Node, value: Value, x: Value) -> Value | None:
    """The constant [C] operand of a Mul or Add whose other operand is `value`."""
    other = node.inputs[1] if node.inputs[0] is value else node.inputs[0]
    if not other.is_constant or x.shape is None or other.shape != (x.shape[-1],):
        return None
    return other
