"""QuantizeLinear and DequantizeLinear against their formulas; the composed QLinear operators and Einsum end to end."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sampan
from sampan.lite_runtime import SampanError
from sampan.lite_runtime import evaluate as evaluate_once

from .reference import assert_near
from .strategies import evaluate, numbers, same_bits

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def scales(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, int], str]:
    """x, and a scale and zero point for each of its elements, in the form the operators take."""
    dtype, seed = draw(st.sampled_from(["int8", "uint8", "int16", "uint16"])), draw(SEEDS)
    shape = tuple(draw(st.integers(1, 9)) for _ in range(draw(st.integers(1, 3))))
    axis = draw(st.integers(0, len(shape) - 1))
    kind = draw(st.sampled_from(["tensor", "axis", "block"]))
    block = draw(st.integers(1, 4)) if kind == "block" else 0
    scale_shape: tuple[int, ...] = ()
    if kind == "axis":
        scale_shape = (shape[axis],)
    elif kind == "block":
        scale_shape = (*shape[:axis], -(-shape[axis] // block), *shape[axis + 1:])
    rng = np.random.default_rng(seed)
    x = numbers(seed, shape, "float32", scale=40, special=True)
    scale = rng.uniform(0.1, 2, scale_shape).astype(np.float32)
    return x, scale, numbers(seed + 1, scale_shape, dtype), {"axis": axis, "block_size": block}, dtype


def _spread(p: np.ndarray, x: np.ndarray, attrs: dict[str, int]) -> np.ndarray:
    """A value for each element of x."""
    if p.ndim == 0:
        return np.broadcast_to(p, x.shape)
    axis = attrs["axis"]
    if attrs["block_size"]:
        return np.repeat(p, attrs["block_size"], axis)[tuple(slice(0, d) for d in x.shape)]
    return np.broadcast_to(p.reshape([-1 if i == axis else 1 for i in range(x.ndim)]), x.shape)


@given(case=scales())
def test_quantize(case: Any) -> None:
    x, scale, zero, attrs, dtype = case
    got = evaluate("QuantizeLinear", [x, scale, zero], attrs | {"to": dtype})
    limits, z = np.iinfo(dtype), _spread(zero, x, attrs).astype(np.float64)
    steps = np.rint(x / _spread(scale, x, attrs)).astype(np.float64)
    want = np.clip(np.where(np.isnan(steps), 0, steps) + z, limits.min, limits.max)
    np.testing.assert_array_equal(got, want.astype(dtype))


@given(case=scales())
def test_dequantize(case: Any) -> None:
    x, scale, zero, attrs, dtype = case
    q = numbers(3, x.shape, dtype)
    got = evaluate("DequantizeLinear", [q, scale, zero], attrs)
    steps = q.astype(np.float32) - _spread(zero, x, attrs).astype(np.float32)
    assert same_bits(got, steps * _spread(scale, x, attrs))


X, S = np.zeros((2, 6), np.float32), np.ones(6, np.float32)


@pytest.mark.parametrize(("inputs", "attrs", "reason"), [
    ([X, S[:5]], {}, "scale has shape"),
    ([X, S], {"axis": 2}, "axis 2"),
    ([X, S], {"to": "int32"}, "can be stored"),
    ([X, S, np.zeros(6, np.int8)], {}, "zero_point has type"),
    ([X, S, np.zeros(5, np.uint8)], {}, "zero_point has shape"),
    ([X, np.ones((2, 3), np.float32)], {"block_size": 4}, "divided by 4"),
])
def test_wrong_scales_are_refused(inputs: list, attrs: dict, reason: str) -> None:
    with pytest.raises(SampanError, match=reason):
        evaluate_once("QuantizeLinear", attrs, inputs, 1)


@pytest.mark.parametrize("scale", [0.0, np.nan, np.inf, -1.0, 1e-45])
def test_any_scale_gives_a_value(scale: float) -> None:
    x = np.array([0, 1, -1, np.nan, np.inf, -np.inf, 1e38], np.float32)
    for to in ("int8", "uint16"):
        assert evaluate("QuantizeLinear", [x, np.float32(scale)], {"to": to}).shape == x.shape


def _converted(op: str, inputs: list[np.ndarray], attrs: dict[str, Any]) -> np.ndarray:
    """One ONNX node through the converter and a session, its inputs given at run time."""
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    infos = [helper.make_tensor_value_info(f"x{i}", helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
             for i, a in enumerate(inputs)]
    node = helper.make_node(op, [i.name for i in infos], ["y"], **attrs)
    graph = helper.make_graph([node], "one", infos, [helper.make_empty_tensor_value_info("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = sampan.Session(model.SerializeToString())
    return session.run({f"x{i}": a for i, a in enumerate(inputs)})["y"]


@given(seed=SEEDS, per_channel=st.booleans())
def test_composed_integer_convolution_is_exact(seed: int, per_channel: bool) -> None:
    x, w = numbers(seed, (1, 4, 5, 5), "uint8"), numbers(seed + 1, (6, 2, 3, 3), "int8")
    attrs = {"pads": [1, 1, 1, 1], "group": 2}
    inputs = [x, w, np.asarray(7, np.uint8), numbers(seed + 2, (6,), "int8") if per_channel else np.asarray(0, np.int8)]
    want = evaluate_once("Conv", attrs, [x.astype(np.float64) - 7,
                                         w - inputs[3].astype(np.float64).reshape(-1, 1, 1, 1)], 1)[0]
    np.testing.assert_array_equal(_converted("ConvInteger", inputs, attrs), want.astype(np.int32))


@given(seed=SEEDS)
def test_composed_quantized_product_is_exact(seed: int) -> None:
    """onnxruntime is no oracle here: on AVX2 its 16-bit sums of uint8 x int8 products saturate."""
    a, b = numbers(seed, (2, 3, 40), "uint8"), numbers(seed + 1, (2, 40, 5), "int8")
    a_scale, b_scale, y_scale = (np.asarray(v, np.float32) for v in (0.02, 0.01, 0.05))
    inputs = [a, a_scale, np.asarray(99, np.uint8), b, b_scale, np.asarray(3, np.int8), y_scale, np.asarray(120, np.uint8)]
    sums = np.matmul(a.astype(np.int64) - 99, b.astype(np.int64) - 3)
    want = np.rint(sums.astype(np.float32) * (a_scale * b_scale) / y_scale) + 120
    np.testing.assert_array_equal(_converted("QLinearMatMul", inputs, {}), np.clip(want, 0, 255).astype(np.uint8))


@pytest.mark.parametrize(("equation", "shapes"), [
    ("ij,jk->ik", [(3, 4), (4, 5)]), ("bhid,bhjd->bhij", [(2, 3, 4, 5), (2, 3, 6, 5)]),
    ("bij,bjk", [(2, 3, 4), (2, 4, 5)]), ("ii->i", [(4, 4)]), ("...ii->...", [(3, 4, 4)]), ("ij->ji", [(2, 3)]),
    ("ij->", [(2, 3)]), ("i,j->ij", [(3,), (4,)]), ("abcd,cdef->abef", [(2, 3, 4, 5), (4, 5, 6, 2)]),
    ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 6)]), ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
    ("bi,bj,b->ij", [(3, 4), (3, 5), (3,)]), ("ij,ij->i", [(3, 4), (3, 4)]), ("bsh,tsh->btsh", [(2, 3, 4), (5, 3, 4)]),
])
def test_einsum_is_numpys(equation: str, shapes: list[tuple[int, ...]]) -> None:
    inputs = [numbers(i, s, "float32", scale=1) for i, s in enumerate(shapes)]
    want = np.einsum(equation, *[a.astype(np.float64) for a in inputs])
    assert_near(_converted("Einsum", inputs, {"equation": equation}), np.asarray(want))
