"""When a result counts as right."""
from __future__ import annotations

from typing import Any

import numpy as np

# What the ONNX test runner allows.
RTOL, ATOL = 1e-3, 1e-7


def difference(got: Any, want: Any, *, rtol: float = RTOL, atol: float = ATOL, step: int = 0) -> str:
    """Empty when `got` agrees with `want`, else what differs.

    Element type and shape must be the same. Floats agree within `atol + rtol * |want|`, NaN with NaN; integers within
    `step` if they have 8 bits, else exactly.
    """
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, expected {want.dtype}"
    if got.shape != want.shape:
        return f"shape {list(got.shape)}, expected {list(want.shape)}"
    if want.size == 0:
        return ""
    if want.dtype.kind in "iub":
        if want.dtype.itemsize == 8:
            wrong = got != want
            return f"{int(wrong.sum())} of {want.size} integers differ" if wrong.any() else ""
        apart = np.abs(got.astype(np.int64) - want.astype(np.int64))
        allowed = step if want.dtype.itemsize == 1 and want.dtype.kind != "b" else 0
        return "" if apart.max() <= allowed else f"off by up to {int(apart.max())} in " \
            f"{int((apart > allowed).sum())} of {want.size} values"
    a, b = got.astype(np.float64), want.astype(np.float64)
    if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
        return ""
    with np.errstate(all="ignore"):
        error = np.nan_to_num(np.abs(a - b))
    return f"largest error {error.max():.4g} of {want.size} values, {int(np.isnan(a).sum())} NaN"
