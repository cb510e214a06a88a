"""Which models are checked, at which shapes; and how one is converted and judged."""
from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import sampan
from demos.assets import cache_dir
from sampan.compare import Comparison, compare
from tests.zoo import make_inputs, model_path

# name -> the sizes it is run at ({}: the model's own, or its usual ones). Dynamic models get several.
CASES: dict[str, tuple[dict[str, int], ...]] = {
    "ppocr4_det": ({}, {"height": 320, "width": 480}, {"height": 96, "width": 352, "batch": 2}),
    "ppocr4_rec": ({}, {"width": 512, "batch": 2}, {"width": 100}),
    "ppocr2_cls": ({}, {"batch": 3}),
    "efficientnet_lite0": ({},),
    "mobilenet_v1": ({},),
    "mobilenet_v2": ({},),
    "mobilenet_v3_large": ({},),
    "resnet18": ({},),
    "resnet50": ({},),
    "squeezenet1_1": ({},),
    "nudenet_320n": ({}, {"height": 256, "width": 320}, {"batch": 2, "height": 160, "width": 192}),
    "minilm_l6": ({}, {"length": 7, "batch": 3}, {"length": 1}),
    "minilm_l6_opset12": ({"length": 33, "batch": 2},),
    "magika": ({}, {"batch": 3}),
    "basic_pitch": ({}, {"batch": 2}),
    "silero_vad_openvino_16k": ({},),
}
TOLERANCE = 1e-4  # of the largest value of each tensor


@dataclass(frozen=True)
class Checked:
    """One model at one shape."""

    model: str
    sizes: dict[str, int]
    comparison: Comparison


@cache
def converted(name: str) -> Path:
    """The model's .spn, made anew when the source or the library changed."""
    source = model_path(name)
    path = cache_dir() / "spn" / f"{name}.spn"
    stamp = path.with_suffix(".stamp")
    key = f"{_library_digest()} {source.stat().st_size} {source.stat().st_mtime_ns}"
    if not (path.is_file() and stamp.is_file() and stamp.read_text() == key):
        path.parent.mkdir(parents=True, exist_ok=True)
        sampan.convert(source, path)
        stamp.write_text(key)
    return path


@cache
def _library_digest() -> str:
    """Changes with anything that a conversion depends on: the Python sources and the built library."""
    from sampan.lite_runtime import _native

    digest = hashlib.sha256()
    root = Path(__file__).parents[2]
    files = [f for folder in ("sampan", "converter", "opt", "lite_runtime") for f in (root / folder).rglob("*.py")]
    for file in sorted(files) + [Path(_native.__file__)]:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def check(name: str, sizes: dict[str, int], which: int = 0) -> Checked:
    """Compares outputs and aligned intermediates with onnxruntime on a photograph, sound or text."""
    inputs = make_inputs(name, which, **sizes)
    return Checked(name, sizes, compare(model_path(name), converted(name), inputs, tolerance=TOLERANCE,
                                        reference="onnxruntime"))


def output_hash(name: str, sizes: dict[str, int], which: int = 0, **options: object) -> str:
    """A digest of all output bits; NaNs count as one value, and so do +0 and -0."""
    session = sampan.Session(converted(name), **options)
    outputs = session.run(make_inputs(name, which, **sizes))
    digest = hashlib.sha256()
    for key in sorted(outputs):
        array = outputs[key]
        if array.dtype.kind == "f":
            array = np.where(np.isnan(array), np.float32(np.nan), array + np.float32(0))
        digest.update(f"{key} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
