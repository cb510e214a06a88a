"""The three PP-OCRv4 networks, fetched and put together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from demos.assets import fetch_all
from demos.engines import Opened
from demos.ocr.pipeline import Reader
from demos.ocr.recognise import Alphabet

_NAMES = ("ppocr4_det", "ppocr2_cls", "ppocr4_rec")
_DICTIONARY = "character"  # where the recogniser's file keeps its characters


def load_reader(opener: Callable[[Path], Opened]) -> Reader:
    """A reader whose networks are opened by ``opener``; the files are fetched on first use.

    Raises ValueError when the recogniser's file does not carry its characters.
    """
    detector, classifier, recogniser = map(opener, fetch_all(_NAMES))
    characters = recogniser.metadata.get(_DICTIONARY)
    if characters is None:
        raise ValueError(
            f"the recogniser's metadata has no '{_DICTIONARY}' entry (found: {sorted(recogniser.metadata) or 'none'}): "
            "without it, class numbers cannot be turned into text. Convert the model again with --reconvert"
        )
    return Reader(detector.run, classifier.run, recogniser.run, Alphabet.from_metadata(characters))
