"""The zoo's list: which models there are, and where their files lie."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import onnx

from demos.assets import cache_dir, fetch
from tests.zoo import networks
from tests.zoo.efficientnet import efficientnet_lite0
from tests.zoo.minilm import minilm_l6

# Batch normalisation is kept in half of them, so that folding it is part of what every test runs.
_BUILT: dict[str, Callable[[], onnx.ModelProto]] = {
    "mobilenet_v1": functools.partial(networks.mobilenet_v1, fold=False),
    "mobilenet_v2": functools.partial(networks.mobilenet_v2, fold=True),
    "mobilenet_v3_large": functools.partial(networks.mobilenet_v3_large, fold=True),
    "resnet18": functools.partial(networks.resnet18, fold=False),
    "resnet50": functools.partial(networks.resnet50, fold=True),
    "squeezenet1_1": functools.partial(networks.squeezenet1_1, fold=False),
    "efficientnet_lite0": functools.partial(efficientnet_lite0, fold=False),
    "minilm_l6": functools.partial(minilm_l6, opset=17),
    "minilm_l6_opset12": functools.partial(minilm_l6, opset=12),
}
_FETCHED = (
    "ppocr4_det",
    "ppocr4_rec",
    "ppocr2_cls",
    "nudenet_320n",
    "magika",
    "basic_pitch",
    "silero_vad_openvino_16k",
)
MODELS: tuple[str, ...] = (*_FETCHED, *_BUILT)


def build(name: str) -> onnx.ModelProto:
    """A built model, in memory. KeyError for a name that is not built (but fetched, or unknown)."""
    return _BUILT[name]()


@functools.cache
def model_path(name: str) -> Path:
    """Path of one model's ONNX file, fetched or built on first use and again when its recipe changed."""
    if name in _FETCHED:
        return fetch(name)
    if name not in _BUILT:
        raise KeyError(f"no model {name!r} in the zoo; it has {', '.join(MODELS)}")
    path = cache_dir() / "zoo" / f"{name}.onnx"
    stamp = path.with_suffix(".stamp")
    if not (path.is_file() and stamp.is_file() and stamp.read_text() == _recipe()):
        data = build(name).SerializeToString(deterministic=True)
        # An unchanged file keeps its time stamp: what was converted from it need not be converted again.
        if not (path.is_file() and path.read_bytes() == data):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(f".{os.getpid()}.tmp")
            temporary.write_bytes(data)
            os.replace(temporary, path)
        stamp.write_text(_recipe())
    return path


@functools.cache
def _recipe() -> str:
    """A digest of everything the built models follow from."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if not file.name.startswith("test_"):
            digest.update(file.read_bytes())
    return digest.hexdigest()
