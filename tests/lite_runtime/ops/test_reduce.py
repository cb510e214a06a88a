"""Reductions: the order of float32 sums as docs/numerics.md fixes it, and values against numpy."""
from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .strategies import FLOATS, INTS, NUMBERS, assert_close, evaluate, np_dtype, numbers, same_bits, shapes, wide

SEEDS = st.integers(0, 2**32 - 1)


def sum_in_order(x: np.ndarray) -> np.float32:
    """Sixteen lanes over the elements, then 8-4-2-1."""
    lanes = np.zeros(16, np.float32)
    for i in range(0, len(x), 16):
        part = x[i:i + 16]
        lanes[:len(part)] += part
    for width in (8, 4, 2, 1):
        lanes[:width] += lanes[width:2 * width]
    return lanes[0]


@st.composite
def cases(draw: st.DrawFn, min_rank: int = 0):
    shape = draw(shapes(min_rank=min_rank, max_rank=5, max_elements=3000))
    axes = draw(st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1)) if shape else []
    signed = [a - len(shape) if draw(st.booleans()) else a for a in axes]
    return shape, tuple(sorted(axes)), signed, draw(st.booleans())


def _reduced(op: str, case, x: np.ndarray) -> np.ndarray:
    _, _, signed, keep = case
    return evaluate(op, [x], {"axes": signed, "keepdims": keep})


@given(rows=st.integers(1, 5), n=st.integers(0, 400), seed=SEEDS)
def test_innermost_sums_have_sixteen_lanes(rows: int, n: int, seed: int) -> None:
    x = numbers(seed, (rows, n), "float32")
    got = evaluate("ReduceSum", [x], {"axes": [1], "keepdims": False})
    assert same_bits(got, np.array([sum_in_order(row) for row in x], np.float32))
    if n:
        got = evaluate("ReduceMean", [x], {"axes": [1], "keepdims": False})
        assert same_bits(got, np.array([sum_in_order(row) / np.float32(n) for row in x], np.float32))


@given(outer=st.integers(1, 4), n=st.integers(0, 130), inner=st.integers(2, 70), seed=SEEDS)
def test_other_sums_are_chains_of_32(outer: int, n: int, inner: int, seed: int) -> None:
    x = numbers(seed, (outer, n, inner), "float32")
    want = np.zeros((outer, inner), np.float32)
    for start in range(0, n, 32):
        chunk = np.zeros((outer, inner), np.float32)
        for k in range(start, min(n, start + 32)):
            chunk += x[:, k]
        want += chunk
    assert same_bits(evaluate("ReduceSum", [x], {"axes": [1], "keepdims": False}), want)


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
@given(case=cases(), dtype=st.sampled_from(NUMBERS + ["bool"]), seed=SEEDS)
def test_extremes(op: str, case, dtype: str, seed: int) -> None:
    shape, axes, _, keep = case
    x = numbers(seed, shape, dtype, special=seed % 3 == 0)
    kind = np_dtype(dtype)
    low = op == "ReduceMax"
    if dtype == "bool":
        start = not low
    elif dtype in INTS:
        start = np.iinfo(kind).min if low else np.iinfo(kind).max
    else:
        start = -np.inf if low else np.inf
    function = np.maximum if low else np.minimum
    values = x if x.dtype.kind in "iub" else x.astype(np.float64)
    want = function.reduce(values, axis=axes or None, keepdims=keep, initial=start)
    assert same_bits(_reduced(op, case, x), np.asarray(want).astype(kind))


@pytest.mark.parametrize(("op", "function"), [
    ("ReduceSum", np.sum), ("ReduceProd", np.prod),
    ("ReduceL1", lambda x, **k: np.sum(np.abs(x), **k)), ("ReduceSumSquare", lambda x, **k: np.sum(x * x, **k))])
@given(case=cases(), dtype=st.sampled_from(INTS), seed=SEEDS)
def test_integers_wrap(op: str, function, case, dtype: str, seed: int) -> None:
    shape, axes, _, keep = case
    x = numbers(seed, shape, dtype)
    with np.errstate(all="ignore"):
        unsigned = np.uint64 if dtype.startswith("u") else np.int64
        y = np.abs(x).astype(unsigned) if op == "ReduceL1" else x.astype(unsigned)
        want = (np.sum if op == "ReduceL1" else function)(y, axis=axes or None, keepdims=keep, dtype=unsigned) \
            if op != "ReduceSumSquare" else np.sum(y * y, axis=axes or None, keepdims=keep, dtype=unsigned)
    np.testing.assert_array_equal(_reduced(op, case, x), np.asarray(want).astype(x.dtype), strict=True)


FUNCTIONS = {
    "ReduceSum": lambda x, **k: np.sum(x, **k),
    "ReduceMean": lambda x, **k: np.mean(x, **k),
    "ReduceL1": lambda x, **k: np.sum(np.abs(x), **k),
    "ReduceL2": lambda x, **k: np.sqrt(np.sum(x * x, **k)),
    "ReduceSumSquare": lambda x, **k: np.sum(x * x, **k),
    "ReduceLogSum": lambda x, **k: np.log(np.sum(x, **k)),
    "ReduceLogSumExp": lambda x, **k: np.log(np.sum(np.exp(x), **k)),
}


@pytest.mark.parametrize("op", FUNCTIONS)
@given(case=cases(), dtype=st.sampled_from(FLOATS), seed=SEEDS)
def test_floats(op: str, case, dtype: str, seed: int) -> None:
    shape, axes, _, keep = case
    x = np.abs(numbers(seed, shape, dtype))  # no cancellation, so that relative errors say something
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the mean of nothing is NaN, as it should be
        want = np.asarray(FUNCTIONS[op](wide(x), axis=axes or None, keepdims=keep))
    got = _reduced(op, case, x)
    if dtype == "float64":
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    elif op in ("ReduceLogSum", "ReduceLogSumExp"):  # near 0 the logarithm loses relative accuracy
        eps = {"float32": 3e-6, "float16": 2e-3, "bfloat16": 2e-2}[dtype]
        np.testing.assert_allclose(got.astype(np.float64), want, rtol=eps, atol=eps)
    else:
        assert_close(got, want, ulps={"float32": 60, "float16": 0.6, "bfloat16": 0.6}[dtype], name=op)


@given(case=cases(), seed=SEEDS)
def test_products(case, seed: int) -> None:
    shape, axes, _, keep = case
    x = np.exp(numbers(seed, shape, "float32", scale=0.02))
    want = np.asarray(np.prod(wide(x), axis=axes or None, keepdims=keep))
    np.testing.assert_allclose(_reduced("ReduceProd", case, x), want, rtol=3e-4)


def test_log_sum_exp_neither_overflows_nor_underflows() -> None:
    for offset in (1000.0, -1000.0):
        got = evaluate("ReduceLogSumExp", [np.float32([offset, offset])], {"keepdims": False})
        np.testing.assert_allclose(got, offset + np.log(2), rtol=1e-6)
    inf = np.float32(np.inf)
    assert evaluate("ReduceLogSumExp", [np.float32([-inf, -inf])], {"keepdims": False}) == -inf
    assert evaluate("ReduceLogSumExp", [np.float32([inf, 0])], {"keepdims": False}) == inf


def test_axes_may_come_at_run_time_and_may_be_empty() -> None:
    x = numbers(1, (3, 4, 5), "float32")
    for axes in ([0], [1, 2], [-1, 0]):
        got = evaluate("ReduceSum", [x, np.array(axes)], {"keepdims": False})
        assert same_bits(got, evaluate("ReduceSum", [x], {"axes": axes, "keepdims": False}))
    nothing = np.zeros(0, np.int64)
    assert evaluate("ReduceSum", [x, nothing], {"keepdims": False}).shape == ()
    assert same_bits(evaluate("ReduceSum", [x, nothing], {"noop_with_empty_axes": True}), x)


@pytest.mark.parametrize(("op", "function"), [("ArgMax", np.argmax), ("ArgMin", np.argmin)])
@given(case=cases(min_rank=1), dtype=st.sampled_from(NUMBERS), seed=SEEDS, last=st.booleans())
def test_arg_extremes(op: str, function, case, dtype: str, seed: int, last: bool) -> None:
    shape, axes, signed, keep = case
    if 0 in shape:
        return
    axis = axes[0]
    x = numbers(seed, shape, dtype, special=seed % 2 == 0, low=0, high=4)
    values = x if x.dtype.kind in "iub" else x.astype(np.float64)
    want = function(values, axis=axis, keepdims=keep)
    if last:
        want = shape[axis] - 1 - function(np.flip(values, axis), axis=axis, keepdims=keep)
    got = evaluate(op, [x], {"axis": axis, "keepdims": keep, "select_last_index": last})
    np.testing.assert_array_equal(got, np.asarray(want, np.int64), strict=True)


@given(case=cases(min_rank=1), dtype=st.sampled_from(["float32", "float64", *INTS]), seed=SEEDS,
       exclusive=st.booleans(), reverse=st.booleans())
def test_cum_sum(case, dtype: str, seed: int, exclusive: bool, reverse: bool) -> None:
    shape, axes, _, _ = case
    axis = axes[0]
    x = numbers(seed, shape, dtype)
    y = np.flip(x, axis) if reverse else x
    total = np.cumsum(y, axis, dtype=x.dtype)
    if exclusive:
        zero = np.zeros_like(np.take(total, [0], axis)) if shape[axis] else total
        total = np.concatenate([zero, np.take(total, range(shape[axis] - 1), axis)], axis) if shape[axis] else total
    want = np.flip(total, axis) if reverse else total
    got = evaluate("CumSum", [x, np.int64(axis)], {"exclusive": exclusive, "reverse": reverse})
    assert same_bits(got, want)


@given(n=st.integers(0, 9), inner=st.integers(1, 3), dtype=st.sampled_from(["float64", "int32", "uint8"]), seed=SEEDS,
       exclusive=st.booleans(), reverse=st.booleans())
def test_cum_prod(n: int, inner: int, dtype: str, seed: int, exclusive: bool, reverse: bool) -> None:
    x = numbers(seed, (n, inner), dtype)
    y = np.flip(x, 0) if reverse else x
    with np.errstate(all="ignore"):
        total = np.cumprod(y, 0, dtype=x.dtype)
    if exclusive and n:
        total = np.concatenate([np.ones_like(total[:1]), total[:-1]])
    want = np.flip(total, 0) if reverse else total
    assert same_bits(evaluate("CumProd", [x, np.int64(0)], {"exclusive": exclusive, "reverse": reverse}), want)
