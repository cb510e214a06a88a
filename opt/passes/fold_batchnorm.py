"""Batch normalisation after a convolution goes into its weights."""
from __future__ import annotations

import numpy as np

from sampan.ir import Change, Graph, Node

from ..match import attribute, evaluate, input_index, made_by, sole_user


def fold_batchnorm(graph: Graph) -> list[Change]:
    """Conv -> BatchNormalization with constant parameters becomes one Conv.

    With s = scale / sqrt(variance + epsilon) the weights become w * s and the bias (b - mean) * s + shift, per
    output channel (Jacob et al. 2018, section 3.2).
    """
    changes = []
    for node in list(graph.nodes):
        if node.op != "BatchNormalization":
            continue
        conv = made_by(node.inputs[0], "Conv", "ConvTranspose")
        if conv is None or sole_user(graph, conv.output) is not node or not _foldable(conv, node):
            continue
        scale, shift, mean, variance = (node.inputs[i].data for i in range(1, 5))
        epsilon = np.asarray(attribute(node, "epsilon"), scale.dtype)
        factor = evaluate("Div", [scale, evaluate("Sqrt", [evaluate("Add", [variance, epsilon])])])
        scale_output_channels(graph, conv, factor)
        bias_index = input_index(conv.op, "bias")
        bias = conv.input(bias_index)
        # The bias was scaled with the weights, so the mean is scaled here and subtracted after.
        offset = evaluate("Sub", [shift, evaluate("Mul", [mean, factor])])
        fresh = offset if bias is None else evaluate("Add", [bias.data, offset])
        conv.set_input(bias_index, graph.add_constant(fresh, f"{conv.name}/bias"))
        absorb(graph, conv, node)
        changes.append(Change("fold_batchnorm", f"{node.name} into {conv.name}", "its parameters are constant",
                              tuple(node.sources)))
    return changes


def _foldable(conv: Node, norm: Node) -> bool:
    bias = conv.input(input_index(conv.op, "bias"))
    residual_index = input_index(conv.op, "residual")
    residual = None if residual_index is None else conv.input(residual_index)
    return (conv.inputs[1].is_constant and (bias is None or bias.is_constant) and residual is None
            and attribute(conv, "activation") == "none" and len(norm.outputs) == 1
            and conv.output.dtype == "float32" and all(norm.inputs[i].is_constant for i in range(1, 5)))


def scale_output_channels(graph: Graph, conv: Node, factor: np.ndarray) -> None:
    """Multiplies weights and bias of a convolution or matrix product by one factor per output channel."""
    weight = conv.inputs[1]
    shape = [1] * weight.data.ndim
    if factor.size == 1:
        shaped = factor.reshape(())
    elif conv.op == "ConvTranspose":
        group = int(attribute(conv, "group"))
        # Weights are [C_in][C_out / group]...: input channels of group g feed its output channels only.
        per_group = factor.reshape(group, 1, -1)
        repeat = weight.data.shape[0] // group
        shaped = np.broadcast_to(per_group, (group, repeat, per_group.shape[2]))
        shaped = np.ascontiguousarray(shaped.reshape(weight.data.shape[:2] + (1,) * (weight.data.ndim - 2)))
    else:
        axis = (weight.data.ndim - 2 if attribute(conv, "transpose_b") else weight.data.ndim - 1) \
            if conv.op == "MatMul" else 0
        shape[axis] = factor.size
        shaped = factor.reshape(shape)
    conv.set_input(1, graph.add_constant(evaluate("Mul", [weight.data, shaped]), weight.name))
    bias_index = input_index(conv.op, "bias")
    bias = conv.input(bias_index)
    if bias is not None:
        conv.set_input(bias_index, graph.add_constant(evaluate("Mul", [bias.data, factor]), bias.name))


def absorb(graph: Graph, node: Node, follower: Node) -> None:
    """`follower`, which only post-processed `node`'s output, is now part of it: node's output takes its place."""
    result, old = follower.output, node.output
    old.source, old.source_permutation = result.source, result.source_permutation
    graph.replace_uses(result, old, except_in=None)
    node.sources = list(dict.fromkeys(node.sources + follower.sources))
    for i, value in enumerate(list(follower.inputs)):
        if value is not None:
            follower.set_input(i, None)
    graph.nodes = [n for n in graph.nodes if n is not follower]
