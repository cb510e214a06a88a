"""Replaces what is the same in every run by a constant."""
from __future__ import annotations

from sampan.ir import Change, Graph, constant_of

# Above this a constant would only blow up the file (a ConstantOfShape of an image, say).
MAX_GROWTH_ELEMENTS = 1 << 22


def fold_constants(graph: Graph) -> list[Change]:
    """Nodes whose outputs do not depend on the run's inputs become constants.

    The operator library computes them, so the numbers are those that a run would give. Shape arithmetic whose
    elements are known numbers is folded, too, even where the tensors it starts from are not constant.
    """
    changes = []
    for node in list(graph.nodes):
        folded = [constant_of(value, max_elements=MAX_GROWTH_ELEMENTS) for value in node.outputs]
        if not folded or any(data is None for data in folded):
            continue
        inputs_constant = all(v is None or v.is_constant for v in node.inputs)
        for value, data in zip(node.outputs, folded):
            constant = graph.add_constant(data, value.name, source=value.source)
            constant.source_permutation = value.source_permutation
            graph.replace_uses(value, constant)
        graph.remove(node)
        reason = "all its inputs are constant" if inputs_constant else "its elements follow from fixed dimensions"
        changes.append(Change("fold_constants", f"{node.op} {node.name}", reason, tuple(node.sources)))
    return changes
