"""The whole reader: picture in, lines of text out."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from demos.engines import Engine
from demos.ocr import imaging
from demos.ocr.detect import Boxes, Detector, DetectorOptions
from demos.ocr.engine import F32, U8
from demos.ocr.recognise import Alphabet, DirectionClassifier, Recogniser, crops

_LONGEST_SIDE = 2000
_SHORTEST_SIDE = 30
_WIDEST = 8  # a picture wider than 8 times its height gets black bars above and below


@dataclasses.dataclass(frozen=True)
class Line:
    """One line of text: corners (4, 2) in the picture's pixels, clockwise from the text's top left on the page."""

    text: str
    confidence: float
    box: NDArray[np.float32]
    direction: int  # 0, or 180 for a line that stood on its head


@dataclasses.dataclass
class Timing:
    """Seconds per stage: in the networks, and in the code around them."""

    network: dict[str, float] = dataclasses.field(default_factory=dict)
    around: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def total(self) -> float:
        return sum(self.network.values()) + sum(self.around.values())

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a block; what its network takes is counted apart."""
        inside = self.network.get(name, 0.0)
        start = time.perf_counter()
        yield
        elapsed = time.perf_counter() - start - (self.network.get(name, 0.0) - inside)
        self.around[name] = self.around.get(name, 0.0) + elapsed

    def timed(self, name: str, engine: Engine) -> Engine:
        """The same engine, its time booked as the network's of stage ``name``."""

        def run(feed: dict[str, F32]) -> Mapping[str, F32]:
            start = time.perf_counter()
            outputs = engine(feed)
            self.network[name] = self.network.get(name, 0.0) + time.perf_counter() - start
            return outputs

        return run


@dataclasses.dataclass(frozen=True)
class Result:
    """Lines in reading order, how many boxes were found before weak lines were dropped, and the times."""

    lines: list[Line]
    boxes: int
    timing: Timing


@dataclasses.dataclass(frozen=True)
class _Frame:
    """A picture made fit for the detector, and the way back to its own pixels."""

    image: U8
    scale: tuple[float, float] = (1.0, 1.0)  # x, y
    bar: int = 0  # height of the black bar on top

    def restore(self, boxes: Boxes, height: int, width: int) -> Boxes:
        """Boxes (n, 4, 2) in the pixels of the original picture, clipped to it."""
        moved = boxes - np.array([0, self.bar], np.float32)
        moved *= np.array(self.scale, np.float32)
        return moved.clip(0, np.array([width, height], np.float32))


def _fit(image: U8, ratio: float) -> _Frame:
    height, width = image.shape[:2]
    new_width = max(32, round(int(width * ratio) / 32) * 32)
    new_height = max(32, round(int(height * ratio) / 32) * 32)
    resized = imaging.resize_linear(image, new_width, new_height)
    return _Frame(resized, (width / new_width, height / new_height))


def frame(image: U8) -> _Frame:
    """Shrink huge pictures, enlarge tiny ones, and give very flat ones black bars above and below."""
    result = _Frame(image)
    if max(image.shape[:2]) > _LONGEST_SIDE:
        result = _fit(image, _LONGEST_SIDE / max(image.shape[:2]))
    if min(result.image.shape[:2]) < _SHORTEST_SIDE:
        sides = result.image.shape[:2]
        result = _fit(result.image, min(_SHORTEST_SIDE / min(sides), max(1.0, _LONGEST_SIDE / max(sides))))
        result = dataclasses.replace(
            result,
            scale=(image.shape[1] / result.image.shape[1], image.shape[0] / result.image.shape[0]),
        )
    height, width = result.image.shape[:2]
    if height <= _SHORTEST_SIDE or width > _WIDEST * height:
        wanted = max(width // _WIDEST, _SHORTEST_SIDE) * 2
        bar = abs(wanted - height) // 2
        padded = np.pad(result.image, ((bar, bar), (0, 0), (0, 0)))
        result = dataclasses.replace(result, image=padded, bar=bar)
    return result


class Reader:
    """Reads the text of pictures with three networks: detection, direction, recognition."""

    def __init__(
        self,
        detector: Engine,
        classifier: Engine,
        recogniser: Engine,
        alphabet: Alphabet,
        *,
        options: DetectorOptions | None = None,
        least_confidence: float = 0.5,
    ) -> None:
        self._detector = detector
        self._classifier = classifier
        self._recogniser = recogniser
        self._alphabet = alphabet
        self._options = options or DetectorOptions()
        self._least_confidence = least_confidence

    def __call__(self, image: U8) -> Result:
        """Read ``image`` (h, w, 3), uint8, RGB. Lines below the least confidence are left out."""
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise ValueError(
                f"expected an RGB picture (h, w, 3) of uint8, got {image.shape} of {image.dtype}"
            )
        timing = Timing()
        with timing.stage("detection"):
            framed = frame(np.ascontiguousarray(image[:, :, ::-1]))  # the networks were trained on BGR
            detector = Detector(timing.timed("detection", self._detector), self._options)
            boxes = detector(framed.image)
        with timing.stage("cropping"):
            pictures = crops(framed.image, boxes)
        with timing.stage("direction"):
            classifier = DirectionClassifier(timing.timed("direction", self._classifier))
            pictures, directions = classifier(pictures)
        with timing.stage("recognition"):
            recogniser = Recogniser(timing.timed("recognition", self._recogniser), self._alphabet)
            texts = recogniser(pictures)
        restored = framed.restore(boxes, image.shape[0], image.shape[1])
        lines = [
            Line(text, confidence, box, direction)
            for (text, confidence), box, (direction, _) in zip(texts, restored, directions)
            if confidence >= self._least_confidence
        ]
        return Result(lines, len(boxes), timing)
