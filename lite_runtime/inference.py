"""What the operator library knows of one node: types and shapes of its outputs, its results, its packed constants."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from .dtypes import array_dtype_name, dtype_code, native_array
from .operators import native_attrs, operator

Dim = int | str

MAX_VALUES = 1024  # elements of a constant that are shown to a shape rule
_VALUE_TYPES = frozenset(("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"))
_FLOAT_TYPES = frozenset(("float32", "float16", "float64", "bfloat16"))
# Ranks that are tried to learn the element types of a node whose inputs' ranks are not known.
_TRIAL_RANKS = (4, 3, 2, 1, 0, 5)


@dataclass(frozen=True, eq=False)
class TensorSpec:
    """What is known of a tensor.

    dtype: numpy's name. shape: numbers and expressions over symbols ("2*h + 1"), or None when the rank is not known.
    values: of an integer tensor, its elements in row-major order, each a number or an expression.
    data: all elements, of a constant.
    """

    dtype: str
    shape: tuple[Dim, ...] | None
    values: Sequence[Dim] | None = None
    data: np.ndarray | None = None


@dataclass(frozen=True)
class InferredOutput:
    """dtype: None when it depends on what is not known. shape: None when even the rank depends on data."""

    dtype: str | None
    shape: tuple[Dim, ...] | None
    values: tuple[Dim, ...] | None = None


@dataclass(frozen=True, eq=False)
class PackedConstant:
    """A constant matrix in canonical panels: float32 [groups][ceil(n/16)][k][16]. shape: of the plain constant."""

    data: np.ndarray
    shape: tuple[int, ...]
    groups: int
    k: int
    n: int


def infer(op: str, attrs: Mapping[str, Any], inputs: Sequence[TensorSpec | None],
          num_outputs: int = 1) -> list[InferredOutput]:
    """Types, shapes and known elements of a node's outputs.

    Raises InvalidArgument for attributes the operator does not have, BadModel for inputs it refuses.
    """
    values = native_attrs(op, attrs)
    if all(spec is None or (spec.shape is not None and spec.dtype is not None) for spec in inputs):
        results = _native.infer(op, values, [_native_spec(s) for s in inputs], num_outputs)
        if results is not None:
            return [InferredOutput(*r) for r in results]
    dtypes = _trial_dtypes(op, values, inputs, num_outputs)
    return [InferredOutput(dtype, None) for dtype in dtypes]


def evaluate(op: str, attrs: Mapping[str, Any], inputs: Sequence[np.ndarray | None], num_outputs: int = 1, *,
             isa: str | None = None, threads: int = 1) -> list[np.ndarray]:
    """Computes one node, in the way a session does it.

    inputs: arrays, None where absent. isa: "portable", "avx2", "avx512" or None for the best. Raises as a run does.
    """
    from .files import write_model
    from .native_session import NativeSession, load_model

    arrays = [None if a is None else native_array(a) for a in inputs]
    tensors: list[dict[str, Any]] = []
    positions: list[int] = []
    for array in arrays:
        positions.append(-1 if array is None else len(tensors))
        if array is not None:
            tensors.append({"name": f"x{len(tensors)}", "dtype": array_dtype_name(array), "kind": "input",
                            "dims": list(array.shape)})
    num_inputs = len(tensors)
    # Where a shape depends on the inputs' elements only the session can know it.
    specs = [None if a is None else TensorSpec(array_dtype_name(a), a.shape, data=a) for a in arrays]
    for i, out in enumerate(infer(op, attrs, specs, num_outputs)):
        tensor: dict[str, Any] = {"name": f"y{i}", "dtype": out.dtype or "float32"}
        if out.shape is not None and all(isinstance(d, int) for d in out.shape):
            tensor["dims"] = list(out.shape)
        tensors.append(tensor)
    outputs = list(range(num_inputs, len(tensors)))
    node = {"op": op, "name": op, "attrs": dict(attrs), "inputs": positions, "outputs": outputs}
    graph = {"name": "node", "tensors": tensors, "nodes": [node], "inputs": list(range(num_inputs)), "outputs": outputs}
    session = NativeSession(load_model(write_model({"graphs": [graph]})), isa=isa, threads=threads)
    return session.run([a for a in arrays if a is not None])


def pack_constant(op: str, attrs: Mapping[str, Any], index: int, array: np.ndarray, *,
                  num_inputs: int | None = None) -> PackedConstant | None:
    """The constant as input `index` of this operator in canonical panels; None when the operator takes it plain."""
    if array.dtype != np.float32 or not 0 <= index < len(operator(op).inputs) or not operator(op).inputs[index].packable:
        return None
    plain = native_array(array)
    count = index + 1 if num_inputs is None else num_inputs
    result = _native.pack_constant(op, native_attrs(op, attrs), index, count, plain)
    return None if result is None else PackedConstant(result[0], plain.shape, *result[1:])


def simplify_dim(expression: Dim) -> Dim:
    """The canonical form: equal dimensions give equal results. "h + 1 - 1" -> "h", "2*3" -> 6."""
    return _native.simplify_dim(expression)


def evaluate_dim(expression: Dim, symbols: Mapping[str, int]) -> int:
    """The number an expression stands for. InvalidArgument when a symbol is missing."""
    return _native.evaluate_dim(expression, dict(symbols))


def _native_spec(spec: TensorSpec | None, shape: tuple[Dim, ...] | None = None) -> tuple | None:
    """(dtype number, shape, integer elements or None, float elements or None)."""
    if spec is None:
        return None
    dims = spec.shape if shape is None else shape
    values = floats = None
    if spec.data is not None and spec.data.size <= MAX_VALUES and dims is not None:
        if spec.dtype in _VALUE_TYPES:
            values = [int(v) for v in spec.data.ravel().tolist()]
            if spec.dtype == "uint64" and any(v >= 1 << 63 for v in values):
                values = None  # more than shape arithmetic can hold
        elif spec.dtype in _FLOAT_TYPES:
            floats = spec.data.astype(np.float32).ravel().tolist()
    elif spec.values is not None and spec.dtype in _VALUE_TYPES:
        values = list(spec.values)
    return dtype_code(spec.dtype), dims, values, floats


def _trial_dtypes(op: str, values: list[Any], inputs: Sequence[TensorSpec | None], num_outputs: int) -> list[str | None]:
    """Element types of the outputs when shapes can't be known: what the rule says for made-up shapes and elements.

    Types never depend on shapes, so that any trial that the rule accepts is right.
    """
    from .errors import SampanError

    if any(spec is not None and spec.dtype is None for spec in inputs):
        return [None] * num_outputs
    for rank in _TRIAL_RANKS:
        for element in (None, 1, 0, -1):
            specs = [_trial_spec(spec, i, rank, element) for i, spec in enumerate(inputs)]
            try:
                results = _native.infer(op, values, specs, num_outputs)
            except (SampanError, ValueError):
                continue
            if results is not None:
                return [r[0] for r in results]
    return [None] * num_outputs


def _trial_spec(spec: TensorSpec | None, index: int, rank: int, element: int | None) -> tuple | None:
    if spec is None:
        return None
    # Sizes about which a rule can say nothing, so that none disagrees with another.
    shape = spec.shape if spec.shape is not None else tuple(f"unknown_{index}_{axis}" for axis in range(rank))
    code, dims, values, floats = _native_spec(spec, shape)  # type: ignore[misc]
    if element is None or values is not None or floats is not None:
        return code, dims, values, floats
    # Operands that are lists (shapes, axes, scales): one element for each axis, or as many as they are.
    count = 1
    for d in dims:
        count *= d if isinstance(d, int) else rank
    if spec.shape is not None and any(not isinstance(d, int) for d in spec.shape):
        dims = tuple(d if isinstance(d, int) else rank for d in spec.shape)
    if count <= 16:
        if spec.dtype in _VALUE_TYPES:
            values = [element] * count
        elif index > 0:
            floats = [1.0] * count
    return code, dims, values, floats
