"""Decoding, batching, fitting and cropping of lines."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from demos.ocr.recognise import (
    Alphabet,
    DirectionClassifier,
    Recogniser,
    crop,
    ctc_decode,
    fit_line,
)

_ALPHABET = Alphabet.from_metadata("a\nb\nc\n")


def _path(classes: list[int], sureness: list[float] | None = None) -> NDArray[np.float32]:
    steps = np.zeros((len(classes), 5), np.float32)
    steps[np.arange(len(classes)), classes] = sureness or [1.0] * len(classes)
    return steps


@pytest.mark.parametrize(
    ("classes", "text"),
    [
        ([], ""),
        ([0, 0, 0], ""),
        ([1, 1, 1], "a"),
        ([1, 0, 1], "aa"),
        ([0, 1, 1, 2, 0, 2, 2, 3], "abbc"),
        ([1, 4, 4, 2], "a b"),
        ([1, 2, 1], "aba"),
    ],
)
def test_repeats_merge_and_blanks_fall_away(classes: list[int], text: str) -> None:
    assert ctc_decode(_path(classes), _ALPHABET)[0] == text


def test_confidence_is_the_mean_over_the_characters_kept() -> None:
    # Kept: the first of the two a's and the b. The blank and the repeat do not count.
    _, confidence = ctc_decode(_path([1, 1, 0, 2], [0.5, 0.9, 0.3, 0.75]), _ALPHABET)
    assert confidence == 0.625
    assert ctc_decode(_path([0, 0]), _ALPHABET) == ("", 0.0)


def test_a_foreign_dictionary_is_refused() -> None:
    with pytest.raises(ValueError, match="5 classes, the alphabet 4"):
        ctc_decode(_path([1]), Alphabet.from_metadata("a\nb"))


def test_the_alphabet_starts_with_the_blank_and_ends_with_the_space() -> None:
    assert _ALPHABET.characters == ("", "a", "b", "c", " ")


def test_a_line_is_fitted_to_its_height_and_padded() -> None:
    line = fit_line(np.full((24, 30, 3), 255, np.uint8), 100)
    assert line.shape == (3, 48, 100) and line.dtype == np.float32
    assert (line[:, :, :60] == 1.0).all() and (line[:, :, 60:] == 0.0).all()
    assert fit_line(np.zeros((10, 90, 3), np.uint8), 100).shape == (3, 48, 100)


class _Recorder:
    """An engine that answers every line with the class of its first grey level and notes what it was fed."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, feed: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
        batch = feed["x"]
        self.shapes.append(batch.shape)
        level = np.rint((batch[:, 0, 0, 0] + 1) * 127.5).astype(int)
        return {"y": np.stack([_path([n]) for n in level])}


def test_lines_are_read_in_batches_of_like_width_and_come_back_in_order() -> None:
    widths = [200, 40, 900, 60, 500, 48, 300, 700]
    images = [np.full((48, width, 3), 1 + i % 3, np.uint8) for i, width in enumerate(widths)]
    engine = _Recorder()
    results = Recogniser(engine, _ALPHABET)(images)
    assert [text for text, _ in results] == [_ALPHABET.characters[1 + i % 3] for i in range(8)]
    # Six narrowest, padded to 500; then 700 and 900.
    assert engine.shapes == [(6, 3, 48, 500), (2, 3, 48, 900)]


def test_narrow_batches_are_padded_to_320() -> None:
    engine = _Recorder()
    Recogniser(engine, _ALPHABET)([np.full((48, 50, 3), 1, np.uint8)])
    assert engine.shapes == [(1, 3, 48, 320)]


def test_no_lines_need_no_network() -> None:
    engine = _Recorder()
    assert Recogniser(engine, _ALPHABET)([]) == [] and DirectionClassifier(engine)([]) == ([], [])
    assert engine.shapes == []


@pytest.mark.parametrize(("sureness", "turned"), [(0.95, True), (0.85, False)])
def test_lines_surely_upside_down_are_turned(sureness: float, turned: bool) -> None:
    image = np.arange(24 * 30 * 3, dtype=np.uint8).reshape(24, 30, 3)
    answer = np.array([[1 - sureness, sureness]], np.float32)
    upright, found = DirectionClassifier(lambda feed: {"y": answer})([image])
    assert np.array_equal(upright[0], image[::-1, ::-1] if turned else image)
    assert found[0][0] == 180 and found[0][1] == pytest.approx(sureness)


def test_an_upright_box_is_cut_out() -> None:
    image = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    box = np.array([[10, 5], [40, 5], [40, 20], [10, 20]], np.float32)
    assert np.array_equal(crop(image, box), image[5:20, 10:40])


def test_a_tall_box_is_turned_counter_clockwise() -> None:
    image = np.random.default_rng(0).integers(0, 256, (60, 40, 3), dtype=np.uint8)
    box = np.array([[10, 5], [20, 5], [20, 50], [10, 50]], np.float32)
    assert np.array_equal(crop(image, box), np.rot90(image[5:50, 10:20]))
