"""Factors and offsets before a convolution or matrix product go into its weights and bias.

Models with learnable scales put them after the activation, where `fold_affine` cannot reach.
"""
from __future__ import annotations

import numpy as np

from sampan.ir import Change, Graph, Node, Value

from ..match import attribute, evaluate, input_index, per_channel, with_constant


def fold_affine_forward(graph: Graph) -> list[Change]:
    """Mul(x, constant) or Add(x, constant), read by convolutions and matrix products only, is folded into them.

    An offset before a convolution that pads stays: padding with zeros comes after it.
    """
    changes = []
    for node in list(graph.nodes):
        if node.op not in ("Mul", "Add") or node.output.dtype != "float32" or not node.output.users:
            continue
        pair = with_constant(node)
        if pair is None or any(node.output is o for o in graph.outputs) or pair[0].shape != node.output.shape:
            continue
        users = list(dict.fromkeys(node.output.users))
        constants = [_constant_for(node, user, pair[1]) for user in users]
        if any(c is None for c in constants):
            continue
        for user, constant in zip(users, constants):
            (_scale if node.op == "Mul" else _offset)(graph, user, constant)
            user.set_input(0, pair[0])
            user.sources = list(dict.fromkeys(node.sources + user.sources))
        graph.remove(node)
        names = ", ".join(user.name for user in users)
        changes.append(Change("fold_affine_forward", f"{node.op} {node.name} into {names}",
                              "its other operand is constant per input channel", tuple(node.sources)))
    return changes


def _constant_for(node: Node, user: Node, constant: Value) -> np.ndarray | None:
    """The constant as one number per input channel of `user`, or None if it cannot be folded there."""
    if user.op not in ("Conv", "MatMul") or user.inputs[0] is not node.output or not user.inputs[1].is_constant:
        return None
    if user.inputs.count(node.output) != 1 or user.output.dtype != "float32":
        return None
    weight = user.inputs[1]
    bias = user.input(input_index(user.op, "bias"))
    if bias is not None and not bias.is_constant:
        return None
    if user.op == "MatMul":
        if weight.rank != 2 or attribute(user, "transpose_a") or attribute(user, "alpha") != 1.0 \
                or node.output.rank is None or node.output.rank < 2:
            return None
        axis, channels = -1, weight.shape[0 if not attribute(user, "transpose_b") else 1]
    else:
        nhwc = attribute(user, "layout") == "NHWC"
        axis = -1 if nhwc else 1 - weight.rank
        channels = weight.shape[-1 if nhwc else 1] * int(attribute(user, "group"))
        if node.op == "Add" and (any(attribute(user, "pads")) or attribute(user, "auto_pad") not in ("NOTSET", "VALID")):
            return None
    return per_channel(constant, channels, axis)


def _per_weight(user: Node, constant: np.ndarray) -> np.ndarray:
    """The constant, shaped to broadcast against `user`'s weights."""
    weight = user.inputs[1].data
    if constant.size == 1:
        return constant.reshape(())
    if user.op == "MatMul":
        return constant.reshape((1, -1) if attribute(user, "transpose_b") else (-1, 1))
    group = int(attribute(user, "group"))
    out = weight.shape[0]
    # Output channel o of group g sees the input channels of group g.
    rows = np.repeat(constant.reshape(group, -1), out // group, axis=0)
    if attribute(user, "layout") == "NHWC":
        return rows.reshape((out,) + (1,) * (weight.ndim - 2) + (-1,))
    return rows.reshape((out, -1) + (1,) * (weight.ndim - 2))


def _scale(graph: Graph, user: Node, factor: np.ndarray) -> None:
    weight = user.inputs[1]
    user.set_input(1, graph.add_constant(evaluate("Mul", [weight.data, _per_weight(user, factor)]), weight.name))


def _offset(graph: Graph, user: Node, offset: np.ndarray) -> None:
    product = evaluate("Mul", [user.inputs[1].data, _per_weight(user, offset)])
    if user.op == "MatMul":
        axes = [1 if attribute(user, "transpose_b") else 0]
    else:
        axes = list(range(1, product.ndim))
    total = evaluate("ReduceSum", [product], axes=axes, keepdims=False)
    index = input_index(user.op, "bias")
    bias = user.input(index)
    fresh = total if bias is None else evaluate("Add", [bias.data, total])
    user.set_input(index, graph.add_constant(fresh, f"{user.name}/bias"))
