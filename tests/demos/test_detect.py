"""The detector's pre- and post-processing around a made-up network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from demos.ocr import detect
from demos.ocr.__main__ import load_photo
from demos.ocr.pipeline import Reader, frame
from demos.ocr.recognise import Alphabet

_OPTIONS = detect.DetectorOptions()


@pytest.mark.parametrize(
    ("picture", "network"),  # height, width
    [
        ((736, 736), (736, 736)),
        ((2000, 40), (8832, 192)),  # a tape is enlarged less
        ((191, 384), (736, 1472)),
        ((1500, 800), (1504, 800)),
        ((800, 1500), (800, 1504)),
    ],
)
def test_the_shorter_side_is_enlarged_and_both_are_multiples_of_32(
    picture: tuple[int, int], network: tuple[int, int]
) -> None:
    assert detect.network_size(*picture, 736) == network


def test_a_picture_becomes_a_normalised_batch() -> None:
    image = np.full((40, 80, 3), [0, 255, 51], np.uint8)
    batch = detect.preprocess(image, 64)
    assert batch.shape == (1, 3, 64, 128) and batch.dtype == np.float32
    assert batch[0, :, 5, 5].tolist() == pytest.approx([-1, 1, -0.6], abs=1e-6)


def test_dilation_grows_to_the_right_and_down() -> None:
    mask = np.zeros((4, 5), bool)
    mask[1, 1] = mask[3, 4] = True
    grown = np.argwhere(detect.dilate(mask)).tolist()
    assert grown == [[1, 1], [1, 2], [2, 1], [2, 2], [3, 4]]


def _map(height: int, width: int, *bars: tuple[int, int, int, int, float]) -> NDArray[np.float32]:
    """A probability map with bars (x, y, width, height, probability)."""
    result = np.zeros((height, width), np.float32)
    for x, y, w, h, p in bars:
        result[y : y + h, x : x + w] = p
    return result


def test_a_bar_becomes_a_grown_box_in_the_pixels_of_the_picture() -> None:
    probability = _map(96, 160, (40, 30, 60, 10, 0.9))
    boxes, scores = detect.boxes_from_map(probability, 192, 320, _OPTIONS)
    # Dilation makes it 40..100 x 30..40; 600 * 1.6 / 140 = 6.86 is added all round, then all is doubled.
    (box,) = boxes
    assert np.abs(box - 2 * np.array([[33, 23], [107, 23], [107, 47], [33, 47]])).max() <= 2
    # The dilated box has one column and one row of background in it.
    assert scores == pytest.approx([0.9 * 600 / (61 * 11)])


@pytest.mark.parametrize(
    "bar", [(40, 30, 60, 10, 0.29), (40, 30, 60, 10, 0.45), (40, 30, 60, 2, 0.99), (40, 30, 1, 1, 0.99)]
)
def test_weak_and_thin_bars_are_dropped(bar: tuple[int, int, int, int, float]) -> None:
    boxes, scores = detect.boxes_from_map(_map(96, 160, bar), 96, 160, _OPTIONS)
    assert boxes.shape == (0, 4, 2) and scores == []


def test_boxes_are_clipped_and_small_ones_dropped() -> None:
    boxes = np.array(
        [[[-5, -3], [200, -3], [200, 20], [-5, 20]], [[5, 5], [8, 5], [8, 30], [5, 30]]], np.int32
    )
    assert detect.tidy(boxes, 50, 100).tolist() == [[[0, 0], [99, 0], [99, 20], [0, 20]]]


def test_corners_are_ordered_clockwise_from_the_top_left() -> None:
    corners = np.array([[9, 6], [0, 5], [10, 1], [1, 0]], np.int32)
    assert detect.order_corners(corners).tolist() == [[1, 0], [10, 1], [9, 6], [0, 5]]


def test_boxes_of_a_line_are_read_from_the_left() -> None:
    tops = [(200, 12), (10, 15), (100, 8), (50, 60), (5, 90)]
    boxes = np.array([[[x, y], [x + 5, y], [x + 5, y + 5], [x, y + 5]] for x, y in tops], np.float32)
    ordered = detect.reading_order(boxes)[:, 0].tolist()
    assert ordered == [[10, 15], [100, 8], [200, 12], [50, 60], [5, 90]]


def test_a_strip_gets_bars_and_boxes_lose_them_again() -> None:
    framed = frame(np.full((20, 400, 3), 255, np.uint8))
    height = framed.image.shape[0]
    assert (
        framed.image.shape[1] >= 400 and framed.image[0].max() == 0 and framed.image[height // 2].min() == 255
    )
    scale = framed.image.shape[1] / 400
    box = np.array([[[0, 0], [4, 0], [4, 2], [0, 2]]], np.float32) * np.float32(scale)
    restored = framed.restore(box + np.array([0, framed.bar], np.float32), 20, 400)
    assert np.abs(restored[0] - [[0, 0], [4, 0], [4, 2], [0, 2]]).max() < 0.5


@pytest.mark.parametrize("size", [(3000, 100), (20, 12), (900, 1999), (3, 900), (1, 1)])
def test_any_picture_fits_the_detector(size: tuple[int, int]) -> None:
    framed = frame(np.zeros((*size, 3), np.uint8))
    assert max(framed.image.shape[:2]) <= 2016 and min(framed.image.shape[:2]) >= 30


def test_a_reader_without_boxes_reads_nothing() -> None:
    def blank(feed: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
        return {"y": np.zeros((1, 1, *feed["x"].shape[2:]), np.float32)}

    result = Reader(blank, blank, blank, Alphabet(("", " ")))(np.zeros((60, 80, 3), np.uint8))
    assert result.lines == [] and result.boxes == 0


def test_only_rgb_bytes_are_read() -> None:
    def never(feed: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
        raise AssertionError

    reader = Reader(never, never, never, Alphabet(("", " ")))
    with pytest.raises(ValueError, match=r"expected an RGB picture .* got \(60, 80\)"):
        reader(np.zeros((60, 80), np.uint8))


def _with_mode(mode: str) -> Image.Image:
    greys = np.array([[0, 64, 128, 255]], np.uint8).repeat(3, axis=0)
    if mode == "I;16":
        return Image.fromarray(greys.astype(np.uint16) * 257)
    return Image.fromarray(greys).convert(mode)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "LA", "P", "I;16"])
def test_photos_of_any_mode_become_rgb_bytes(mode: str, tmp_path: Path) -> None:
    _with_mode(mode).save(tmp_path / "photo.png")
    loaded = load_photo(tmp_path / "photo.png")
    assert loaded.shape == (3, 4, 3) and loaded.dtype == np.uint8
    assert loaded[1, :, 0].tolist() == [0, 64, 128, 255]


def test_transparent_parts_are_white_and_exif_turns_the_picture(tmp_path: Path) -> None:
    image = Image.new("RGBA", (4, 2), (10, 20, 30, 0))
    image.putpixel((0, 0), (10, 20, 30, 255))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees clockwise
    image.save(tmp_path / "photo.png", exif=exif)
    loaded = load_photo(tmp_path / "photo.png")
    assert loaded.shape == (4, 2, 3)
    assert loaded[0, 1].tolist() == [10, 20, 30] and loaded[1, 1].tolist() == [255, 255, 255]
