"""The three PP-OCRv4 networks: fetched, converted once, opened as engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from demos.assets import cache_dir, fetch_all
from demos.ocr.engine import F32, Engine
from demos.ocr.pipeline import Reader
from demos.ocr.recognise import Alphabet

_NAMES = ("ppocr4_det", "ppocr2_cls", "ppocr4_rec")
_DICTIONARY = "character"  # where the recogniser's file keeps its characters

Opened = tuple[Engine, Mapping[str, str]]
"""An engine and the metadata of its file."""


def converted(source: Path, *, again: bool = False) -> Path:
    """The ``.spn`` of an ONNX file, made by `sampan.convert` when missing, outdated, or ``again``."""
    import sampan

    target = cache_dir() / "spn" / f"{source.stem}.spn"
    if again or not target.is_file() or target.stat().st_mtime < source.stat().st_mtime:
        target.parent.mkdir(parents=True, exist_ok=True)
        sampan.convert(source, target)
    return target


def open_sampan(source: Path, threads: int = 1, *, again: bool = False) -> Opened:
    """Convert an ONNX file if need be and load it with this library's runtime."""
    import sampan

    session = sampan.Session(converted(source, again=again), threads=threads)
    return session.run, session.metadata


def open_onnxruntime(source: Path, threads: int = 1) -> Opened:
    """Load an ONNX file with onnxruntime, for comparing; it must be installed."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    session: Any = onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]

    def run(feed: dict[str, F32]) -> dict[str, F32]:
        return dict(zip(names, session.run(names, feed)))

    return run, session.get_modelmeta().custom_metadata_map


def load_reader(opener: Callable[[Path], Opened]) -> Reader:
    """A reader whose networks are opened by ``opener``; the files are fetched on first use.

    Raises ValueError when the recogniser's file does not carry its characters.
    """
    (detector, _), (classifier, _), (recogniser, metadata) = map(opener, fetch_all(_NAMES))
    if _DICTIONARY not in metadata:
        raise ValueError(
            f"the recogniser's metadata has no '{_DICTIONARY}' entry (found: {sorted(metadata) or 'nothing'}): "
            "without it, class numbers cannot be turned into text. Convert the model again"
        )
    return Reader(detector, classifier, recogniser, Alphabet.from_metadata(metadata[_DICTIONARY]))
