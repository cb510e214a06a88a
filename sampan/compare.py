"""Compares a converted model with its source, tensor by tensor.

Every tensor of a `.spn` file that still holds the numbers of a tensor of the source model says so (its `source`, and
how the axes differ). Both models are run on the same input and these pairs are compared, in the order in which the
file computes them, so that the first one over the tolerance points at the fault.

Some tensors are badly conditioned: a variance as a difference of two squares, the logarithm of nearly nothing. There,
and downstream of there, two right programs differ. Intermediate tensors over the tolerance are therefore held against
the source model in float64, too: they are right if they are no further from it than four times what the reference
is, in this tensor or in one before it (a sum in one chain, as docs/numerics.md fixes it, errs more than one in a
tree). Outputs get no such grace.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

ReferenceValues = dict[str, np.ndarray]


@dataclass(frozen=True)
class Row:
    """One pair of tensors. difference: largest absolute one; relative: that over the largest finite reference value."""

    name: str
    source: str
    node: str
    shape: tuple[int, ...]
    difference: float
    relative: float
    ok: bool
    problem: str = ""
    from_float64: float | None = None  # relative difference to the float64 evaluation, where that was needed
    reference_from_float64: float | None = None

    @property
    def badly_conditioned(self) -> bool:
        """Right only in the sense that the reference is as far from the float64 evaluation."""
        return self.ok and self.from_float64 is not None


@dataclass
class Comparison:
    """rows in order of computation; unmatched: source tensors that the file no longer computes (fused away)."""

    reference: str
    tolerance: float
    rows: list[Row] = field(default_factory=list)
    outputs: list[Row] = field(default_factory=list)
    unmatched: int = 0

    @property
    def ok(self) -> bool:
        return all(row.ok for row in self.rows) and all(row.ok for row in self.outputs)

    @property
    def first_bad(self) -> Row | None:
        return next((row for row in self.rows + self.outputs if not row.ok), None)

    @property
    def worst(self) -> float:
        """The largest relative difference of all rows that are not badly conditioned."""
        return max((r.relative for r in self.rows + self.outputs if not r.badly_conditioned), default=0.0)

    @property
    def badly_conditioned(self) -> int:
        return sum(row.badly_conditioned for row in self.rows)


def compare(source: str | PathLike, spn: str | PathLike | bytes, inputs: Mapping[str, np.ndarray], *,
            tolerance: float = 1e-4, reference: str = "auto", **session_options: Any) -> Comparison:
    """Runs both models on `inputs`.

    reference: "onnxruntime", "unoptimised" (our own graph as the reader made it), or "auto" (onnxruntime when it is
    installed). A pair is right when its largest absolute difference is at most `tolerance` times the largest
    magnitude of the reference tensor (of 1e-3 if that is smaller: approximations of exp err by some 1e-7), NaN and
    infinities stand in the same places, and integers are equal.
    """
    import sampan

    name, values_of = _reference(reference)
    session = sampan.Session(spn, keep_intermediates=True, **session_options)
    want = values_of(source, inputs)
    got_outputs = session.run(dict(inputs))
    got = session.intermediates()
    result = Comparison(name, tolerance)
    exact: ReferenceValues | None = None
    erred = 0.0  # the reference's largest distance from float64 so far

    def judged(name: str, key: str, node: str, array: np.ndarray, permutation: tuple[int, ...] | None) -> Row:
        nonlocal exact, erred
        row = judge(name, key, node, array, permuted(want[key], permutation), tolerance)
        if row.ok or not np.isfinite(row.relative) or array.dtype != np.float32:
            return row
        if exact is None:
            exact = float64_values(source, inputs)
        if key not in exact or exact[key].shape != want[key].shape:
            return row
        truth = permuted(exact[key], permutation)
        ours = judge(name, key, node, array.astype(np.float64), truth, tolerance).relative
        theirs = judge(name, key, node, permuted(want[key], permutation).astype(np.float64), truth, tolerance).relative
        erred = max(erred, theirs)
        return replace(row, ok=ours <= max(tolerance, 4 * erred), from_float64=ours, reference_from_float64=theirs)

    matched = set()
    for info in session.tensors():
        key = info.source or info.name
        if info.kind != "computed" or info.name not in got or key not in want:
            continue
        matched.add(key)
        result.rows.append(judged(info.name, key, info.node, got[info.name], info.source_permutation))
    for output, array in got_outputs.items():
        if output in want:
            result.outputs.append(judge(output, output, "output", array, want[output], tolerance))
    result.unmatched = len(set(want) - matched - set(inputs))
    return result


def permuted(array: np.ndarray, permutation: tuple[int, ...] | None) -> np.ndarray:
    return array if not permutation else np.transpose(array, permutation)


def judge(name: str, source: str, node: str, got: np.ndarray, want: np.ndarray, tolerance: float) -> Row:
    """Compares one pair of tensors."""
    def row(difference: float, relative: float, ok: bool, problem: str = "") -> Row:
        return Row(name, source, node, tuple(got.shape), difference, relative, ok, problem)

    if got.shape != want.shape:
        return row(np.inf, np.inf, False, f"shape {list(got.shape)}, the reference has {list(want.shape)}")
    if got.dtype != want.dtype:
        return row(np.inf, np.inf, False, f"dtype {got.dtype}, the reference has {want.dtype}")
    if want.size == 0:
        return row(0.0, 0.0, True)
    if want.dtype.kind in "iub":
        wrong = int((got != want).sum())
        return row(float(wrong), float(wrong > 0), wrong == 0, f"{wrong} of {want.size} differ" if wrong else "")
    g, w = got.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(w)
    special = np.array_equal(np.isnan(g), np.isnan(w)) and np.array_equal(g[np.isinf(w)], w[np.isinf(w)])
    if not special or not np.isfinite(g[finite]).all():
        return row(np.inf, np.inf, False, "NaN or infinity in other places than in the reference")
    difference = float(np.abs(g[finite] - w[finite]).max(initial=0.0))
    scale = float(np.abs(w[finite]).max(initial=0.0))
    relative = difference / max(scale, 1e-3)
    return row(difference, relative, relative <= tolerance)


def _reference(kind: str) -> tuple[str, Callable[[Any, Mapping[str, np.ndarray]], ReferenceValues]]:
    if kind in ("auto", "onnxruntime"):
        try:
            import onnxruntime  # noqa: F401

            return "onnxruntime", onnxruntime_values
        except ImportError:
            if kind == "onnxruntime":
                raise
    elif kind != "unoptimised":
        raise ValueError(f"reference {kind!r}: expected 'auto', 'onnxruntime' or 'unoptimised'")
    return "unoptimised", unoptimised_values


def onnxruntime_values(source: str | PathLike, inputs: Mapping[str, np.ndarray]) -> ReferenceValues:
    """All tensors of an ONNX model as onnxruntime computes them, without its graph optimisations."""
    import onnx
    import onnxruntime as ort

    model = onnx.load(source)
    have = {v.name for v in model.graph.output}
    names = list(have)
    for node in model.graph.node:
        for name in node.output:
            if name and name not in have and node.op_type != "Constant":
                have.add(name)
                names.append(name)
                model.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    arrays = session.run(names, dict(inputs))
    return {n: a for n, a in zip(names, arrays) if isinstance(a, np.ndarray)}


def unoptimised_values(source: str | PathLike, inputs: Mapping[str, np.ndarray]) -> ReferenceValues:
    """All tensors of the source model as our runtime computes them before any pass, on the portable kernels."""
    from sampan.converter.onnx import read

    return _all_values(read(source), inputs)


def float64_values(source: str | PathLike, inputs: Mapping[str, np.ndarray]) -> ReferenceValues:
    """All tensors of the source model, every float32 of it computed in float64 instead."""
    from sampan.converter.onnx import read
    from sampan.ir import infer_graph

    graph = read(source)
    for value in graph.values():
        if value.dtype == "float32":
            value.dtype = "float64"
            if value.data is not None:
                value.data = value.data.astype(np.float64)
        value._folded = None
    for node in graph.nodes:
        node.attrs = {k: "float64" if v == "float32" else v for k, v in node.attrs.items()}
    infer_graph(graph)
    return _all_values(graph, {k: v.astype(np.float64) if v.dtype == np.float32 else v for k, v in inputs.items()})


def _all_values(graph: Any, inputs: Mapping[str, np.ndarray]) -> ReferenceValues:
    import sampan
    from sampan.opt.write import to_bytes

    session = sampan.Session(to_bytes(graph), keep_intermediates=True, isa="portable")
    outputs = session.run(dict(inputs))
    values = session.intermediates()
    by_source = {info.source or info.name: values[info.name] for info in session.tensors() if info.name in values}
    return {**by_source, **outputs}
