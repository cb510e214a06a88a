"""Moves the transposes that `to_nhwc` put after spatial operators down, until they meet their inverse.

Only transposes from channels last to channels first move, so that a model's own transposes stay where they are.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sampan.ir import Change, Graph, Node, Value, constant_of

from ..match import attribute, evaluate, made_by
from .simplify_moves import permutation
from .to_nhwc import compose, transposed

UNARY = frozenset("""Abs Neg Exp Log Sqrt Reciprocal Floor Ceil Round Sign Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh
    Acosh Atanh Erf Tanh Sigmoid Softplus Softsign Elu Selu Celu LeakyRelu ThresholdedRelu HardSigmoid HardSwish Mish
    Gelu Silu Shrink Not IsNaN IsInf BitwiseNot Clip Relu Cast Identity""".split())
BROADCAST = frozenset("""Add Sub Mul Div Pow Mod Min Max PRelu Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor
    BitwiseAnd BitwiseOr BitwiseXor Where""".split())
REDUCE = frozenset("""ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum
    ReduceLogSumExp ReduceSumSquare""".split())


def sink_transposes(graph: Graph) -> list[Change]:
    """op(transpose(x)) becomes transpose(op(x)) wherever the operator allows it."""
    changes = []
    for node in list(graph.nodes):
        rule = _rule_for(node.op)
        if rule is None or not node.inputs or not node.outputs:
            continue
        if rule(graph, node):
            changes.append(Change("sink_transposes", f"below {node.op} {node.name}",
                                  "the operator gives the same numbers in either layout", tuple(node.sources)))
    return changes


def _rule_for(op: str) -> Callable[[Graph, Node], bool] | None:
    if op in UNARY:
        return _unary
    if op in BROADCAST:
        return _broadcast
    if op in REDUCE:
        return _reduce
    return {"Concat": _concat, "Softmax": _axis, "LogSoftmax": _axis, "Split": _axis, "Slice": _slice,
            "Pad": _pad, "Squeeze": _squeeze}.get(op)


def layout_perm(value: Value | None) -> list[int] | None:
    """The axes of a channels-last to channels-first transpose that makes `value`, else None."""
    node = made_by(value, "Transpose")
    if node is None:
        return None
    perm = permutation(node)
    return perm if len(perm) >= 3 and perm == [0, len(perm) - 1, *range(1, len(perm) - 1)] else None


def _inverse(perm: list[int]) -> list[int]:
    return [perm.index(i) for i in range(len(perm))]


def _swap_outputs(graph: Graph, node: Node, perm: list[int]) -> None:
    """Gives the node channels-last outputs (inferred anew), and its old users their transposes."""
    from sampan.ir import infer_node

    old_outputs = list(node.outputs)
    node.outputs = [Value(graph.unique_name(f"{v.name}/nhwc"), source=v.source) for v in old_outputs]
    for fresh, old in zip(node.outputs, old_outputs):
        fresh.producer = node
        fresh.source_permutation = compose(old.source_permutation, _inverse(perm))
    infer_node(node)
    index = next(i for i, n in enumerate(graph.nodes) if n is node)
    for fresh, old in zip(node.outputs, old_outputs):
        follower = graph.nodes[index + 1] if index + 1 < len(graph.nodes) else None
        transpose = graph.add_node("Transpose", [fresh], {"perm": perm}, before=follower, name=f"{old.name}/nchw")
        transpose.output.source, transpose.output.source_permutation = old.source, old.source_permutation
        graph.replace_uses(old, transpose.output)


def _unary(graph: Graph, node: Node) -> bool:
    perm = layout_perm(node.inputs[0])
    # Further inputs (Clip's bounds) are scalars.
    if perm is None or any(v is not None and v.rank != 0 and not v.shape == (1,) for v in node.inputs[1:]):
        return False
    node.set_input(0, node.inputs[0].producer.inputs[0])
    _swap_outputs(graph, node, perm)
    return True


def _broadcast(graph: Graph, node: Node) -> bool:
    perms = [layout_perm(v) for v in node.inputs]
    perm = next((p for p in perms if p is not None), None)
    if perm is None or node.output.rank != len(perm):
        return False
    plain = [v for v, p in zip(node.inputs, perms)
             if p is None and not v.is_constant and v.rank != 0 and not _all_ones(v)]
    # A computed operand in the source's layout would have to be transposed: worth it only one against one.
    if any(v.rank != len(perm) for v in plain) or len(plain) > sum(p is not None for p in perms):
        return False
    for i, (value, p) in enumerate(zip(list(node.inputs), perms)):
        if p is not None:
            node.set_input(i, value.producer.inputs[0])
        elif value.is_constant and value.data.size > 1:
            node.set_input(i, _transposed_constant(graph, value, perm))
        elif not value.is_constant and value.rank == len(perm):
            node.set_input(i, transposed(graph, value, _inverse(perm), node))
    _swap_outputs(graph, node, perm)
    return True


def _all_ones(value: Value) -> bool:
    return value.shape is not None and all(d == 1 for d in value.shape) and value.rank == 0


def _transposed_constant(graph: Graph, value: Value, perm: list[int]) -> Value:
    data = value.data.reshape((1,) * (len(perm) - value.data.ndim) + value.data.shape)
    return graph.add_constant(evaluate("Transpose", [data], perm=_inverse(perm)), value.name)


def _concat(graph: Graph, node: Node) -> bool:
    perms = [layout_perm(v) for v in node.inputs]
    perm = next((p for p in perms if p is not None), None)
    if perm is None or any(p is None and not v.is_constant for v, p in zip(node.inputs, perms)):
        return False
    for i, (value, p) in enumerate(zip(list(node.inputs), perms)):
        node.set_input(i, value.producer.inputs[0] if p else _transposed_constant(graph, value, perm))
    node.attrs["axis"] = perm[int(attribute(node, "axis")) % len(perm)]
    _swap_outputs(graph, node, perm)
    return True


def _axis(graph: Graph, node: Node) -> bool:
    perm = layout_perm(node.inputs[0])
    if perm is None:
        return False
    node.set_input(0, node.inputs[0].producer.inputs[0])
    node.attrs["axis"] = perm[int(attribute(node, "axis")) % len(perm)]
    _swap_outputs(graph, node, perm)
    return True


def _slice(graph: Graph, node: Node) -> bool:
    perm = layout_perm(node.inputs[0])
    axes = constant_of(node.input(3)) if perm is not None else None
    if perm is None or (node.input(3) is not None and axes is None):
        return False
    count = node.inputs[1].shape[0] if node.inputs[1].shape else None
    if not isinstance(count, int):
        return False
    axes = list(range(count)) if axes is None else [int(a) % len(perm) for a in axes]
    node.set_input(0, node.inputs[0].producer.inputs[0])
    node.set_input(3, graph.add_constant(np.asarray([perm[a] for a in axes], np.int64), f"{node.name}/axes"))
    _swap_outputs(graph, node, perm)
    return True


def _pad(graph: Graph, node: Node) -> bool:
    perm = layout_perm(node.inputs[0])
    pads = constant_of(node.inputs[1]) if perm is not None else None
    if perm is None or pads is None or node.input(3) is not None or pads.size != 2 * len(perm):
        return False
    source = _inverse(perm)
    order = source + [len(perm) + s for s in source]
    node.set_input(0, node.inputs[0].producer.inputs[0])
    node.set_input(1, graph.add_constant(np.ascontiguousarray(pads.reshape(-1)[order]), f"{node.name}/pads"))
    _swap_outputs(graph, node, perm)
    return True


def _reduce(graph: Graph, node: Node) -> bool:
    perm = layout_perm(node.inputs[0])
    if perm is None:
        return False
    axes = list(attribute(node, "axes"))
    if node.input(1) is not None:
        given = constant_of(node.input(1))
        if given is None:
            return False
        axes = [int(a) for a in given.reshape(-1)]
    if not axes:
        return False
    axes = [a % len(perm) for a in axes]
    keepdims = bool(attribute(node, "keepdims"))
    rest = [p for i, p in enumerate(perm) if i not in axes]
    if not keepdims and rest != sorted(rest):
        return False
    if node.input(1) is not None:
        node.set_input(1, None)
        node.inputs.pop()
    node.attrs["axes"] = sorted(perm[a] for a in axes)
    node.set_input(0, node.inputs[0].producer.inputs[0])
    if keepdims:
        _swap_outputs(graph, node, perm)
    return True


def _squeeze(graph: Graph, node: Node) -> bool:
    perm = layout_perm(node.inputs[0])
    if perm is None:
        return False
    given = constant_of(node.input(1)) if node.input(1) is not None else None
    axes = [int(a) for a in given.reshape(-1)] if given is not None else list(attribute(node, "axes"))
    if not axes or (node.input(1) is not None and given is None):
        return False
    axes = [a % len(perm) for a in axes]
    kept = [p for i, p in enumerate(perm) if i not in axes]
    if node.input(1) is not None:
        node.set_input(1, None)
        node.inputs.pop()
    node.attrs["axes"] = sorted(perm[a] for a in axes)
    node.set_input(0, node.inputs[0].producer.inputs[0])
    order = sorted(kept)
    rest = [order.index(p) for p in kept]
    if rest != sorted(rest):
        _swap_outputs(graph, node, rest)
    return True
