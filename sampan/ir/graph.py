"""The graph that readers fill and passes rewrite.

A `Graph` is a list of `Node`s in an order in which they can run. Nodes are joined by `Value`s: each has one
writer (a node, the graph's inputs, or nobody when it is a constant) and any number of users. Dimensions are
numbers or expressions over named symbols (`"h"`, `"(h - 1)//2 + 1"`); two equal expressions are equal strings.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Dim = int | str


@dataclass(frozen=True)
class Quantization:
    """real = scale * (stored - zero_point); per index of `axis` when axis >= 0."""

    scale: tuple[float, ...]
    zero_point: tuple[int, ...]
    axis: int = -1


class Value:
    """A tensor of the graph.

    name: unique in the graph. dtype: numpy's name ("float32", "bfloat16"). shape: tuple of dimensions, or None
    when even the rank is unknown. data: the elements of a constant. elements: of a small integer tensor, what is
    known of its elements (row-major numbers or expressions). source: the tensor of the source model that holds
    these numbers; `source_permutation` are the axes that turn that tensor into this one (None: equal).
    """

    __slots__ = ("name", "dtype", "shape", "data", "elements", "quantization", "source", "source_permutation",
                 "producer", "users", "packed", "_folded")

    def __init__(self, name: str, dtype: str | None = None, shape: Sequence[Dim] | None = None, *,
                 data: np.ndarray | None = None, source: str | None = None):
        self.name = name
        self.dtype = dtype
        self.shape: tuple[Dim, ...] | None = None if shape is None else tuple(shape)
        self.data = data
        self.elements: tuple[Dim, ...] | None = None
        self.quantization: Quantization | None = None
        self.source = source
        self.source_permutation: tuple[int, ...] | None = None
        self.producer: Node | None = None
        self.users: list[Node] = []  # one entry for each use
        self.packed: Any = None  # a constant's bytes in canonical panels, set by the pack pass
        self._folded: np.ndarray | None = None

    @property
    def is_constant(self) -> bool:
        return self.data is not None

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def is_static(self) -> bool:
        """All dimensions are numbers."""
        return self.shape is not None and all(isinstance(d, int) for d in self.shape)

    def __repr__(self) -> str:
        shape = "?" if self.shape is None else ", ".join(map(str, self.shape))
        return f"{'const ' if self.is_constant else ''}{self.name}: {self.dtype}[{shape}]"


class Node:
    """One operator. `sources` are the names of the source model's nodes that it stands for."""

    __slots__ = ("op", "attrs", "inputs", "outputs", "name", "sources")

    def __init__(self, op: str, attrs: dict[str, Any], inputs: Sequence[Value | None], outputs: Sequence[Value],
                 name: str, sources: Iterable[str] = ()):
        self.op = op
        self.attrs = dict(attrs)
        self.inputs: list[Value | None] = []
        self.outputs = list(outputs)
        self.name = name
        self.sources = list(dict.fromkeys(sources))
        for value in inputs:
            self.add_input(value)
        for value in self.outputs:
            value.producer = self

    def add_input(self, value: Value | None) -> None:
        self.inputs.append(value)
        if value is not None:
            value.users.append(self)

    def set_input(self, index: int, value: Value | None) -> None:
        """Replaces input `index`; absent inputs are filled in with None up to there."""
        while len(self.inputs) <= index:
            self.inputs.append(None)
        old = self.inputs[index]
        if old is not None:
            old.users.remove(self)
        self.inputs[index] = value
        if value is not None:
            value.users.append(self)

    def input(self, index: int) -> Value | None:
        return self.inputs[index] if index < len(self.inputs) else None

    @property
    def output(self) -> Value:
        return self.outputs[0]

    def __repr__(self) -> str:
        ins = ", ".join("-" if v is None else v.name for v in self.inputs)
        outs = ", ".join(v.name for v in self.outputs)
        attrs = ", ".join(f"{k}={v}" for k, v in self.attrs.items())
        return f"{outs} = {self.op}({ins}{'; ' + attrs if attrs else ''})"


@dataclass(frozen=True)
class Change:
    """One rewrite of a pass: what was done to which nodes, and why that is right."""

    pass_name: str
    what: str
    reason: str
    nodes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"[{self.pass_name}] {self.what}: {self.reason}"


@dataclass
class Graph:
    """A model. `metadata` is kept in the file; `producer` and `source_format` go to its provenance."""

    name: str = "main"
    inputs: list[Value] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)
    output_names: list[str] = field(default_factory=list)  # the names users see, parallel to outputs
    nodes: list[Node] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    source_format: str = ""
    source_hash: str = ""
    passes: list[str] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)
    _next: dict[str, int] = field(default_factory=dict)

    # ---- making things -------------------------------------------------------------------

    def unique_name(self, hint: str) -> str:
        """`hint`, or `hint_2` and so on when it is taken."""
        hint = hint or "value"
        if hint not in self._names:
            self._names.add(hint)
            return hint
        n = self._next.get(hint, 2)
        while f"{hint}_{n}" in self._names:
            n += 1
        self._next[hint] = n + 1
        name = f"{hint}_{n}"
        self._names.add(name)
        return name

    def add_input(self, name: str, dtype: str, shape: Sequence[Dim]) -> Value:
        value = Value(self.unique_name(name), dtype, shape, source=name)
        self.inputs.append(value)
        return value

    def add_constant(self, data: np.ndarray, name: str = "const", source: str | None = None) -> Value:
        data = np.asarray(data)  # not ascontiguousarray: that would make scalars 1-D
        if not data.flags.c_contiguous:
            data = data.copy(order="C")
        return Value(self.unique_name(name), str(data.dtype), data.shape, data=data, source=source)

    def add_node(self, op: str, inputs: Sequence[Value | None], attrs: dict[str, Any] | None = None, *,
                 num_outputs: int = 1, name: str | None = None, output_names: Sequence[str] | None = None,
                 sources: Iterable[str] = (), before: Node | None = None) -> Node:
        """Adds an operator (at the end, or before another node) and infers its outputs' types and shapes."""
        from .infer import infer_node

        inputs = list(inputs)
        while inputs and inputs[-1] is None:
            inputs.pop()
        name = self.unique_name(name or op)
        if output_names is None:
            output_names = [f"{name}:{i}" if i else f"{name}:0" for i in range(num_outputs)]
        outputs = [Value(self.unique_name(n)) for n in output_names]
        node = Node(op, attrs or {}, inputs, outputs, name, sources)
        try:
            infer_node(node)
        except Exception:
            for value in node.inputs:
                if value is not None:
                    value.users.remove(node)
            raise
        if before is None:
            self.nodes.append(node)
        else:
            self.nodes.insert(self._index(before), node)
        return node

    # ---- rewriting -----------------------------------------------------------------------

    def replace_uses(self, old: Value, new: Value, *, except_in: Node | None = None) -> None:
        """Every user of `old` (and the graph's outputs) takes `new`; `new` inherits the source name it lacks."""
        for node in list(dict.fromkeys(old.users)):
            if node is except_in:
                continue
            for i, value in enumerate(node.inputs):
                if value is old:
                    node.set_input(i, new)
        self.outputs = [new if value is old else value for value in self.outputs]
        if new.source is None and old.source is not None:
            new.source, new.source_permutation = old.source, old.source_permutation

    def remove(self, node: Node) -> None:
        """Takes a node out; its outputs must have no users left."""
        for value in node.outputs:
            if value.users or any(value is o for o in self.outputs):
                raise ValueError(f"node {node.name!r} is still used: {value.users[:1] or 'graph output'}")
        for value in node.inputs:
            if value is not None:
                value.users.remove(node)
        node.inputs = []
        del self.nodes[self._index(node)]

    def num_uses(self, value: Value) -> int:
        """Uses by nodes and as a graph output."""
        return len(value.users) + sum(o is value for o in self.outputs)

    def _index(self, node: Node) -> int:
        for i, n in enumerate(self.nodes):
            if n is node:
                return i
        raise ValueError(f"node {node.name!r} is not in graph {self.name!r}")

    # ---- looking -------------------------------------------------------------------------

    def values(self) -> Iterator[Value]:
        """Inputs, constants and computed values in order of first appearance."""
        seen: set[int] = set()

        def once(value: Value | None) -> Iterator[Value]:
            if value is not None and id(value) not in seen:
                seen.add(id(value))
                yield value

        for value in self.inputs:
            yield from once(value)
        for node in self.nodes:
            for value in node.inputs:
                yield from once(value)
            for value in node.outputs:
                yield from once(value)
        for value in self.outputs:
            yield from once(value)

    def sort(self) -> None:
        """Puts the nodes in an order in which they can run, keeping the present order where possible."""
        done: set[int] = set()
        order: list[Node] = []
        for root in self.nodes:
            stack = [root]
            while stack:
                node = stack[-1]
                if id(node) in done:
                    stack.pop()
                    continue
                todo = [v.producer for v in node.inputs
                        if v is not None and v.producer is not None and id(v.producer) not in done]
                if todo:
                    if len(stack) > len(self.nodes):
                        raise ValueError(f"graph {self.name!r} has a cycle through node {node.name!r}")
                    stack.extend(reversed(todo))
                else:
                    done.add(id(node))
                    order.append(node)
                    stack.pop()
        self.nodes = order

    def __str__(self) -> str:
        lines = [f"graph {self.name}({', '.join(map(repr, self.inputs))})"]
        lines += [f"  {node!r}" for node in self.nodes]
        lines.append(f"  return {', '.join(v.name for v in self.outputs)}")
        return "\n".join(lines)
