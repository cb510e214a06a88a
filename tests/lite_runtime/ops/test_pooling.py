"""Pooling, softmax and normalisation against onnxruntime and float64."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampan.lite_runtime import SampanError
from sampan.lite_runtime import evaluate as evaluate_once

from .reference import assert_near, onnx_node, to_first, to_last
from .strategies import evaluate, np_dtype, numbers, same_bits, shapes

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[int], dict[str, Any]]:
    spatial = draw(st.integers(1, 3))
    size = [draw(st.integers(1, 11 if spatial < 3 else 6)) for _ in range(spatial)]
    kernel = [draw(st.integers(1, 4)) for _ in range(spatial)]
    attrs: dict[str, Any] = {"kernel_shape": kernel, "strides": [draw(st.integers(1, 3)) for _ in range(spatial)]}
    auto = draw(st.sampled_from(["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]))
    pads = [0] * (2 * spatial)
    if auto == "NOTSET":
        pads = [draw(st.integers(0, kernel[i % spatial] - 1)) for i in range(2 * spatial)]
        attrs["pads"] = pads
        attrs["ceil_mode"] = draw(st.booleans())
    if auto.startswith("SAME"):  # onnxruntime has no answer where strides skip elements
        attrs["strides"] = [min(s, k) for s, k in zip(attrs["strides"], kernel)]
    attrs["auto_pad"] = auto
    assume(auto.startswith("SAME") or all(size[i] + pads[i] + pads[i + spatial] >= kernel[i] for i in range(spatial)))
    return size, attrs


def _for_onnx(attrs: dict[str, Any]) -> dict[str, Any]:
    return {k: int(v) if isinstance(v, bool) else v for k, v in attrs.items()}


@given(case=pools(), seed=SEEDS, channels=st.sampled_from([1, 3, 16, 37]),
       op=st.sampled_from(["MaxPool", "AveragePool", "LpPool"]), include=st.booleans())
def test_pools_match_onnxruntime_in_both_layouts(case: Any, seed: int, channels: int, op: str, include: bool) -> None:
    size, attrs = case
    if op == "AveragePool":
        attrs = attrs | {"count_include_pad": include}
    x = numbers(seed, (2, channels, *size), "float32")
    got = evaluate(op, [x], attrs)
    assert_near(got, onnx_node(op, [x], _for_onnx(attrs)))
    last = evaluate(op, [to_last(x)], attrs | {"layout": "NHWC"})
    assert same_bits(to_first(last), got)


@given(case=pools(), seed=SEEDS, column_major=st.booleans(), dtype=st.sampled_from(["float32", "int8", "uint8"]))
def test_max_pool_indices(case: Any, seed: int, column_major: bool, dtype: str) -> None:
    size, attrs = case
    assume(not attrs.get("ceil_mode"))
    x = numbers(seed, (2, 3, *size), dtype)
    values, indices = evaluate("MaxPool", [x], attrs | {"column_major": column_major}, 2)
    for n in range(2):
        for c in range(3):
            flat = x[n, c].ravel(order="F" if column_major else "C")
            offset = (n * 3 + c) * flat.size
            np.testing.assert_array_equal(flat[indices[n, c] - offset], values[n, c])
    same = evaluate("MaxPool", [x], attrs)
    assert same_bits(values, same)


@given(shape=shapes(min_rank=3, max_rank=5), seed=SEEDS, op=st.sampled_from(["GlobalAveragePool", "GlobalMaxPool"]),
       dtype=st.sampled_from(["float32", "float32", "float16", "float64"]))
def test_global_pools(shape: tuple[int, ...], seed: int, op: str, dtype: str) -> None:
    assume(all(d > 0 for d in shape))
    x = numbers(seed, shape, dtype)
    axes = tuple(range(2, len(shape)))
    wide = x.astype(np.float64)
    want = wide.mean(axes, keepdims=True) if op == "GlobalAveragePool" else wide.max(axes, keepdims=True)
    got = evaluate(op, [x])
    assert_near(got, want.astype(got.dtype), 1e-3 if dtype == "float16" else 2e-5)
    assert same_bits(to_first(evaluate(op, [to_last(x)], {"layout": "NHWC"})), got)


@given(shape=shapes(min_rank=1, max_rank=4), data=st.data(), seed=SEEDS,
       op=st.sampled_from(["Softmax", "LogSoftmax", "Hardmax"]),
       dtype=st.sampled_from(["float32", "float32", "float16", "bfloat16", "float64"]))
def test_softmax(shape: tuple[int, ...], data: st.DataObject, seed: int, op: str, dtype: str) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = numbers(seed, shape, dtype, scale=10)
    got = evaluate(op, [x], {"axis": axis})
    if x.size == 0:
        assert got.shape == x.shape
        return
    wide = x.astype(np.float64)
    shifted = wide - wide.max(axis, keepdims=True)
    total = np.exp(shifted).sum(axis, keepdims=True)
    if op == "Hardmax":
        want = np.zeros_like(wide)
        np.put_along_axis(want, np.expand_dims(wide.argmax(axis), axis), 1, axis)
    else:
        want = np.exp(shifted) / total if op == "Softmax" else shifted - np.log(total)
    tolerance = {"float32": 2e-6, "float64": 1e-13, "float16": 2e-3, "bfloat16": 2e-2}[dtype]
    assert_near(got, want.astype(np_dtype(dtype)), tolerance)


@given(shape=shapes(min_rank=1, max_rank=4), data=st.data(), seed=SEEDS, scale=st.booleans(), bias=st.booleans(),
       dtype=st.sampled_from(["float32", "float32", "float16", "float64"]))
def test_layer_and_rms_normalization(shape: tuple[int, ...], data: st.DataObject, seed: int, scale: bool, bias: bool,
                                     dtype: str) -> None:
    assume(all(d > 0 for d in shape))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = numbers(seed, shape, dtype)
    inner = shape[axis % len(shape):]
    s = numbers(seed + 1, inner, dtype, scale=1) if scale else None
    b = numbers(seed + 2, inner, dtype, scale=1) if bias else None
    wide = x.astype(np.float64)
    axes = tuple(range(axis % len(shape), len(shape)))
    mean, variance = wide.mean(axes, keepdims=True), wide.var(axes, keepdims=True)
    attrs = {"axis": axis, "epsilon": 1e-3}
    factor = np.float64(1) if s is None else s.astype(np.float64)
    inverse = 1 / np.sqrt(variance + 1e-3)
    want = (wide - mean) * inverse * factor + (0 if b is None else b.astype(np.float64))
    tolerance = {"float32": 5e-5, "float16": 4e-3, "float64": 1e-7}[dtype]
    got, got_mean, got_inverse = evaluate("LayerNormalization", [x, s, b], attrs, 3)
    assert_near(got, want.astype(got.dtype), tolerance)
    assert_near(got_mean, mean.astype(np.float32), 1e-4)
    assert_near(got_inverse, inverse.astype(np.float32), 1e-4)
    want = wide / np.sqrt((wide * wide).mean(axes, keepdims=True) + 1e-3) * factor
    assert_near(evaluate("RMSNormalization", [x, s], attrs), want.astype(got.dtype), tolerance)


@given(seed=SEEDS, channels=st.sampled_from([1, 2, 6, 34]), size=st.integers(1, 40),
       op=st.sampled_from(["BatchNormalization", "InstanceNormalization", "GroupNormalization", "LRN"]),
       dtype=st.sampled_from(["float32", "float32", "float16", "float64"]))
def test_normalisation_over_channels(seed: int, channels: int, size: int, op: str, dtype: str) -> None:
    x = numbers(seed, (2, channels, size, 2), dtype)
    scale, bias, mean = (numbers(seed + i, (channels,), dtype, scale=1) for i in (1, 2, 3))
    variance = np.abs(numbers(seed + 4, (channels,), dtype)) + np.asarray(0.1, dtype)
    wide, column = x.astype(np.float64), lambda v: v.astype(np.float64).reshape(1, -1, 1, 1)
    groups = 2 if channels % 2 == 0 else 1
    if op == "BatchNormalization":
        inputs, attrs = [x, scale, bias, mean, variance], {"epsilon": 1e-3}
        want = (wide - column(mean)) / np.sqrt(column(variance) + 1e-3) * column(scale) + column(bias)
    elif op == "LRN":
        inputs, attrs = [x], {"size": 3, "alpha": 0.1, "beta": 0.75, "bias": 1.5}
        padded = np.pad(wide * wide, ((0, 0), (1, 1), (0, 0), (0, 0)))
        want = wide / (1.5 + 0.1 / 3 * (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:])) ** 0.75
    else:
        n = channels if op == "InstanceNormalization" else groups
        inputs, attrs = [x, scale, bias], {"epsilon": 1e-2}
        attrs |= {} if op == "InstanceNormalization" else {"num_groups": groups}
        grouped = wide.reshape(2, n, -1)
        normal = (grouped - grouped.mean(-1, keepdims=True)) / np.sqrt(grouped.var(-1, keepdims=True) + 1e-2)
        want = normal.reshape(wide.shape) * column(scale) + column(bias)
    got = evaluate(op, inputs, attrs)
    assert_near(got, want.astype(got.dtype), {"float32": 5e-5, "float16": 4e-3, "float64": 1e-8}[dtype])
    last = evaluate(op, [to_last(x), *inputs[1:]], attrs | {"layout": "NHWC"})
    assert same_bits(to_first(last), got)


X = np.zeros((1, 4, 5, 5), np.float32)
C = np.zeros(4, np.float32)


@pytest.mark.parametrize(("op", "inputs", "attrs", "reason"), [
    ("MaxPool", [X], {}, "kernel_shape has 0 entries"),
    ("MaxPool", [X], {"kernel_shape": [0, 1]}, "kernel_shape"),
    ("MaxPool", [X], {"kernel_shape": [6, 6]}, "window covers 6"),
    ("AveragePool", [X], {"kernel_shape": [2, 2], "strides": [1]}, "strides has 1 entries"),
    ("LpPool", [X], {"kernel_shape": [2, 2], "p": 0}, "p"),
    ("GlobalAveragePool", [X[:, :, :0]], {}, "no pixels"),
    ("Softmax", [X], {"axis": 4}, "axis"),
    ("LayerNormalization", [X, C], {}, "scale has shape"),
    ("LayerNormalization", [X], {"epsilon": -1.0}, "epsilon"),
    ("BatchNormalization", [X, C, C, C, C[:3]], {}, "variance has shape"),
    ("GroupNormalization", [X, C, C], {"num_groups": 3}, "do not divide"),
    ("LRN", [X], {"size": 0}, "size"),
])
def test_wrong_nodes_are_refused_by_name(op: str, inputs: list, attrs: dict, reason: str) -> None:
    with pytest.raises(SampanError, match=reason):
        evaluate_once(op, attrs, inputs, 1)
