"""Element types: the runtime's numbers, our names, numpy's types.

numpy has no bfloat16. Where the package ml_dtypes is installed its type is used; elsewhere bfloat16 tensors are
uint16 arrays that hold the upper halves of float32 numbers.
"""
from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

# In the order of DType in include/sampan/tensor.h.
NAMES = ("invalid", "float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32",
         "int64", "uint64", "bool")
CODES = {name: code for code, name in enumerate(NAMES) if code}


@lru_cache(maxsize=1)
def bfloat16() -> np.dtype[Any] | None:
    """numpy's view of bfloat16, or None without ml_dtypes."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(ml_dtypes.bfloat16)


@lru_cache(maxsize=32)
def numpy_dtype(name: str) -> np.dtype[Any]:
    """The numpy type of an element type's name; uint16 for bfloat16 without ml_dtypes."""
    if name == "bfloat16":
        return bfloat16() or np.dtype(np.uint16)
    if name not in CODES:
        raise ValueError(f"unknown element type {name!r}; there are {', '.join(CODES)}")
    return np.dtype(name)


def dtype_code(name: str) -> int:
    """The runtime's number of an element type's name."""
    code = CODES.get(name)
    if code is None:
        raise ValueError(f"unknown element type {name!r}; there are {', '.join(CODES)}")
    return code


def array_dtype_name(array: np.ndarray) -> str:
    """Our name of an array's element type, whatever its byte order. ValueError when there is none."""
    name = array.dtype.name
    if name not in CODES:
        raise ValueError(f"arrays of {array.dtype} are not supported; there are {', '.join(CODES)}")
    return name


def native_array(array: Any, dtype: str | None = None) -> np.ndarray:
    """A C-contiguous array in this machine's byte order; the same object where nothing had to change."""
    result = np.asarray(array) if dtype is None else np.asarray(array, numpy_dtype(dtype))
    if not result.dtype.isnative:
        result = result.astype(result.dtype.newbyteorder("="))
    if not result.flags.c_contiguous or not result.flags.aligned:
        result = result.copy(order="C")  # not ascontiguousarray: that makes scalars 1-D
    return result
