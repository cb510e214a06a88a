"""Einsum, composed of transposes, products and sums."""
from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from sampan.ir import Value

from .registry import NodeContext, importer


@dataclass
class _Term:
    """A value and the label of each of its axes. An axis of size 1 may stand for any size (ellipsis)."""

    value: Value
    labels: str


@importer("Einsum")
def einsum(ctx: NodeContext) -> Value:
    """Terms are multiplied from left to right; a label is summed as soon as no later term has it."""
    values = [ctx.require(i) for i in range(len(ctx.inputs))]
    terms, result = _parse(ctx, ctx.attr("equation", ""), values)
    terms = [_diagonals(ctx, t) for t in terms]
    total = None
    for i, term in enumerate(terms):
        later = set(result).union(*(t.labels for t in terms[i + 1:]))
        term = _sum(ctx, term, later | set(total.labels if total else ""))
        total = term if total is None else _product(ctx, total, term, later)
    assert total is not None
    total = _sum(ctx, total, set(result))
    return _transpose(ctx, total, result)


def _parse(ctx: NodeContext, equation: str, values: list[Value]) -> tuple[list[_Term], str]:
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    parts = left.split(",")
    if len(parts) != len(values) or any(v.rank is None for v in values):
        ctx.refuse(f"the equation {equation!r} has {len(parts)} terms for {len(values)} inputs")
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in equation]
    widest, terms = 0, []
    for part, value in zip(parts, values):
        hidden = value.rank - len(part.replace("...", ""))
        if hidden < 0 or (hidden and "..." not in part):
            ctx.refuse(f"the term {part!r} does not fit an input of rank {value.rank}")
        widest = max(widest, hidden)
        # Axes behind the ellipsis are aligned at their end.
        terms.append(_Term(value, part.replace("...", "".join(reversed(spare[:hidden])))))
    ellipsis = "".join(reversed(spare[:widest]))
    if arrow:
        return terms, right.replace("...", ellipsis)
    plain = left.replace("...", "").replace(",", "")
    return terms, ellipsis + "".join(sorted(c for c in set(plain) if plain.count(c) == 1))


def _axes(term: _Term, labels: str) -> list[int]:
    return [term.labels.index(c) for c in labels]


def _diagonals(ctx: NodeContext, term: _Term) -> _Term:
    """A label that stands twice takes the diagonal: every (n + 1)-th element of the two axes as one."""
    for label in dict.fromkeys(term.labels):
        while term.labels.count(label) > 1:
            first = term.labels.index(label)
            second = term.labels.index(label, first + 1)
            value, size = term.value, term.value.shape[first]
            others = [i for i in range(value.rank) if i not in (first, second)]
            if not isinstance(size, int) or value.shape[second] != size:
                ctx.refuse(f"the label {label!r} stands twice for axes whose sizes are not fixed and equal")
            value = ctx.op("Transpose", [value], {"perm": [*others, first, second]})
            value = ctx.op("Reshape", [value, ctx.constant([0] * len(others) + [size * size], "int64")])
            ends = [ctx.constant([v], "int64") for v in (0, size * size, len(others), size + 1)]
            value = ctx.op("Slice", [value, *ends])
            term = _Term(value, "".join(term.labels[i] for i in others) + label)
    return term


def _sum(ctx: NodeContext, term: _Term, kept: set[str]) -> _Term:
    axes = [i for i, c in enumerate(term.labels) if c not in kept]
    if not axes:
        return term
    value = ctx.op("ReduceSum", [term.value], {"axes": axes, "keepdims": False})
    return _Term(value, "".join(c for c in term.labels if c in kept))


def _transpose(ctx: NodeContext, term: _Term, labels: str) -> Value:
    if set(labels) != set(term.labels) or len(labels) != len(term.labels):
        ctx.refuse(f"the result {labels!r} names axes that no term has")
    if labels == term.labels:
        return term.value
    return ctx.op("Transpose", [term.value], {"perm": _axes(term, labels)})


def _product(ctx: NodeContext, a: _Term, b: _Term, later: set[str]) -> _Term:
    """a * b, summed over what no later term or the result has."""
    shared = [c for c in a.labels if c in b.labels]
    sums = "".join(c for c in shared if c not in later)
    batch = "".join(c for c in shared if c in later)
    rows = "".join(c for c in a.labels if c not in shared)
    cols = "".join(c for c in b.labels if c not in shared)
    fixed = all(isinstance(t.value.shape[t.labels.index(c)], int) for t, labels in ((a, rows + sums), (b, cols + sums))
                for c in labels)
    same = all(a.value.shape[a.labels.index(c)] == b.value.shape[b.labels.index(c)] for c in sums)
    if sums and same and (fixed or max(len(rows), len(cols), len(sums)) <= 1):
        return _matmul(ctx, a, b, batch, rows, cols, sums)
    # Elementwise: both with all axes, those that are not theirs of size 1.
    labels = batch + rows + cols + sums
    both = []
    for term in (a, b):
        own = "".join(c for c in labels if c in term.labels)
        value = _transpose(ctx, term, own)
        missing = [i for i, c in enumerate(labels) if c not in own]
        both.append(ctx.op("Unsqueeze", [value], {"axes": missing}) if missing else value)
    return _sum(ctx, _Term(ctx.op("Mul", both), labels), set(batch + rows + cols))


def _matmul(ctx: NodeContext, a: _Term, b: _Term, batch: str, rows: str, cols: str, sums: str) -> _Term:
    left = _merge(ctx, _transpose(ctx, a, batch + rows + sums), len(batch), (len(rows), len(sums)))
    right = _merge(ctx, _transpose(ctx, b, batch + sums + cols), len(batch), (len(sums), len(cols)))
    value = ctx.op("MatMul", [left, right])
    sizes = []
    for term, labels in ((a, rows), (b, cols)):
        sizes.append([term.value.shape[term.labels.index(c)] for c in labels])
    if not rows and not cols:
        value = ctx.op("Squeeze", [value], {"axes": [-2, -1]})
    elif not rows:
        value = ctx.op("Squeeze", [value], {"axes": [-2]})
    elif not cols:
        value = ctx.op("Squeeze", [value], {"axes": [-1]})
    if len(rows) > 1 or len(cols) > 1:
        value = ctx.op("Reshape", [value, ctx.constant([0] * len(batch) + sizes[0] + sizes[1], "int64")])
    return _Term(value, batch + rows + cols)


def _merge(ctx: NodeContext, value: Value, batch: int, groups: tuple[int, int]) -> Value:
    """Makes one axis of each of the two groups of axes behind the batch axes."""
    if groups == (1, 1):
        return value
    if max(groups) > 1:
        shape, at = [0] * batch, batch
        for count in groups:
            shape.append(reduce(lambda x, y: x * y, value.shape[at:at + count], 1))
            at += count
        return ctx.op("Reshape", [value, ctx.constant(np.asarray(shape), "int64")])
    axes = [batch + i for i, count in enumerate(groups) if count == 0]
    return ctx.op("Unsqueeze", [value], {"axes": axes})
