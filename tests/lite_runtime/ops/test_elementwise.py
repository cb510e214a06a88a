"""Elementwise operators against numpy in float64 or exact integers."""
from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampan import lite_runtime
from sampan.lite_runtime import DataError, InvalidArgument

from .strategies import (
    ALL,
    FLOATS,
    INTS,
    NUMBERS,
    UNSIGNED,
    assert_close,
    broadcast_pairs,
    evaluate,
    np_dtype,
    numbers,
    same_bits,
    shapes,
    wide,
)

SEEDS = st.integers(0, 2**32 - 1)
_erf = np.vectorize(math.erf, otypes=[float])


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0, np.exp(-np.abs(x)), 1.0) / (1 + np.exp(-np.abs(x)))


def _softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(0, x)


def _mish(x: np.ndarray) -> np.ndarray:
    return np.where(np.isneginf(x), 0.0, x * np.tanh(_softplus(x)))


# name -> (float64 function, ulps of float32)
UNARY = {
    "Abs": (np.abs, 0), "Neg": (np.negative, 0), "Sign": (np.sign, 0), "Floor": (np.floor, 0), "Ceil": (np.ceil, 0),
    "Round": (np.rint, 0), "Sqrt": (np.sqrt, 0.5), "Reciprocal": (lambda x: 1 / x, 0.5), "Exp": (np.exp, 2),
    "Log": (np.log, 2), "Sin": (np.sin, 1), "Cos": (np.cos, 1), "Tan": (np.tan, 1), "Asin": (np.arcsin, 1),
    "Acos": (np.arccos, 1), "Atan": (np.arctan, 1), "Sinh": (np.sinh, 1), "Cosh": (np.cosh, 1),
    "Asinh": (np.arcsinh, 1), "Acosh": (np.arccosh, 1), "Atanh": (np.arctanh, 1), "Erf": (_erf, 2),
    "Tanh": (np.tanh, 2), "Sigmoid": (_sigmoid, 2),
    "Silu": (lambda x: np.where(np.isneginf(x), 0.0, x * _sigmoid(x)), 3), "Softplus": (_softplus, 2),
    "Softsign": (lambda x: np.where(np.isinf(x), np.nan, x / (1 + np.abs(x))), 1.5), "Mish": (_mish, 4),
    "HardSwish": (lambda x: np.where(np.isneginf(x), 0.0, x * np.clip(x / 6 + 0.5, 0, 1)), 4),
}


@pytest.mark.parametrize("op", UNARY)
@given(shape=shapes(), dtype=st.sampled_from(["float32", "float16", "bfloat16"]), seed=SEEDS,
       scale=st.sampled_from([0.3, 3.0, 30.0]))
def test_unary_functions(op: str, shape: tuple[int, ...], dtype: str, seed: int, scale: float) -> None:
    function, ulps = UNARY[op]
    x = numbers(seed, shape, dtype, scale=scale, special=True)
    y = evaluate(op, [x])
    assert y.dtype == x.dtype
    with np.errstate(all="ignore"):
        want = np.asarray(function(wide(x)))
        if op == "HardSwish":  # a difference of two numbers near -3: absolute accuracy is what there is
            near = np.abs(wide(x) + 3) < 0.5
            want = np.where(near, wide(y), want)
    # Halves: the float32 error can decide a tie.
    assert_close(y, want, ulps=ulps if dtype == "float32" else max(ulps, 0.51), name=f"{op} {dtype}")


@pytest.mark.parametrize("op", sorted(set(UNARY) - {"HardSwish"}))
@given(shape=shapes(max_rank=2, max_elements=300), seed=SEEDS)
def test_unary_functions_of_doubles(op: str, shape: tuple[int, ...], seed: int) -> None:
    x = numbers(seed, shape, "float64", special=True)
    with np.errstate(all="ignore"):
        want = np.asarray(UNARY[op][0](x))
        got = evaluate(op, [x])
        np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-300, equal_nan=True)


@pytest.mark.parametrize(("op", "function"), [("Abs", np.abs), ("Neg", np.negative), ("Sign", np.sign)])
@given(shape=shapes(), dtype=st.sampled_from(INTS), seed=SEEDS)
def test_unary_integers_wrap(op: str, function, shape: tuple[int, ...], dtype: str, seed: int) -> None:
    if op == "Neg" and dtype in UNSIGNED:
        return
    x = numbers(seed, shape, dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(evaluate(op, [x]), np.asarray(function(x)))


PARAMETERS = {
    "LeakyRelu": lambda x, alpha=0.1: np.where(x < 0, alpha * x, x),
    "Elu": lambda x, alpha=1.3: np.where(x < 0, alpha * np.expm1(x), x),
    "Celu": lambda x, alpha=0.7: np.where(x < 0, alpha * np.expm1(x / alpha), x),
    "Selu": lambda x, alpha=1.6, gamma=1.1: gamma * np.where(x < 0, alpha * np.expm1(x), x),
    "ThresholdedRelu": lambda x, alpha=0.5: np.where(x > alpha, x, np.where(np.isnan(x), x, 0)),
    "Shrink": lambda x, lambd=1.0, bias=0.25: np.where(x < -lambd, x + bias, np.where(
        x > lambd, x - bias, np.where(np.isnan(x), x, 0))),
}


@pytest.mark.parametrize("op", PARAMETERS)
@given(shape=shapes(), seed=SEEDS)
def test_parameters(op: str, shape: tuple[int, ...], seed: int) -> None:
    import inspect

    function = PARAMETERS[op]
    attrs = {k: float(np.float32(p.default)) for k, p in inspect.signature(function).parameters.items() if k != "x"}
    x = numbers(seed, shape, "float32", special=True)
    with np.errstate(all="ignore"):
        want = np.asarray(function(wide(x), **attrs))
    assert_close(evaluate(op, [x], attrs), want, ulps=4, name=op)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@given(shape=shapes(), seed=SEEDS)
def test_gelu(approximate: str, shape: tuple[int, ...], seed: int) -> None:
    x = numbers(seed, shape, "float32", special=True)
    d = wide(x)
    with np.errstate(all="ignore"):
        if approximate == "none":
            want = 0.5 * d * np.vectorize(math.erfc, otypes=[float])(-d / math.sqrt(2))
        else:
            want = d * _sigmoid(2 * math.sqrt(2 / math.pi) * (d + 0.044715 * d**3))
    want = np.where(np.isneginf(d), 0.0, want)
    assert_close(evaluate("Gelu", [x], {"approximate": approximate}), want, ulps=6, name=approximate)


@given(shape=shapes(), dtype=st.sampled_from(FLOATS), seed=SEEDS, bounds=st.tuples(st.floats(-3, 3), st.floats(-3, 3)))
def test_clip_floats(shape: tuple[int, ...], dtype: str, seed: int, bounds: tuple[float, float]) -> None:
    x = numbers(seed, shape, dtype, special=True)
    low, high = (np.array(b).astype(np_dtype(dtype)) for b in bounds)
    with np.errstate(all="ignore"):
        want = np.minimum(np.maximum(x, low), high)
    assert same_bits(evaluate("Clip", [x, low, high]), want)
    as_attrs = {"min": float(low), "max": float(high)}
    assert same_bits(evaluate("Clip", [x], as_attrs), want) or dtype == "float64"


@given(shape=shapes(), dtype=st.sampled_from(INTS), seed=SEEDS)
def test_clip_integers(shape: tuple[int, ...], dtype: str, seed: int) -> None:
    x, bounds = numbers(seed, shape, dtype), np.sort(numbers(seed + 1, (2,), dtype))
    np.testing.assert_array_equal(evaluate("Clip", [x, bounds[0], bounds[1]]), np.clip(x, bounds[0], bounds[1]))
    np.testing.assert_array_equal(evaluate("Clip", [x, None, bounds[1]]), np.minimum(x, bounds[1]))
    np.testing.assert_array_equal(evaluate("Clip", [x]), x)


def _c_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Truncates; the lowest number divided by -1 wraps to itself."""
    q = np.abs(a.astype(object)) // np.abs(b.astype(object))
    q = np.where((a < 0) != (b < 0), -q, q)
    bits = 8 * a.dtype.itemsize
    return np.vectorize(lambda v: int(v) % (1 << bits), otypes=[np.uint64])(q).astype(f"u{a.dtype.itemsize}").view(
        a.dtype) if q.size else q.astype(a.dtype)


INT_BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Min": np.minimum, "Max": np.maximum,
              "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor,
              "Mod": np.mod, "Div": _c_divide}
FLOAT_BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Min": np.minimum,
                "Max": np.maximum}
COMPARE = {"Equal": np.equal, "Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater,
           "GreaterOrEqual": np.greater_equal}


@pytest.mark.parametrize("op", INT_BINARY)
@given(pair=broadcast_pairs(), dtype=st.sampled_from(INTS), seed=SEEDS)
def test_binary_integers(op: str, pair: list[tuple[int, ...]], dtype: str, seed: int) -> None:
    a, b = numbers(seed, pair[0], dtype), numbers(seed + 1, pair[1], dtype)
    if op in ("Div", "Mod"):
        b = np.where(b == 0, np.ones_like(b), b)
    with np.errstate(all="ignore"):
        want = np.asarray(INT_BINARY[op](*np.broadcast_arrays(a, b)))
    np.testing.assert_array_equal(evaluate(op, [a, b]), want, strict=True)


@pytest.mark.parametrize("op", FLOAT_BINARY)
@given(pair=broadcast_pairs(), dtype=st.sampled_from(FLOATS), seed=SEEDS)
def test_binary_floats_round_once(op: str, pair: list[tuple[int, ...]], dtype: str, seed: int) -> None:
    a, b = (numbers(seed + i, s, dtype, special=True) for i, s in enumerate(pair))
    with np.errstate(all="ignore"):
        want = FLOAT_BINARY[op](a, b) if dtype == "float64" else FLOAT_BINARY[op](
            a.astype(np.float32), b.astype(np.float32)).astype(np_dtype(dtype))
    got = evaluate(op, [a, b])
    assert got.dtype == a.dtype and same_bits(got, np.asarray(want))


@pytest.mark.parametrize("op", COMPARE)
@given(pair=broadcast_pairs(), dtype=st.sampled_from(NUMBERS), seed=SEEDS)
def test_compare(op: str, pair: list[tuple[int, ...]], dtype: str, seed: int) -> None:
    a, b = (numbers(seed + i, s, dtype, special=True, low=-2, high=2) for i, s in enumerate(pair))
    with np.errstate(invalid="ignore"):
        want = np.asarray(COMPARE[op](a, b))
    np.testing.assert_array_equal(evaluate(op, [a, b]), want, strict=True)


@pytest.mark.parametrize(("op", "function"), [
    ("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor), ("Equal", np.equal)])
@given(pair=broadcast_pairs(), seed=SEEDS)
def test_logic(op: str, function, pair: list[tuple[int, ...]], seed: int) -> None:
    a, b = (numbers(seed + i, s, "bool") for i, s in enumerate(pair))
    np.testing.assert_array_equal(evaluate(op, [a, b]), np.asarray(function(a, b)), strict=True)
    np.testing.assert_array_equal(evaluate("Not", [a]), np.logical_not(a))


@given(pair=broadcast_pairs(), dtype=st.sampled_from(UNSIGNED), seed=SEEDS, left=st.booleans())
def test_bit_shift(pair: list[tuple[int, ...]], dtype: str, seed: int, left: bool) -> None:
    a, b = numbers(seed, pair[0], dtype), numbers(seed + 1, pair[1], dtype, low=0, high=80)
    bits = 8 * a.dtype.itemsize
    u, v = np.broadcast_arrays(a, b)
    want = [(int(x) << int(n)) % (1 << bits) if left else int(x) >> int(n) for x, n in zip(u.flat, v.flat)]
    got = evaluate("BitShift", [a, b], {"direction": "LEFT" if left else "RIGHT"})
    np.testing.assert_array_equal(got, np.array(want, dtype).reshape(u.shape), strict=True)


@given(pair=broadcast_pairs(), dtype=st.sampled_from(["float32", "float64", "int32", "uint8"]), seed=SEEDS)
def test_fmod_has_the_sign_of_the_dividend(pair: list[tuple[int, ...]], dtype: str, seed: int) -> None:
    a, b = (numbers(seed + i, s, dtype) for i, s in enumerate(pair))
    b = np.where(b == 0, np.ones_like(b), b)
    with np.errstate(all="ignore"):
        assert same_bits(evaluate("Mod", [a, b], {"fmod": True}), np.asarray(np.fmod(a, b)))


@given(pair=broadcast_pairs(), seed=SEEDS)
def test_pow_floats(pair: list[tuple[int, ...]], seed: int) -> None:
    a, b = numbers(seed, pair[0], "float32"), numbers(seed + 1, pair[1], "float32", scale=2)
    with np.errstate(all="ignore"):
        assert_close(evaluate("Pow", [a, b]), np.asarray(np.power(wide(a), wide(b))), ulps=1)
        assert_close(evaluate("Pow", [a, np.float32(2)]), np.asarray(wide(a) ** 2), ulps=0.5)


@given(pair=broadcast_pairs(), base=st.sampled_from(INTS), exponent=st.sampled_from(INTS), seed=SEEDS)
def test_pow_integers(pair: list[tuple[int, ...]], base: str, exponent: str, seed: int) -> None:
    a, b = numbers(seed, pair[0], base), numbers(seed + 1, pair[1], exponent, low=0, high=9)
    with np.errstate(all="ignore"):
        u, v = np.broadcast_arrays(a, b)
        want = np.asarray(np.power(u, v.astype(u.dtype)))
    np.testing.assert_array_equal(evaluate("Pow", [a, b]), want, strict=True)


@given(full=shapes(min_rank=1), dtype=st.sampled_from(FLOATS[:2] + ["int32"]), seed=SEEDS, data=st.data())
def test_prelu(full: tuple[int, ...], dtype: str, seed: int, data) -> None:
    slope_shape = tuple(d if data.draw(st.booleans()) else 1 for d in full[data.draw(st.integers(0, len(full))):])
    x, slope = numbers(seed, full, dtype, high=100, low=-100), numbers(seed + 1, slope_shape, dtype, low=-3, high=3)
    w = np.float32 if dtype in FLOATS else np.dtype(dtype)
    want = np.where(x.astype(w) < 0, x.astype(w) * slope.astype(w), x.astype(w)).astype(x.dtype)
    assert same_bits(evaluate("PRelu", [x, slope]), want)


@given(three=broadcast_pairs(count=3), dtype=st.sampled_from(ALL), seed=SEEDS)
def test_where(three: list[tuple[int, ...]], dtype: str, seed: int) -> None:
    c, a, b = (numbers(seed + i, s, "bool" if i == 0 else dtype, special=True) for i, s in enumerate(three))
    assert same_bits(evaluate("Where", [c, a, b]), np.asarray(np.where(c, a, b)))


@given(shape=shapes(), source=st.sampled_from(ALL), to=st.sampled_from(ALL), seed=SEEDS,
       scale=st.sampled_from([1.0, 300.0, 1e12]))
def test_cast(shape: tuple[int, ...], source: str, to: str, seed: int, scale: float) -> None:
    x = numbers(seed, shape, source, scale=scale, special=True)
    kind = np_dtype(to)
    with np.errstate(all="ignore"):
        if to in INTS and source in FLOATS:
            info = np.iinfo(kind)
            want = np.array([0 if np.isnan(v) else info.min if v <= info.min else info.max if v >= info.max else int(v)
                             for v in wide(x).reshape(-1)], object).astype(kind).reshape(x.shape)
        elif to == "bool":
            want = wide(x) != 0 if source in FLOATS else x != 0
        elif to in ("float16", "bfloat16") and source in (*INTS, "float64"):
            want = wide(x).astype(np.float64).astype(kind)
        else:
            want = x.astype(kind)
    got = evaluate("Cast", [x], {"to": to})
    assert got.dtype == kind and same_bits(got, np.asarray(want))


@given(shape=shapes(), dtype=st.sampled_from(FLOATS), seed=SEEDS)
def test_classify(shape: tuple[int, ...], dtype: str, seed: int) -> None:
    x = numbers(seed, shape, dtype, special=True)
    d = wide(x)
    np.testing.assert_array_equal(evaluate("IsNaN", [x]), np.isnan(d))
    np.testing.assert_array_equal(evaluate("IsInf", [x]), np.isinf(d))
    np.testing.assert_array_equal(evaluate("IsInf", [x], {"detect_negative": False}), np.isposinf(d))
    np.testing.assert_array_equal(evaluate("IsInf", [x], {"detect_positive": False}), np.isneginf(d))


def test_division_by_zero_is_an_error_for_integers() -> None:
    a, b = np.array([1, 2, 3], np.int32), np.array([1, 0, 1], np.int32)
    for op in ("Div", "Mod"):
        with pytest.raises(DataError, match="element 1 of the divisor is 0"):
            lite_runtime.evaluate(op, {}, [a, b])
    assert np.isinf(lite_runtime.evaluate("Div", {}, [np.float32(1), np.float32(0)])[0])


def test_refusals_name_what_is_wrong() -> None:
    a, b = np.zeros((2, 3), np.float32), np.zeros((4, 3), np.float32)
    with pytest.raises(InvalidArgument, match=r"\[2, 3\] and \[4, 3\] do not broadcast"):
        lite_runtime.evaluate("Add", {}, [a, b])
    with pytest.raises(InvalidArgument, match="NaN"):
        lite_runtime.evaluate("Elu", {"alpha": math.nan}, [a])
    with pytest.raises(InvalidArgument, match="fmod"):
        lite_runtime.evaluate("Mod", {}, [a, a])
    with pytest.raises(InvalidArgument, match="must be a scalar"):
        lite_runtime.evaluate("Clip", {}, [a, b])
    with pytest.raises(InvalidArgument, match="slope"):
        lite_runtime.evaluate("PRelu", {}, [a, np.zeros((5, 2, 3), np.float32)])
