"""The same inputs on every run: photographs, a sound, token ids, bytes of text."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from demos.assets import fetch

Array = npt.NDArray[Any]

PHOTOS = (
    "astronaut.png",
    "chelsea.png",
    "coffee.png",
    "rocket.jpg",
    "motorcycle_left.png",
    "page.png",
    "hubble_deep_field.jpg",
    "coins.png",
)
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_STD = np.array([0.229, 0.224, 0.225], np.float32)


@cache
def photo(name: str, height: int, width: int) -> Array:
    """A photograph by file name, stretched to height x width; float32 RGB in 0..1, shape (H, W, 3)."""
    from PIL import Image

    with Image.open(fetch("photos") / name) as image:
        resized = image.convert("RGB").resize((width, height), Image.Resampling.BILINEAR)
    array = np.asarray(resized, np.float32) / np.float32(255)
    array.setflags(write=False)
    return array


def image(height: int, width: int, which: int = 0, *, scaling: str = "imagenet") -> Array:
    """Photograph number `which` as float32 (1, 3, H, W).

    `scaling` is "imagenet" (mean 0, deviation 1 over ImageNet), "unit" (0..1), "signed" (-1..1) or
    "lite" (EfficientNet-Lite: (x - 127) / 128 with x in 0..255).
    """
    x = photo(PHOTOS[which % len(PHOTOS)], height, width)
    if scaling == "imagenet":
        x = (x - _MEAN) / _STD
    elif scaling == "signed":
        x = (x - np.float32(0.5)) / np.float32(0.5)
    elif scaling == "lite":
        x = (x * np.float32(255) - np.float32(127)) / np.float32(128)
    elif scaling != "unit":
        raise ValueError(f"unknown scaling {scaling!r}")
    return np.ascontiguousarray(x.transpose(2, 0, 1)[None])


def sound(shape: tuple[int, ...], which: int = 0, *, rate: int = 22050) -> Array:
    """Two tones in noise; float32 in about -0.5..0.5, `rate` in samples a second.

    The noise is strong enough that no band of a spectrum is nearly silent: basic_pitch takes the logarithm of the
    least energy, which in a silent band is rounding error.
    """
    rng = np.random.default_rng(100 + which)
    t = np.arange(int(np.prod(shape))) / rate
    wave = 0.04 * np.sin(2 * np.pi * (220 + 55 * which) * t) + 0.02 * np.sin(2 * np.pi * 880 * t)
    return (wave + 0.1 * rng.standard_normal(t.shape)).astype(np.float32).reshape(shape)


def token_ids(batch: int, length: int, which: int = 0) -> dict[str, Array]:
    """BERT inputs (int64, (batch, length)): [CLS] words [SEP], the rows' ends padded unequally."""
    rng = np.random.default_rng(200 + which)
    ids = rng.integers(1996, 28000, (batch, length)).astype(np.int64)
    mask = np.ones((batch, length), np.int64)
    for row in range(batch):
        used = max(min(2, length), length - (row + which) * length // 4 // max(batch, 1))
        ids[row, used - 1], ids[row, 0] = 102, 101
        ids[row, used:], mask[row, used:] = 0, 0
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


_TEXTS = (
    b"import sys\n\ndef main(arguments):\n    return len(arguments)\n",
    b'{"name": "boat", "size": [3, 4.5], "afloat": true, "crew": null}\n',
    b"#include <stdio.h>\n\nint main(void) {\n  puts(\"afloat\");\n  return 0;\n}\n",
    b"The boat lay in the harbour. Nobody had seen it come, and nobody saw it leave.\n",
)


def file_bytes(batch: int, which: int = 0) -> Array:
    """What magika reads: int32 (batch, 2048), the first and last 1024 bytes of a text, 256 where it ends."""
    out = np.full((batch, 2048), 256, np.int32)
    for row in range(batch):
        body = np.frombuffer(_TEXTS[(which + row) % len(_TEXTS)] * (3 + row), np.uint8)[:1024]
        out[row, : body.size] = body
        out[row, 2048 - body.size :] = body
    return out


def make_inputs(name: str, which: int = 0, **sizes: int) -> dict[str, Array]:
    """Inputs of one model of the zoo, by input name.

    `which` picks another photograph, sound or text. `sizes` changes what the model leaves open: batch
    for all dynamic models, height and width of the images, length of the token ids.
    """
    batch = sizes.get("batch", 1)
    if name in ("ppocr4_det", "ppocr4_rec", "ppocr2_cls"):
        height, width = {"ppocr4_det": (640, 640), "ppocr4_rec": (48, 320), "ppocr2_cls": (48, 192)}[name]
        scaling = "imagenet" if name == "ppocr4_det" else "signed"
        shape = sizes.get("height", height), sizes.get("width", width)
        # Text where text is expected: number 5 is the photograph of a page.
        return {"x": np.concatenate([image(*shape, which + 5 + i, scaling=scaling) for i in range(batch)])}
    if name == "nudenet_320n":
        shape = sizes.get("height", 320), sizes.get("width", 320)
        return {"images": np.concatenate([image(*shape, which + i, scaling="unit") for i in range(batch)])}
    if name.startswith("minilm_l6"):
        return token_ids(batch, sizes.get("length", 128), which)
    if name == "magika":
        return {"bytes": file_bytes(batch, which)}
    if name == "basic_pitch":
        return {"serving_default_input_2:0": sound((batch, 43844, 1), which)}
    if name == "silero_vad_openvino_16k":
        state = np.zeros((2, 1, 128), np.float32)
        return {"input": sound((1, 576), which, rate=16000), "state": state}
    scaling = "lite" if name.startswith("efficientnet_lite") else "imagenet"
    shape = sizes.get("height", 224), sizes.get("width", 224)
    return {"input": np.concatenate([image(*shape, which + i, scaling=scaling) for i in range(batch)])}
