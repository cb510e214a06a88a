"""Activations go into the operator that makes their input, where that operator can apply them."""
from __future__ import annotations

from sampan.ir import Change, Graph, Node

from ..match import attribute, has_attribute, scalar, sole_user
from .fold_batchnorm import absorb

INF = float("inf")
_SIMPLE = {"HardSwish": "hard_swish", "Sigmoid": "sigmoid", "Silu": "silu", "Tanh": "tanh", "Softplus": "softplus",
           "Mish": "mish"}


def fuse_activation(graph: Graph) -> list[Change]:
    """Conv/MatMul -> activation becomes one operator with an `activation` attribute."""
    changes = []
    for node in list(graph.nodes):
        if not has_attribute(node.op, "activation") or node.output.dtype != "float32":
            continue
        follower = sole_user(graph, node.output)
        if follower is None or follower.inputs[0] is not node.output or attribute(node, "activation") != "none":
            continue
        found = activation_of(follower)
        if found is None:
            continue
        node.attrs["activation"], node.attrs["act_alpha"], node.attrs["act_beta"] = found
        absorb(graph, node, follower)
        changes.append(Change("fuse_activation", f"{follower.op} {follower.name} into {node.name}",
                              "nothing else reads its input", tuple(follower.sources)))
    return changes


def activation_of(node: Node) -> tuple[str, float, float] | None:
    """(activation, alpha, beta) as `lite_runtime/kernels/activation.h` counts them, or None."""
    if node.op in _SIMPLE:
        return _SIMPLE[node.op], 0.0, 0.0
    if node.op == "Relu":
        return "clip", 0.0, INF
    if node.op == "Clip":
        low, high = (scalar(node.input(i)) for i in (1, 2))
        if (node.input(1) is not None and low is None) or (node.input(2) is not None and high is None):
            return None
        low = attribute(node, "min") if low is None else low
        high = attribute(node, "max") if high is None else high
        return "clip", float(low), float(high)
    if node.op == "LeakyRelu":
        return "leaky_relu", float(attribute(node, "alpha")), 0.0
    if node.op == "HardSigmoid":
        return "hard_sigmoid", float(attribute(node, "alpha")), float(attribute(node, "beta"))
    if node.op == "Elu":
        return "elu", float(attribute(node, "alpha")), 0.0
    if node.op == "Gelu":
        return ("gelu" if attribute(node, "approximate") == "none" else "gelu_tanh"), 0.0, 0.0
    return None
