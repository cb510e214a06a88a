"""Compositions of simple operators that models write out: hard-swish, SiLU, GELU."""
from __future__ import annotations

from sampan.ir import Change, Graph, Node, Value

from ..match import attribute, is_scalar, made_by, sole_user
from .fuse_activation import activation_of

SQRT_HALF = 0.7071067811865476


def fuse_patterns(graph: Graph) -> list[Change]:
    """Replaces each pattern by the operator of that name, which is one pass over memory and more accurate."""
    changes = []
    for node in list(graph.nodes):
        if not any(node is n for v in node.outputs for n in (v.producer,)) or not node.inputs:
            continue
        for pattern in (_hard_sigmoid, _hard_swish, _silu, _gelu):
            found = pattern(graph, node)
            if found is None:
                continue
            op, attrs, x, last = found
            sources = _sources_between(x, last)
            fused = graph.add_node(op, [x], attrs, sources=sources, before=last, name=f"{last.name}/{op}",
                                   output_names=[f"{last.output.name}/{op}"])
            fused.output.source = last.output.source
            fused.output.source_permutation = last.output.source_permutation
            graph.replace_uses(last.output, fused.output)
            graph.remove(last)
            changes.append(Change("fuse_patterns", f"{op} from {len(sources)} nodes ending at {last.name}",
                                  "they compute this function", tuple(sources)))
            break
    return changes


Found = tuple[str, dict, Value, Node]


def _sources_between(x: Value, last: Node) -> list[str]:
    """Source nodes between a pattern's input and its last node."""
    names: list[str] = []
    stack, seen = [last], set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        names = node.sources + names
        stack += [v.producer for v in node.inputs if v is not None and v is not x and v.producer is not None
                  and v.producer is not x.producer and len(seen) < 12]
    return list(dict.fromkeys(names))


def _other(node: Node, value: Value) -> Value | None:
    """The other operand of a binary node."""
    a, b = node.inputs[0], node.inputs[1]
    return b if a is value else a if b is value else None


def _plus(value: Value | None, number: float) -> Value | None:
    """x, if value = x + number."""
    add = made_by(value, "Add")
    if add is None:
        return None
    for a, b in (add.inputs, add.inputs[::-1]):
        if is_scalar(b, number):
            return a
    return None


def _times(value: Value | None, number: float) -> Value | None:
    """x, if value = x * number or x / (1 / number)."""
    node = made_by(value, "Mul", "Div")
    if node is None:
        return None
    if node.op == "Div":
        return node.inputs[0] if is_scalar(node.inputs[1], 1 / number, 1e-5) else None
    for a, b in (node.inputs, node.inputs[::-1]):
        if is_scalar(b, number, 1e-5):
            return a
    return None


def _clip_0_6_of_plus_3(value: Value | None) -> Value | None:
    clip = made_by(value, "Clip")
    found = None if clip is None else activation_of(clip)
    return _plus(clip.inputs[0], 3.0) if found == ("clip", 0.0, 6.0) else None


def _hard_sigmoid(graph: Graph, node: Node) -> Found | None:
    """clip(x + 3, 0, 6) / 6."""
    x = _clip_0_6_of_plus_3(_times(node.output, 1 / 6)) if node.op in ("Mul", "Div") else None
    return None if x is None else ("HardSigmoid", {"alpha": 1 / 6, "beta": 0.5}, x, node)


def _hard_swish(graph: Graph, node: Node) -> Found | None:
    """x * clip(x + 3, 0, 6) / 6 in any grouping, or x * HardSigmoid(x; 1/6, 1/2)."""
    if node.op not in ("Mul", "Div"):
        return None
    product = made_by(_times(node.output, 1 / 6), "Mul")
    if product is not None and sole_user(graph, product.output) is node:
        for a, b in (product.inputs, product.inputs[::-1]):
            if _clip_0_6_of_plus_3(b) is a and a is not None:
                return "HardSwish", {}, a, node
    if node.op == "Mul":
        for a, b in (node.inputs, node.inputs[::-1]):
            sigmoid = made_by(b, "HardSigmoid")
            if sigmoid is not None and sigmoid.inputs[0] is a and abs(attribute(sigmoid, "alpha") - 1 / 6) < 1e-4 \
                    and abs(attribute(sigmoid, "beta") - 0.5) < 1e-6:
                return "HardSwish", {}, a, node
    return None


def _silu(graph: Graph, node: Node) -> Found | None:
    """x * sigmoid(x)."""
    if node.op != "Mul":
        return None
    for a, b in (node.inputs, node.inputs[::-1]):
        sigmoid = made_by(b, "Sigmoid")
        if sigmoid is not None and sigmoid.inputs[0] is a:
            return "Silu", {}, a, node
    return None


def _gelu(graph: Graph, node: Node) -> Found | None:
    """x * (1 + erf(x / sqrt 2)) / 2 in any grouping of the product."""
    if node.op != "Mul":
        return None
    factors = _factors(graph, node.output, 3)
    if factors is None or sum(is_scalar(f, 0.5) for f in factors) != 1 or len(factors) != 3:
        return None
    rest = [f for f in factors if not is_scalar(f, 0.5)]
    for x, other in (rest, rest[::-1]):
        erf = made_by(_plus(other, 1.0), "Erf")
        if erf is not None and _times(erf.inputs[0], SQRT_HALF) is x:
            return "Gelu", {"approximate": "none"}, x, node
    return None


def _factors(graph: Graph, value: Value, limit: int) -> list[Value] | None:
    """The factors of a product of products whose inner results nothing else reads."""
    factors = [value]
    for _ in range(limit - 1):
        for i, factor in enumerate(factors):
            mul = made_by(factor, "Mul")
            if mul is not None and (factor is value or sole_user(graph, factor) is not None):
                factors[i:i + 1] = mul.inputs
                break
    return factors if len(factors) <= limit else None
