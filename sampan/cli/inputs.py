"""Inputs for commands that run a model: from files, or random ones of the declared type and shape."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from sampan.lite_runtime.dtypes import numpy_dtype
from sampan.lite_runtime.native_session import ValueInfo

IMAGE_SIZE, LIST_SIZE = 224, 16


def parse_pairs(items: Iterable[str], option: str) -> dict[str, str]:
    """"name=value" items as a dict."""
    pairs = {}
    for item in items:
        name, separator, value = item.partition("=")
        if not separator or not name or not value:
            raise click.UsageError(f"{option} {item!r}: expected NAME=VALUE")
        pairs[name] = value
    return pairs


def parse_dims(text: str, option: str) -> tuple[int | str, ...]:
    """"1,3,h,w" as numbers and symbols; "scalar" as no dimensions."""
    if text == "scalar":
        return ()
    dims: list[int | str] = []
    for part in text.replace("x", ",").split(",") if text.replace("x", "").replace(",", "").isdigit() else text.split(","):
        part = part.strip()
        if part.isdigit():
            dims.append(int(part))
        elif part.isidentifier():
            dims.append(part)
        else:
            raise click.UsageError(f"{option}: {part!r} in {text!r} is neither a size nor a name")
    return tuple(dims)


def make_inputs(infos: Sequence[ValueInfo], *, files: Iterable[str] = (), archive: str | None = None,
                shapes: Iterable[str] = (), symbols: Iterable[str] = (), seed: int = 0) -> dict[str, np.ndarray]:
    """An array for every input. Files win over shapes, shapes over symbols; open sizes without any get a default:
    1 for the first axis, 224 for the last two of four, else 16."""
    names = {v.name for v in infos}
    given: dict[str, np.ndarray] = {}
    if archive:
        with np.load(archive) as arrays:
            given = {name: arrays[name] for name in arrays.files}
    given.update({name: _load(path) for name, path in parse_pairs(files, "--input").items()})
    wanted = {n: parse_dims(t, "--shape") for n, t in parse_pairs(shapes, "--shape").items()}
    for name in (*given, *wanted):
        if name not in names:
            raise click.UsageError(f"the model has no input {name!r}; it has {', '.join(sorted(names))}")
    sizes = {name: _size(text) for name, text in parse_pairs(symbols, "--symbol").items()}
    known = {d for v in infos for d in v.shape or () if isinstance(d, str)}
    for name in sizes:
        if name not in known:
            raise click.UsageError(f"no input has a dimension {name!r}; there are {', '.join(sorted(known)) or 'none'}")
    rng = np.random.default_rng(seed)
    for info in infos:
        _learn(info, given[info.name].shape if info.name in given else wanted.get(info.name), sizes)
    return {v.name: given[v.name] if v.name in given else random_array(rng, v.dtype, _shape(v, wanted, sizes))
            for v in infos}


def random_array(rng: np.random.Generator, dtype: str, shape: Sequence[int]) -> np.ndarray:
    """Floats in [0, 1), bytes over their range, other integers 0 or 1."""
    kind = numpy_dtype(dtype)
    if dtype in ("uint8", "int8"):
        low, high = (0, 256) if dtype == "uint8" else (-128, 128)
        return rng.integers(low, high, shape).astype(kind)
    if dtype == "bool" or dtype.startswith(("int", "uint")):
        return rng.integers(0, 2, shape).astype(kind)
    values = rng.random(tuple(shape), np.float32)
    if dtype == "bfloat16" and kind == np.uint16:  # numpy has no such type here: the upper halves
        return np.asarray(values.view(np.uint32) >> 16).astype(np.uint16)
    return np.asarray(values).astype(kind)


def _size(text: str) -> int:
    if not text.isdigit():
        raise click.UsageError(f"--symbol: {text!r} is no size")
    return int(text)


def _learn(info: ValueInfo, shape: Sequence[Any] | None, sizes: dict[str, int]) -> None:
    """Takes the sizes of symbols from a shape that was given."""
    if shape is not None and len(shape) == len(info.shape or ()):
        for declared, size in zip(info.shape or (), shape):
            if isinstance(declared, str) and isinstance(size, int):
                sizes.setdefault(declared, size)


def _shape(info: ValueInfo, wanted: Mapping[str, Sequence[Any]], sizes: dict[str, int]) -> tuple[int, ...]:
    declared = info.shape or ()
    dims = wanted.get(info.name, declared)
    result = []
    for axis, d in enumerate(dims):
        if isinstance(d, str):
            default = 1 if axis == 0 else IMAGE_SIZE if len(dims) == 4 and axis >= 2 else LIST_SIZE
            d = sizes.setdefault(d, default)
        result.append(d)
    return tuple(result)


def _load(path: str) -> np.ndarray:
    if not Path(path).is_file():
        raise click.UsageError(f"--input: {path}: no such file")
    if path.endswith(".pb"):
        import onnx

        return onnx.numpy_helper.to_array(onnx.TensorProto.FromString(Path(path).read_bytes()))
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, OSError) as error:
        raise click.UsageError(f"--input: {path} is no .npy file: {error}") from None
