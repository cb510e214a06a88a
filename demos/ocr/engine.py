"""What the pipeline asks of a runtime: a callable from named arrays to named arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

INPUT = "x"  # all three networks of PP-OCR call their input so


class Engine(Protocol):
    """Runs one network: ``{name: array} -> {name: array}``."""

    def __call__(self, feed: dict[str, F32], /) -> Mapping[str, F32]: ...


def run_single(engine: Engine, batch: F32) -> F32:
    """The one output of a network with one input. Raises ValueError when there are several."""
    outputs = engine({INPUT: batch})
    if len(outputs) != 1:
        raise ValueError(f"expected a network with one output, got {len(outputs)}: {sorted(outputs)}")
    return np.asarray(next(iter(outputs.values())))


def normalised(image: U8) -> F32:
    """Bytes to [-1, 1]: (h, w, c) uint8 -> (c, h, w) float32, ``(x / 255 - 0.5) / 0.5``."""
    return np.ascontiguousarray(_BYTE_TO_UNIT[image].transpose(2, 0, 1))


_BYTE_TO_UNIT = (np.arange(256, dtype=np.float32) / np.float32(255) - np.float32(0.5)) / np.float32(0.5)
