"""Small graphs for the passes' tests, and how they are run."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import sampan
from sampan.ir import Change, Graph, Value, verify
from sampan.opt.write import to_bytes


class Builder:
    """Short words for building a graph: b("Add", x, y, attr=...) -> Value."""

    def __init__(self, seed: int = 0):
        self.graph = Graph("test", source_format="test")
        self.rng = np.random.default_rng(seed)

    def input(self, name: str, *shape: int | str, dtype: str = "float32") -> Value:
        return self.graph.add_input(name, dtype, shape)

    def const(self, array: object, dtype: str = "float32") -> Value:
        return self.graph.add_constant(np.asarray(array, dtype), "c")

    def random(self, *shape: int, low: float = -1, high: float = 1) -> Value:
        return self.const(self.rng.uniform(low, high, shape))

    def __call__(self, op: str, *inputs: Value | None, **attrs: object) -> Value:
        return self.graph.add_node(op, inputs, attrs).output

    def conv(self, x: Value, out: int, kernel: int = 3, **attrs: object) -> Value:
        channels = x.shape[1]
        attrs.setdefault("pads", [kernel // 2] * 4)
        return self("Conv", x, self.random(out, channels, kernel, kernel), self.random(out), **attrs)

    def output(self, *values: Value) -> Graph:
        for value in values:
            self.graph.outputs.append(value)
            self.graph.output_names.append(f"y{len(self.graph.output_names)}")
        return self.graph


def run(graph: Graph, inputs: dict[str, np.ndarray], **options: object) -> list[np.ndarray]:
    """Writes the graph to a file's bytes, loads them and runs them."""
    results = sampan.Session(to_bytes(graph), **options).run(inputs)
    return [results[name] for name in graph.output_names]


def random_inputs(graph: Graph, seed: int = 1, **symbols: int) -> dict[str, np.ndarray]:
    """Arrays for the graph's inputs; symbols give the sizes of named dimensions."""
    rng = np.random.default_rng(seed)
    return {v.name: rng.uniform(-2, 2, [symbols[d] if isinstance(d, str) else d for d in v.shape]).astype(v.dtype)
            for v in graph.inputs}


def check_same(graph: Graph, passes: Sequence[Callable[[Graph], list[Change]]], *, rtol: float = 1e-5,
               **symbols: int) -> list[Change]:
    """Runs the graph before and after the passes: equal results (relative to the largest value), valid graph."""
    inputs = random_inputs(graph, **symbols)
    verify(graph)
    want = run(graph, inputs)
    log = []
    for function in passes:
        log += function(graph)
        verify(graph)
    got = run(graph, inputs)
    for g, w in zip(got, want):
        assert g.shape == w.shape and g.dtype == w.dtype
        scale = max(1e-6, float(np.abs(w).max(initial=0)))
        np.testing.assert_allclose(g, w, rtol=0, atol=rtol * scale)
    return log


def ops(graph: Graph) -> list[str]:
    return [node.op for node in graph.nodes]
