"""One ONNX node run by onnxruntime, as the oracle for operators with its names and meaning."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest


def onnx_node(op: str, inputs: Sequence[np.ndarray | None], attrs: Mapping[str, Any] | None = None,
              num_outputs: int = 1, opset: int = 21) -> Any:
    """The node's outputs. Attributes that are None are left out."""
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    helper = onnx.helper
    names = [f"x{i}" if a is not None else "" for i, a in enumerate(inputs)]
    given = {f"x{i}": a for i, a in enumerate(inputs) if a is not None}
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
             for n, a in given.items()]
    outputs = [f"y{i}" for i in range(num_outputs)]
    node = helper.make_node(op, names, outputs, **{k: v for k, v in (attrs or {}).items() if v is not None})
    empty = [helper.make_empty_tensor_value_info(n) for n in outputs]
    graph = helper.make_graph([node], "one", infos, empty)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    results = session.run(None, given)
    return results[0] if num_outputs == 1 else results


def assert_near(got: np.ndarray, want: np.ndarray, tolerance: float = 2e-5) -> None:
    """Within `tolerance` of the largest value (or of 1)."""
    assert got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    if got.size == 0:
        return
    finite = np.isfinite(want)
    np.testing.assert_array_equal(got[~finite], want[~finite])
    largest = max(1.0, float(np.abs(want[finite]).max(initial=0)))
    difference = np.abs(got[finite].astype(np.float64) - want[finite].astype(np.float64)).max(initial=0)
    assert difference <= tolerance * largest, f"off by {difference:g}, the largest value is {largest:g}"


def to_last(x: np.ndarray) -> np.ndarray:
    """[N, C, spatial...] -> [N, spatial..., C]."""
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


def to_first(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(x, -1, 1))
