"""What the demos run networks on: an `Engine` is a callable from named arrays to named arrays."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from demos.assets import cache_dir

Arrays = dict[str, NDArray[np.float32]]


class Engine(Protocol):
    """Runs one network: ``{name: array} -> {name: array}``."""

    def __call__(self, feed: Arrays, /) -> Mapping[str, NDArray[np.float32]]: ...


@dataclasses.dataclass(frozen=True)
class Opened:
    """A network ready to run, and the metadata of its file."""

    run: Engine
    metadata: Mapping[str, str]


def converted(source: Path, *, again: bool = False) -> Path:
    """The ``.spn`` of an ONNX file, made by `sampan.convert` when missing, outdated, or ``again``."""
    import sampan

    target = cache_dir() / "spn" / f"{source.stem}-{sampan.__version__}.spn"
    if again or not target.is_file() or target.stat().st_mtime < source.stat().st_mtime:
        print(f"converting {source.name} ...", end="", file=sys.stderr, flush=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_suffix(f".{os.getpid()}.tmp")
        try:
            report = sampan.convert(source, temporary)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        print(f" {sum(report.seconds.values()):.1f} s, {target.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
    return target


def open_sampan(source: Path, threads: int = 1, *, again: bool = False) -> Opened:
    """Convert an ONNX file if need be and load it with this library's runtime."""
    import sampan

    path = converted(source, again=again)
    try:
        session = sampan.Session(path, threads=threads)
    except (sampan.BadModel, sampan.NewerVersion, sampan.Unsupported) as error:
        # The cache may hold a file of another state of this library.
        print(f"{path.name} does not load here ({error})", file=sys.stderr)
        session = sampan.Session(converted(source, again=True), threads=threads)
    return Opened(session.run, session.metadata)


def open_onnxruntime(source: Path, threads: int = 1) -> Opened:
    """Load an ONNX file with onnxruntime, for comparing; it must be installed."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    session: Any = onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]

    def run(feed: Arrays, /) -> Arrays:
        return dict(zip(names, session.run(names, feed)))

    return Opened(run, session.get_modelmeta().custom_metadata_map)


def opened(source: Path, engine: str, threads: int, *, again: bool = False) -> Opened:
    """Open with the engine of that name, "sampan" or "onnxruntime"; ``again`` converts anew."""
    if engine == "onnxruntime":
        return open_onnxruntime(source, threads)
    return open_sampan(source, threads, again=again)
