"""Zero padding before a convolution or average pool goes into its own padding."""
from __future__ import annotations

from sampan.ir import Change, Graph, Node, constant_of

from ..match import attribute, made_by, scalar


def fold_pad(graph: Graph) -> list[Change]:
    """Pad(constant 0, spatial axes, amounts >= 0) -> Conv becomes Conv with larger pads."""
    changes = []
    for node in list(graph.nodes):
        if node.op != "Conv" or attribute(node, "auto_pad") != "NOTSET":
            continue
        pad = made_by(node.inputs[0], "Pad")
        amounts = None if pad is None else _spatial_amounts(pad, node)
        if amounts is None:
            continue
        spatial = len(amounts) // 2
        own = list(attribute(node, "pads")) or [0] * (2 * spatial)
        node.attrs["pads"] = [a + b for a, b in zip(own, amounts)]
        node.set_input(0, pad.inputs[0])
        node.sources = list(dict.fromkeys(pad.sources + node.sources))
        changes.append(Change("fold_pad", f"{pad.name} into {node.name}", "it pads with zeros", tuple(pad.sources)))
    return changes


def _spatial_amounts(pad: Node, conv: Node) -> list[int] | None:
    """[begin..., end...] over the spatial axes, or None if the Pad does anything else."""
    if attribute(pad, "mode") != "constant" or pad.inputs[0].rank is None:
        return None
    value = pad.input(2)
    if value is not None and scalar(value) != 0:
        return None
    pads = constant_of(pad.input(1))
    if pads is None:
        return None
    rank = pad.inputs[0].rank
    axes = list(range(rank))
    if pad.input(3) is not None:
        given = constant_of(pad.input(3))
        if given is None:
            return None
        axes = [int(a) % rank for a in given]
    begin, end = dict.fromkeys(range(rank), 0), dict.fromkeys(range(rank), 0)
    for i, axis in enumerate(axes):
        begin[axis], end[axis] = int(pads[i]), int(pads[i + len(axes)])
    spatial = range(1, rank - 1) if attribute(conv, "layout") == "NHWC" else range(2, rank)
    others = [a for a in range(rank) if a not in spatial]
    if any(begin[a] or end[a] for a in others) or any(begin[a] < 0 or end[a] < 0 for a in spatial):
        return None
    return [begin[a] for a in spatial] + [end[a] for a in spatial]
