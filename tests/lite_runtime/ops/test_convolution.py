"""Conv, ConvTranspose and MatMul against onnxruntime and float64; layouts and types among themselves."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampan.lite_runtime import SampanError
from sampan.lite_runtime import evaluate as evaluate_once

from .reference import assert_near, onnx_node, to_first, to_last
from .strategies import evaluate, np_dtype, numbers, same_bits

SEEDS = st.integers(0, 2**32 - 1)
ACTIVATIONS = {"clip": (0.0, 2.0), "leaky_relu": (0.1, 0.0), "hard_swish": (0.0, 0.0), "sigmoid": (0.0, 0.0),
               "silu": (0.0, 0.0), "gelu": (0.0, 0.0)}


@st.composite
def windows(draw: st.DrawFn, spatial: int, transposed: bool = False) -> dict[str, Any]:
    kernel = [draw(st.sampled_from([1, 2, 3, 5])) for _ in range(spatial)]
    dilations = [draw(st.integers(1, 3)) for _ in range(spatial)]
    auto = draw(st.sampled_from(["NOTSET", "NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]))
    pads = [draw(st.integers(0, 2)) for _ in range(2 * spatial)]
    least = 1 if transposed else 2
    size = [draw(st.integers(least, 12 if spatial < 3 else 6)) for _ in range(spatial)]
    strides = [draw(st.integers(1, 3)) for _ in range(spatial)]
    if auto != "NOTSET" and not transposed:
        # onnxruntime refuses SAME with dilations.
        dilations = [1] * spatial
    return {"kernel": kernel, "size": size, "strides": strides, "dilations": dilations, "pads": pads, "auto": auto}


def _window_attrs(w: dict[str, Any]) -> dict[str, Any]:
    attrs = {"strides": w["strides"], "dilations": w["dilations"], "auto_pad": w["auto"]}
    return attrs | ({"pads": w["pads"]} if w["auto"] == "NOTSET" else {})


def _fits(w: dict[str, Any]) -> bool:
    n = len(w["size"])
    pads = w["pads"] if w["auto"] == "NOTSET" else [0] * (2 * n)
    return w["auto"].startswith("SAME") or all(
        w["size"][i] + pads[i] + pads[i + n] >= (w["kernel"][i] - 1) * w["dilations"][i] + 1 for i in range(n))


@given(data=st.data(), spatial=st.integers(1, 3), seed=SEEDS)
def test_conv_matches_onnxruntime_in_both_layouts(data: st.DataObject, spatial: int, seed: int) -> None:
    w = data.draw(windows(spatial))
    assume(_fits(w))
    group = data.draw(st.sampled_from([1, 1, 2, 3]))
    depthwise = data.draw(st.booleans()) and group > 1
    per_in = 1 if depthwise else data.draw(st.integers(1, 9))
    per_out = data.draw(st.sampled_from([1, 1, 2] if depthwise else [1, 3, 16, 17]))
    if depthwise:
        group = data.draw(st.integers(2, 40))
    x = numbers(seed, (data.draw(st.integers(1, 2)), group * per_in, *w["size"]), "float32", scale=1)
    weight = numbers(seed + 1, (group * per_out, per_in, *w["kernel"]), "float32", scale=1)
    bias = numbers(seed + 2, (group * per_out,), "float32") if data.draw(st.booleans()) else None
    attrs = _window_attrs(w) | {"group": group}
    got = evaluate("Conv", [x, weight, bias], attrs)
    assert_near(got, onnx_node("Conv", [x, weight, bias], attrs))
    last = evaluate("Conv", [to_last(x), to_last(weight), bias], attrs | {"layout": "NHWC"})
    assert same_bits(to_first(last), got)


@given(data=st.data(), seed=SEEDS, name=st.sampled_from(sorted(ACTIVATIONS)), group=st.sampled_from([1, 2, 6]))
def test_conv_adds_residual_then_activates(data: st.DataObject, seed: int, name: str, group: int) -> None:
    """The fused form has the bits of Conv, Add and the activation one after the other."""
    size = data.draw(st.integers(1, 9))
    x = numbers(seed, (2, 6, size, size + 1), "float32", scale=1)
    weight = numbers(seed + 1, (12, 6 // group, 3, 3), "float32", scale=1)
    bias, residual = numbers(seed + 2, (12,), "float32"), numbers(seed + 3, (2, 12, size, size + 1), "float32")
    attrs = {"pads": [1, 1, 1, 1], "group": group}
    alpha, beta = ACTIVATIONS[name]
    fused = evaluate("Conv", [x, weight, bias, residual],
                     attrs | {"activation": name, "act_alpha": alpha, "act_beta": beta})
    plain = evaluate("Add", [evaluate("Conv", [x, weight, bias], attrs), residual])
    apart = {"clip": ("Clip", {"min": alpha, "max": beta}), "leaky_relu": ("LeakyRelu", {"alpha": alpha}),
             "hard_swish": ("HardSwish", {}), "sigmoid": ("Sigmoid", {}), "silu": ("Silu", {}), "gelu": ("Gelu", {})}
    op, op_attrs = apart[name]
    assert same_bits(fused, evaluate(op, [plain], op_attrs))


@given(seed=SEEDS, spatial=st.integers(1, 3), dtype=st.sampled_from(["float16", "bfloat16", "float64"]))
def test_conv_in_other_types(seed: int, spatial: int, dtype: str) -> None:
    """Halves are computed in float32 and rounded once; float64 has its own loops."""
    x = numbers(seed, (1, 4, *[5] * spatial), dtype, scale=1)
    weight = numbers(seed + 1, (6, 2, *[3] * spatial), dtype, scale=1)
    bias, attrs = numbers(seed + 2, (6,), dtype), {"group": 2, "pads": [1] * (2 * spatial)}
    got = evaluate("Conv", [x, weight, bias], attrs)
    wide = evaluate("Conv", [a.astype(np.float32) for a in (x, weight, bias)], attrs)
    if dtype == "float64":
        assert_near(got, wide, 1e-5)
    else:
        assert same_bits(got, wide.astype(np_dtype(dtype)))


def test_float64_conv_is_exact_in_small_integers() -> None:
    x = np.arange(2 * 3 * 4 * 5, dtype=np.float64).reshape(2, 3, 4, 5)
    weight = np.arange(6 * 3 * 3 * 2, dtype=np.float64).reshape(6, 3, 3, 2)
    got = evaluate("Conv", [x, weight])
    want = np.zeros((2, 6, 2, 4))
    for i in range(2):
        for j in range(4):
            want[:, :, i, j] = np.einsum("nchw,ochw->no", x[:, :, i:i + 3, j:j + 2], weight)
    np.testing.assert_array_equal(got, want)


@given(data=st.data(), spatial=st.integers(1, 3), seed=SEEDS, group=st.sampled_from([1, 1, 2, 3]))
def test_conv_transpose_matches_onnxruntime_in_both_layouts(data: st.DataObject, spatial: int, seed: int,
                                                            group: int) -> None:
    w = data.draw(windows(spatial, transposed=True))
    extra = [data.draw(st.integers(0, s - 1)) for s in w["strides"]]
    attrs = {"strides": w["strides"], "dilations": w["dilations"], "pads": w["pads"], "group": group,
             "output_padding": extra}
    n = spatial
    assume(all((w["size"][i] - 1) * w["strides"][i] + (w["kernel"][i] - 1) * w["dilations"][i] + 1 + extra[i]
               > w["pads"][i] + w["pads"][i + n] for i in range(n)))
    x = numbers(seed, (2, group * data.draw(st.integers(1, 5)), *w["size"]), "float32", scale=1)
    weight = numbers(seed + 1, (x.shape[1], data.draw(st.sampled_from([1, 3, 17])), *w["kernel"]), "float32", scale=1)
    bias = numbers(seed + 2, (weight.shape[1] * group,), "float32") if data.draw(st.booleans()) else None
    got = evaluate("ConvTranspose", [x, weight, bias], attrs)
    assert_near(got, onnx_node("ConvTranspose", [x, weight, bias], attrs))
    last = evaluate("ConvTranspose", [to_last(x), to_last(weight), bias], attrs | {"layout": "NHWC"})
    assert same_bits(to_first(last), got)


@st.composite
def products(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    m, n = (draw(st.sampled_from([1, 2, 5, 6, 7, 13, 33])) for _ in range(2))
    k = draw(st.sampled_from([0, 1, 3, 16, 31, 1025]))
    batch = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(0, 2)))]
    first = [d if draw(st.booleans()) else 1 for d in batch]
    second = [d if draw(st.booleans()) else 1 for d in batch]
    return (*first[draw(st.integers(0, len(first))):], m, k), (*second[draw(st.integers(0, len(second))):], k, n)


@given(shapes=products(), seed=SEEDS, ta=st.booleans(), tb=st.booleans(), bias=st.booleans(),
       alpha=st.sampled_from([1.0, 0.25]),
       dtype=st.sampled_from(["float32", "float32", "float64", "float16", "int32", "uint64"]))
def test_matmul_is_numpys(shapes: Any, seed: int, ta: bool, tb: bool, bias: bool, alpha: float, dtype: str) -> None:
    a = numbers(seed, shapes[0], dtype, scale=1)
    b = numbers(seed + 1, shapes[1], dtype, scale=1)
    c = numbers(seed + 2, (b.shape[-1],), dtype) if bias else None
    left = np.ascontiguousarray(np.swapaxes(a, -1, -2)) if ta else a
    right = np.ascontiguousarray(np.swapaxes(b, -1, -2)) if tb else b
    integer = dtype in ("int32", "uint64")
    attrs = {"transpose_a": ta, "transpose_b": tb} | ({} if integer else {"alpha": alpha})
    got = evaluate("MatMul", [left, right, c], attrs)
    if integer:
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(got, np.matmul(a, b) + (0 if c is None else c))
        return
    want = np.matmul(a.astype(np.float64), b.astype(np.float64)) * alpha
    want = want if c is None else want + c.astype(np.float64)
    assert_near(got, want.astype(got.dtype) if dtype == "float16" else want, 2e-3 if dtype == "float16" else 2e-5)


def _chain(a: np.ndarray, b: np.ndarray) -> np.float32:
    """Chunks of 1024 products, each a chain of fused multiply-adds. (float64 holds a product of floats exactly;
    double rounding of the sum is the risk that the operands' few bits exclude.)"""
    sums = []
    for at in range(0, len(a), 1024):
        total = np.float32(0)
        for x, y in zip(a[at:at + 1024], b[at:at + 1024]):
            total = np.float32(np.float64(x) * np.float64(y) + np.float64(total))
        sums.append(total)
    total = sums[0]
    for s in sums[1:]:
        total = np.float32(total + s)
    return total


@given(seed=SEEDS, k=st.sampled_from([1, 1000, 1024, 1025, 2500]))
def test_matmul_keeps_the_order_of_the_sum(seed: int, k: int) -> None:
    a = numbers(seed, (1, k), "float16", scale=1).astype(np.float32)
    b = numbers(seed + 1, (k, 1), "float16", scale=1).astype(np.float32)
    assert same_bits(evaluate("MatMul", [a, b]), np.array([[_chain(a[0], b[:, 0])]], np.float32))


@pytest.mark.parametrize(("a", "b", "want"), [((3,), (3,), ()), ((2, 3), (3,), (2,)), ((3,), (4, 3, 5), (4, 5)),
                                              ((0, 3), (3, 2), (0, 2)), ((2, 0), (0, 3), (2, 3))])
def test_matmul_of_vectors_and_empty_matrices(a: tuple, b: tuple, want: tuple) -> None:
    x, y = numbers(1, a, "float32"), numbers(2, b, "float32")
    got = evaluate("MatMul", [x, y])
    assert got.shape == want
    assert_near(got, np.matmul(x.astype(np.float64), y.astype(np.float64)))


X = np.zeros((1, 4, 5, 5), np.float32)
W = np.zeros((6, 4, 3, 3), np.float32)


@pytest.mark.parametrize(("op", "inputs", "attrs", "reason"), [
    ("Conv", [X, W], {"strides": [0, 1]}, "strides"),
    ("Conv", [X, W], {"dilations": [1, -1]}, "dilations"),
    ("Conv", [X, W], {"pads": [-1, 0, 0, 0]}, "pads"),
    ("Conv", [X, W], {"pads": [1, 1]}, "pads has 2 entries"),
    ("Conv", [X, W], {"group": 0}, "group"),
    ("Conv", [X, W], {"group": 3}, "groups"),
    ("Conv", [X, W], {"dilations": [3, 3]}, "window covers 7"),
    ("Conv", [X, W[:, :, :, :0]], {}, "extent in spatial axis 1 is 0"),
    ("Conv", [X, W[..., 0]], {}, "rank"),
    ("Conv", [X[0, 0], W[0, 0]], {}, "batch axis"),
    ("Conv", [X, W, np.zeros(5, np.float32)], {}, "bias"),
    ("Conv", [X, W, None, X], {}, "residual"),
    ("Conv", [X, W], {"pads": [1 << 40] * 4}, "pads"),
    ("ConvTranspose", [X, W], {}, "4 channels"),
    ("ConvTranspose", [X, W[:4]], {"pads": [9, 9, 9, 9]}, "pads take off more"),
    ("ConvTranspose", [X, W[:4]], {"strides": [1 << 30, 1 << 30]}, "product of the strides"),
    ("ConvTranspose", [X, W[:4]], {"output_shape": [5]}, "output_shape"),
    ("MatMul", [X, X[:, :, :3]], {}, "do not fit"),
    ("MatMul", [np.float32(1), X], {}, "scalar"),
    ("MatMul", [X[0, 0, 0], X], {"transpose_a": True}, "cannot be transposed"),
])
def test_wrong_nodes_are_refused_by_name(op: str, inputs: list, attrs: dict, reason: str) -> None:
    with pytest.raises(SampanError, match=reason):
        evaluate_once(op, attrs, [None if a is None else np.asarray(a) for a in inputs], 1)
