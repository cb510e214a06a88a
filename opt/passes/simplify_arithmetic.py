"""Arithmetic that changes nothing (times one, plus zero), or that a cheaper operator does with the same bits."""
from __future__ import annotations

from sampan.ir import Change, Graph, Node

from ..match import scalar

# op -> (the constant that changes nothing, positions of the operand where it may stand)
_NEUTRAL = {"Mul": (1.0, (0, 1)), "Div": (1.0, (1,)), "Add": (0.0, (0, 1)), "Sub": (0.0, (1,)), "Pow": (1.0, (1,))}


def simplify_arithmetic(graph: Graph) -> list[Change]:
    """x * 1, x / 1, x + 0, x - 0 and x ** 1 become x where the shape stays the same, too.

    x + 0 turns -0 into +0; the numerics count these as one value.
    """
    changes = []
    for node in list(graph.nodes):
        if node.op not in _NEUTRAL or any(node.output is o for o in graph.outputs):
            continue  # (a graph output keeps a writer of its own)
        number, positions = _NEUTRAL[node.op]
        for position in positions:
            x = node.inputs[1 - position]
            if scalar(node.inputs[position]) == number and x.shape is not None and x.shape == node.output.shape:
                graph.replace_uses(node.output, x)
                graph.remove(node)
                changes.append(Change("simplify_arithmetic", f"{node.op} {node.name}", f"its operand is {number:g}",
                                      tuple(node.sources)))
                break
        else:
            changes += _square(graph, node)
    return changes


def _square(graph: Graph, node: Node) -> list[Change]:
    """x ** 2 becomes x * x: both round the exact square once."""
    x = node.inputs[0]
    if node.op != "Pow" or scalar(node.inputs[1]) != 2.0 or x.shape is None or x.shape != node.output.shape:
        return []
    node.op = "Mul"
    node.set_input(1, x)
    return [Change("simplify_arithmetic", f"Pow {node.name} to Mul", "its exponent is 2", tuple(node.sources))]
