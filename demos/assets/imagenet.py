"""What image classification needs beside a network: class names, and EfficientNet-Lite's preparation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from demos.assets.download import fetch


def labels() -> list[str]:
    """The 1000 class names of ImageNet in order, synonyms separated by commas."""
    names = json.loads(fetch("imagenet_labels").read_text(encoding="utf-8"))
    return [names[str(i)] for i in range(1000)]


def prepare(picture: str | Path, size: int = 224) -> npt.NDArray[np.float32]:
    """A picture as EfficientNet-Lite takes it: float32 (1, 3, size, size), scaled (x - 127) / 128.

    The whole picture is resized bicubically; a wide one is squeezed rather than cut.
    """
    from PIL import Image

    with Image.open(picture) as opened:
        resized = opened.convert("RGB").resize((size, size), Image.Resampling.BICUBIC)
    x: Any = (np.asarray(resized, np.float32) - np.float32(127)) / np.float32(128)
    return np.ascontiguousarray(x.transpose(2, 0, 1)[None])
