"""Per-channel factors and offsets after a convolution or matrix product go into its weights and bias."""
from __future__ import annotations

import numpy as np

from sampan.ir import Change, Graph, Node

from ..match import attribute, channel_axis, evaluate, input_index, per_channel, sole_user, with_constant
from .fold_batchnorm import absorb, scale_output_channels

_LINEAR = ("Conv", "ConvTranspose", "MatMul")


def fold_affine(graph: Graph) -> list[Change]:
    """Conv/MatMul -> Mul(constant) or Add(constant) or Sub(constant) becomes one operator."""
    changes = []
    for linear in list(graph.nodes):
        while linear.op in _LINEAR and linear.output.dtype == "float32":
            follower = sole_user(graph, linear.output)
            if follower is None or not _fold(graph, linear, follower):
                break
            changes.append(Change("fold_affine", f"{follower.op} {follower.name} into {linear.name}",
                                  "its other operand is constant per output channel", tuple(follower.sources)))
    return changes


def _fold(graph: Graph, linear: Node, follower: Node) -> bool:
    if follower.op not in ("Mul", "Add", "Sub", "Div") or attribute(linear, "activation") != "none":
        return False
    residual_index = input_index(linear.op, "residual")
    if residual_index is not None and linear.input(residual_index) is not None:
        return False
    pair = with_constant(follower)
    if pair is None or pair[0] is not linear.output or follower.output.shape != linear.output.shape:
        return False
    if follower.op in ("Sub", "Div") and follower.inputs[0] is not linear.output:
        return False
    axis = channel_axis(linear)
    channels = linear.output.shape[axis] if linear.output.shape else None
    constant = per_channel(pair[1], channels, axis) if isinstance(channels, int) else None
    if constant is None:
        return False
    bias_index = input_index(linear.op, "bias")
    bias = linear.input(bias_index)
    if bias is not None and not bias.is_constant:
        return False
    if follower.op in ("Mul", "Div"):
        if not linear.inputs[1].is_constant or (linear.op == "MatMul" and linear.inputs[1].rank != 2):
            return False
        factor = constant if follower.op == "Mul" else evaluate("Reciprocal", [constant])
        scale_output_channels(graph, linear, factor)
    else:
        offset = constant if follower.op == "Add" else evaluate("Neg", [constant])
        if bias is not None:
            offset = evaluate("Add", [bias.data, offset])
        elif offset.size == 1:
            offset = np.full((channels,), offset[0], offset.dtype)
        linear.set_input(bias_index, graph.add_constant(offset, f"{linear.name}/bias"))
    absorb(graph, linear, follower)
    return True
