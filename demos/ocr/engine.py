"""How the pipeline feeds a network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from demos.engines import Engine

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

INPUT = "x"  # all three networks of PP-OCR call their input so


def run_single(engine: Engine, batch: F32) -> F32:
    """The one output of a network with one input. Raises ValueError when there are several."""
    outputs = engine({INPUT: batch})
    if len(outputs) != 1:
        raise ValueError(f"expected a network with one output, got {len(outputs)}: {sorted(outputs)}")
    return np.asarray(next(iter(outputs.values())))


def normalised(image: U8) -> F32:
    """Bytes to [-1, 1]: (h, w, c) uint8 -> (c, h, w) float32, ``(x / 255 - 0.5) / 0.5``."""
    planes = np.empty((image.shape[2], *image.shape[:2]), np.float32)
    for channel, plane in enumerate(planes):
        np.divide(image[:, :, channel], np.float32(255), out=plane, dtype=np.float32)
        plane -= np.float32(0.5)
        plane *= np.float32(2)
    return planes
