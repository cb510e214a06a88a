"""Random tensors for operators, and evaluation on every instruction set at once."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from sampan import lite_runtime

settings.register_profile("ops", max_examples=int(os.environ.get("SAMPAN_EXAMPLES", 40)), deadline=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("ops")

FLOATS = ["float32", "float16", "bfloat16", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTS
ALL = NUMBERS + ["bool"]


def np_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def evaluate(op: str, inputs: Sequence[np.ndarray | None], attrs: Mapping[str, Any] | None = None,
             num_outputs: int = 1) -> Any:
    """The results on the portable kernels, after checking that all others give the same bits."""
    want = lite_runtime.evaluate(op, attrs or {}, inputs, num_outputs, isa="portable")
    for isa in lite_runtime.isa_names():
        for threads in (1, 3):
            got = lite_runtime.evaluate(op, attrs or {}, inputs, num_outputs, isa=isa, threads=threads)
            for a, b in zip(got, want):
                assert same_bits(a, b), f"{op} on {isa} with {threads} threads differs from portable"
    return want[0] if num_outputs == 1 else want


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal bits; all NaNs are one value, so are +0 and -0."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "iub":
        return bool(np.array_equal(a, b))
    wide = np.float64 if a.dtype.itemsize == 8 else np.float32
    return bool(np.array_equal(a.astype(wide), b.astype(wide), equal_nan=True))


@st.composite
def shapes(draw: st.DrawFn, min_rank: int = 0, max_rank: int = 4, max_elements: int = 4000) -> tuple[int, ...]:
    """Mostly small, sometimes with a long axis, sometimes with an empty one."""
    rank = draw(st.integers(min_rank, max_rank))
    dims = [draw(st.sampled_from([1, 2, 3, 4, 5, 7, 16, 17, 33, 0, 1, 2, 3, 130, 1027])) for _ in range(rank)]
    while np.prod(dims, dtype=np.int64) > max_elements:
        dims[int(np.argmax(dims))] = draw(st.integers(1, 5))
    return tuple(dims)


@st.composite
def broadcast_pairs(draw: st.DrawFn, count: int = 2) -> list[tuple[int, ...]]:
    """Shapes that broadcast together."""
    full = draw(shapes())
    found = []
    for _ in range(count):
        kept = full[draw(st.integers(0, len(full))):]
        found.append(tuple(1 if draw(st.booleans()) and draw(st.booleans()) else d for d in kept))
    return found


def numbers(seed: int, shape: Sequence[int], dtype: str, *, scale: float = 4.0, special: bool = False,
            low: int | None = None, high: int | None = None) -> np.ndarray:
    """Random elements: floats around 0, integers over their range (or [low, high]); with NaN, infinities and zeros."""
    rng = np.random.default_rng(seed)
    kind = np_dtype(dtype)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTS:
        info = np.iinfo(kind)
        low = info.min if low is None else max(low, info.min)
        high = info.max if high is None else min(high, info.max)
        return rng.integers(low, high, shape, dtype=kind, endpoint=True)
    x = rng.standard_normal(shape) * scale
    if special and x.size:
        flat = x.reshape(-1)
        for value in (np.nan, np.inf, -np.inf, 0.0, -0.0):
            flat[rng.integers(0, flat.size)] = value
    with np.errstate(over="ignore"):
        return np.asarray(x).astype(kind)


def wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64) if x.dtype.kind not in "iub" else x


def assert_close(got: np.ndarray, want: np.ndarray, *, ulps: float = 2.0, name: str = "") -> None:
    """Within `ulps` of got's type of the float64 values `want`; what lies below the normal range may be flushed."""
    assert got.shape == want.shape, f"{name}: shape {got.shape}, expected {want.shape}"
    kind = got.dtype
    info = ml_dtypes.finfo(kind)
    with np.errstate(all="ignore"):
        rounded = want.astype(kind).astype(np.float64)
        a = got.astype(np.float64)
        finite = np.isfinite(rounded) & np.isfinite(a)
        np.testing.assert_array_equal(np.isnan(a), np.isnan(rounded), err_msg=name)
        # An overflow by rounding may fall on either side.
        edge = np.abs(want) >= float(info.max) * (1 - ulps * float(info.eps))
        other = ~finite & ~np.isnan(rounded) & ~edge
        np.testing.assert_array_equal(a[other], rounded[other], err_msg=name)
        unit = np.maximum(np.abs(rounded), float(info.smallest_normal)) * float(info.eps)
        error = np.where(finite, np.abs(a - want) / unit, 0)
        error = np.where(finite & (np.abs(want) < 2 * float(np.finfo(np.float32).tiny)) & (kind.itemsize <= 4),
                         np.where(np.abs(a) < 4 * float(np.finfo(np.float32).tiny), 0, error), error)
    worst = float(error.max()) if error.size else 0.0
    assert worst <= ulps, f"{name}: {worst:.2f} ulps off"
