"""Importers by ONNX operator name.

An importer is a function `(ctx: NodeContext) -> Value | Sequence[Value | None]` that adds our operators for one
ONNX node and returns its outputs. It registers itself:

    @importer("Clip", since=11)
    def clip(ctx): ...

`since` is the first opset for which it is right; for a node of opset n the importer with the greatest
`since <= n` is taken. Modules of this folder are found by name; there is no list of them.
"""
from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sampan.ir import Graph, Node, Value, constant_of

if TYPE_CHECKING:
    from .reader import Reader

Importer = Callable[["NodeContext"], "Value | Sequence[Value | None]"]
_importers: dict[tuple[str, str], list[tuple[int, Importer]]] = {}
_loaded = False


class Refusal(Exception):
    """Raised by `ctx.refuse`: this node cannot be converted."""

    def __init__(self, reason: str, advice: str = ""):
        super().__init__(reason)
        self.reason, self.advice = reason, advice


def importer(*ops: str, since: int = 1, domain: str = "") -> Callable[[Importer], Importer]:
    """Registers a function for ONNX operators `ops` of a domain from opset `since` on."""

    def register(function: Importer) -> Importer:
        for op in ops:
            entries = _importers.setdefault((domain, op), [])
            if any(s == since for s, _ in entries):
                raise ValueError(f"two importers for {domain or 'ai.onnx'}.{op} since opset {since}")
            entries.append((since, function))
            entries.sort(key=lambda e: e[0])
        return function

    return register


def find_importer(domain: str, op: str, opset: int) -> Importer | None:
    """The importer for a node, or None."""
    global _loaded
    if not _loaded:
        package = __name__.rpartition(".")[0]
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            importlib.import_module(f"{package}.{module.name}")
        _loaded = True
    best = None
    for since, function in _importers.get((domain, op), ()):
        if since <= opset:
            best = function
    return best


class NodeContext:
    """One ONNX node as an importer sees it, and the graph it writes to."""

    def __init__(self, reader: Reader, proto: Any, inputs: list[Value | None], opset: int, label: str):
        self._reader = reader
        self.proto = proto
        self.inputs = inputs
        self.opset = opset
        self.label = label  # the node's name, or a made-up one that says where it is
        self._attrs = {a.name: a for a in proto.attribute}

    @property
    def graph(self) -> Graph:
        return self._reader.graph

    @property
    def op_type(self) -> str:
        return self.proto.op_type

    @property
    def num_outputs(self) -> int:
        """Outputs that the node has, counting unused ones ("") before the last used one."""
        return len(self.proto.output)

    def wants_output(self, index: int) -> bool:
        return index < len(self.proto.output) and bool(self.proto.output[index])

    def input(self, index: int) -> Value | None:
        return self.inputs[index] if index < len(self.inputs) else None

    def require(self, index: int) -> Value:
        """Input `index`, refused when absent."""
        value = self.input(index)
        if value is None:
            self.refuse(f"input {index} is missing")
        return value

    def const(self, index: int) -> np.ndarray | None:
        """The elements of input `index` if they are the same in every run, else None."""
        return constant_of(self.input(index))

    def attr(self, name: str, default: Any = None) -> Any:
        """An attribute as int, float, str, list, ndarray (tensor) or GraphProto; `default` when absent."""
        proto = self._attrs.get(name)
        return default if proto is None else self._reader.attribute(proto)

    def has_attr(self, name: str) -> bool:
        return name in self._attrs

    def op(self, op: str, inputs: Sequence[Value | None], attrs: dict[str, Any] | None = None, *,
           num_outputs: int = 1) -> Any:
        """Adds one of our operators. Returns its output, or a list of them when num_outputs > 1."""
        node = self._new_node(op, inputs, attrs, num_outputs)
        return node.outputs[0] if num_outputs == 1 else node.outputs

    def _new_node(self, op: str, inputs: Sequence[Value | None], attrs: dict[str, Any] | None,
                  num_outputs: int) -> Node:
        names = [n or None for n in self.proto.output]
        # The last operator an importer adds usually makes the node's outputs, so names are given at the end
        # (Reader._bind_outputs); until then they follow the node.
        return self.graph.add_node(op, inputs, attrs, num_outputs=num_outputs, sources=[self.label],
                                   name=self.label if self.label not in self.graph._names else f"{self.label}/{op}",
                                   output_names=[f"{names[0] or self.label}/{op}"] * num_outputs)

    def constant(self, data: Any, dtype: str | None = None) -> Value:
        """A constant of the graph. numpy array, or anything numpy makes one of (give dtype then)."""
        return self.graph.add_constant(np.asarray(data, dtype=dtype), f"{self.label}/const")

    def refuse(self, reason: str, advice: str = "") -> Any:
        """Gives the node up; the reader goes on to find all others that it must give up."""
        raise Refusal(reason, advice)
