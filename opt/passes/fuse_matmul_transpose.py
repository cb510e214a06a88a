"""A transpose of the last two axes before a matrix product is done while its operand is packed."""
from __future__ import annotations

from sampan.ir import Change, Graph

from ..match import attribute, made_by
from .simplify_moves import permutation


def fuse_matmul_transpose(graph: Graph) -> list[Change]:
    """MatMul(a, Transpose(b)) becomes MatMul(a, b; transpose_b)."""
    changes = []
    for node in list(graph.nodes):
        transpose = made_by(node.inputs[1], "Transpose") if node.op == "MatMul" else None
        if transpose is None:
            continue
        perm = permutation(transpose)
        rank = len(perm)
        if rank < 2 or perm != [*range(rank - 2), rank - 1, rank - 2]:
            continue
        node.set_input(1, transpose.inputs[0])
        node.attrs["transpose_b"] = not attribute(node, "transpose_b")
        node.sources = list(dict.fromkeys(transpose.sources + node.sources))
        changes.append(Change("fuse_matmul_transpose", f"{transpose.name} into {node.name}",
                              "it exchanges the last two axes", tuple(transpose.sources)))
    return changes
