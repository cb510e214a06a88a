"""Reading lines: crop, direction classifier, recognition network, CTC decoding."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from demos.engines import Engine
from demos.ocr import imaging
from demos.ocr.detect import Boxes
from demos.ocr.engine import F32, U8, normalised, run_single

LINE_HEIGHT = 48
BATCH = 6
_CLASSIFIER_WIDTH = 192
_SHORTEST_LINE = 320 / LINE_HEIGHT  # narrower batches are padded to 320 pixels: the network was trained so
_DIRECTIONS = (0, 180)


def crop(image: U8, box: NDArray[np.float32]) -> U8:
    """The quadrilateral ``box`` (4, 2) of ``image`` as an upright picture; tall ones are turned counter-clockwise."""
    width = int(max(np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[2] - box[3])))
    height = int(max(np.linalg.norm(box[0] - box[3]), np.linalg.norm(box[1] - box[2])))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    upright = imaging.warp_perspective(image, imaging.perspective_transform(box, corners), width, height)
    return np.rot90(upright) if height >= 1.5 * width else upright


def crops(image: U8, boxes: Boxes) -> list[U8]:
    """One picture per box."""
    return [crop(image, box) for box in boxes]


def fit_line(image: U8, width: int) -> F32:
    """Scale to 48 pixels high, at most ``width`` wide, and pad with zeros on the right: (3, 48, width) float32."""
    aspect = image.shape[1] / image.shape[0]
    fitted = min(width, math.ceil(LINE_HEIGHT * aspect))
    line = np.zeros((3, LINE_HEIGHT, width), np.float32)
    line[:, :, :fitted] = normalised(imaging.resize_linear(image, fitted, LINE_HEIGHT))
    return line


def _batches(images: Sequence[U8]) -> Iterator[tuple[NDArray[np.intp], float]]:
    """Groups of up to six pictures of like aspect ratio (width / height), with the largest ratio of each."""
    aspects = np.array([image.shape[1] / image.shape[0] for image in images])
    order = np.argsort(aspects)
    for start in range(0, len(order), BATCH):
        group = order[start : start + BATCH]
        yield group, float(aspects[group].max())


class DirectionClassifier:
    """Tells upside-down lines and turns them."""

    def __init__(self, engine: Engine, threshold: float = 0.9) -> None:
        self.engine = engine
        self.threshold = threshold

    def __call__(self, images: Sequence[U8]) -> tuple[list[U8], list[tuple[int, float]]]:
        """The pictures, upright, and per picture the direction found (0 or 180) with its probability."""
        upright = list(images)
        found = [(0, 0.0)] * len(images)
        for group, _ in _batches(images):
            probabilities = run_single(
                self.engine, np.stack([fit_line(images[i], _CLASSIFIER_WIDTH) for i in group])
            )
            for i, row in zip(group, probabilities):
                direction, sureness = _DIRECTIONS[int(row.argmax())], float(row.max())
                found[i] = direction, sureness
                if direction == 180 and sureness > self.threshold:
                    upright[i] = images[i][::-1, ::-1]
        return upright, found


@dataclasses.dataclass(frozen=True)
class Alphabet:
    """Characters by class number; class 0 is CTC's blank."""

    characters: tuple[str, ...]

    @classmethod
    def from_metadata(cls, text: str) -> Alphabet:
        """From the model's metadata entry ``character``: one character a line; a space is added as the last."""
        return cls(("", *text.splitlines(), " "))


def ctc_decode(probabilities: F32, alphabet: Alphabet) -> tuple[str, float]:
    """Best path of one line (Graves et al., 2006): text and the mean probability of the characters kept.

    ``probabilities`` is (steps, classes). Repeats are merged, then blanks dropped; an empty line has confidence 0.
    """
    if probabilities.shape[1] != len(alphabet.characters):
        raise ValueError(
            f"the network has {probabilities.shape[1]} classes, the alphabet {len(alphabet.characters)}: "
            "is the dictionary that of this model?"
        )
    best = probabilities.argmax(axis=1)
    kept = best != 0
    kept[1:] &= best[1:] != best[:-1]
    if not kept.any():
        return "", 0.0
    sureness = np.take_along_axis(probabilities, best[:, None], axis=1)[kept, 0]
    return "".join(alphabet.characters[i] for i in best[kept]), float(sureness.mean(dtype=np.float64))


class Recogniser:
    """The recognition network with its pre- and post-processing."""

    def __init__(self, engine: Engine, alphabet: Alphabet) -> None:
        self.engine = engine
        self.alphabet = alphabet

    def __call__(self, images: Sequence[U8]) -> list[tuple[str, float]]:
        """Text and confidence of each picture of a line (h, w, 3) uint8 BGR."""
        results = [("", 0.0)] * len(images)
        for group, aspect in _batches(images):
            width = int(LINE_HEIGHT * max(aspect, _SHORTEST_LINE))
            batch = np.stack([fit_line(images[i], width) for i in group])
            for i, row in zip(group, run_single(self.engine, batch)):
                results[i] = ctc_decode(row, self.alphabet)
        return results
