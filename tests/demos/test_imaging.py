"""Resampling against values recorded from OpenCV 4.11, and against plain float arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from demos.ocr import imaging

# fmt: off
_SMALL = [
    [[78, 39, 248], [185, 251, 31], [108, 241, 181], [41, 163, 225]],
    [[204, 92, 230], [130, 195, 142], [192, 240, 132], [27, 235, 249]],
    [[54, 172, 100], [248, 110, 171], [177, 20, 179], [19, 26, 116]],
]
_RESIZED = {  # (width, height): cv2.resize(small, (width, height))
    (3, 2): [[[120, 83, 213], [150, 239, 114], [53, 191, 221]], [[112, 149, 138], [200, 103, 166], [47, 78, 152]]],
    (2, 3): [
        [[132, 145, 140], [75, 202, 203]], [[167, 144, 186], [110, 238, 191]], [[151, 141, 136], [98, 23, 148]],
    ],
    (7, 5): [
        [[78, 39, 248], [116, 114, 170], [177, 236, 46], [146, 246, 106], [103, 235, 184], [65, 191, 209],
         [41, 163, 225]],
        [[128, 60, 241], [141, 120, 182], [160, 217, 87], [152, 234, 118], [134, 237, 166], [73, 209, 208],
         [35, 192, 235]],
        [[204, 92, 230], [178, 129, 199], [135, 188, 148], [161, 218, 137], [180, 240, 140], [86, 237, 207],
         [27, 235, 249]],
        [[114, 140, 152], [145, 141, 154], [195, 144, 159], [192, 126, 160], [171, 108, 161], [79, 109, 166],
         [22, 109, 169]],
        [[54, 172, 100], [123, 150, 125], [234, 114, 166], [212, 65, 175], [166, 20, 174], [75, 24, 138],
         [19, 26, 116]],
    ],
}
_EVEN = [
    [[251, 171, 123], [155, 6, 61], [123, 72, 191], [108, 97, 96], [123, 9, 129], [160, 194, 101]],
    [[73, 205, 4], [16, 182, 148], [222, 218, 173], [44, 145, 217], [12, 173, 68], [125, 35, 223]],
    [[20, 70, 59], [56, 95, 190], [63, 139, 62], [122, 148, 86], [69, 145, 247], [230, 181, 12]],
    [[128, 15, 188], [187, 38, 122], [22, 168, 198], [229, 9, 1], [53, 110, 143], [164, 178, 35]],
]
_EVEN_HALVED = [[[124, 141, 84], [124, 133, 169], [105, 103, 130]], [[98, 55, 140], [109, 116, 87], [129, 154, 109]]]
_GREY = [
    [126, 105, 248, 201, 153, 167, 230], [246, 116, 115, 241, 251, 221, 62], [11, 238, 123, 89, 166, 94, 233],
    [81, 144, 187, 9, 252, 11, 248], [233, 82, 208, 146, 96, 172, 212], [237, 28, 227, 225, 150, 228, 66],
]
_QUADRILATERAL = [[1, 0], [6, 1], [5, 5], [0, 4]]
_GREY_WARPED = [[105, 226, 228, 221, 224], [146, 96, 165, 195, 129], [135, 214, 67, 128, 129], [94, 150, 170, 85, 120]]
# fmt: on


def _picture(seed: int, height: int, width: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize("size", _RESIZED)
def test_resize_gives_the_bytes_of_opencv(size: tuple[int, int]) -> None:
    resized = imaging.resize_linear(np.array(_SMALL, np.uint8), *size)
    assert resized.tolist() == _RESIZED[size]


def test_halving_is_an_area_mean_as_in_opencv() -> None:
    assert imaging.resize_linear(np.array(_EVEN, np.uint8), 3, 2).tolist() == _EVEN_HALVED


def _resize_float(image: NDArray[np.uint8], width: int, height: int) -> NDArray[np.float64]:
    def taps(size: int, target: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        position = ((np.arange(target) + 0.5) * size / target - 0.5).clip(0, size - 1)
        left = np.floor(position).astype(np.intp)
        return left, np.minimum(left + 1, size - 1), position - left

    left, right, across = taps(image.shape[1], width)
    upper, lower, down = taps(image.shape[0], height)
    across, down = across[None, :, None], down[:, None, None]
    pixels = image.astype(np.float64)
    rows = pixels[upper] * (1 - down) + pixels[lower] * down
    return rows[:, left] * (1 - across) + rows[:, right] * across


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.tuples(*[st.integers(1, 40)] * 4))
def test_resize_stays_within_a_grey_level_of_exact_arithmetic(
    seed: int, sizes: tuple[int, int, int, int]
) -> None:
    height, width, new_height, new_width = sizes
    image = _picture(seed, height, width)
    resized = imaging.resize_linear(image, new_width, new_height)
    # 11-bit weights in two passes and one cut to 15 bits: less than one grey level in all.
    assert np.abs(resized - _resize_float(image, new_width, new_height)).max() < 1.0


def test_resize_to_the_same_size_copies() -> None:
    image = _picture(1, 5, 7)
    resized = imaging.resize_linear(image, 7, 5)
    assert np.array_equal(resized, image) and not np.shares_memory(resized, image)


@pytest.mark.parametrize("size", [(0, 3), (3, 0)])
def test_resize_refuses_empty_targets(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="sizes must be positive"):
        imaging.resize_linear(_picture(1, 5, 7), *size)


def test_warp_gives_the_bytes_of_opencv() -> None:
    image = np.array(_GREY, np.uint8)[:, :, None]
    matrix = imaging.perspective_transform(
        np.array(_QUADRILATERAL, np.float32), np.array([[0, 0], [5, 0], [5, 4], [0, 4]], np.float32)
    )
    assert imaging.warp_perspective(image, matrix, 5, 4)[:, :, 0].tolist() == _GREY_WARPED


def test_the_identity_warp_copies_and_repeats_the_border() -> None:
    image = _picture(2, 6, 9)
    warped = imaging.warp_perspective(image, np.eye(3), 12, 8)
    assert np.array_equal(warped, np.pad(image, ((0, 2), (0, 3), (0, 0)), mode="edge"))


def test_a_shift_by_half_a_pixel_uses_keys_weights() -> None:
    image = _picture(3, 4, 16)
    matrix = np.array([[1, 0, -0.5], [0, 1, 0], [0, 0, 1.0]])
    warped = imaging.warp_perspective(image, matrix, 16, 4)
    padded = np.pad(image.astype(np.float64), ((0, 0), (1, 2), (0, 0)), mode="edge")
    weights = [-0.09375, 0.59375, 0.59375, -0.09375]
    exact = sum(weight * padded[:, tap : tap + 16] for tap, weight in enumerate(weights))
    assert np.abs(warped - np.clip(exact, 0, 255)).max() <= 0.5


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_a_homography_takes_its_four_points_to_their_targets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    square = np.array([[0, 0], [100, 0], [100, 60], [0, 60.0]])
    source, target = (square + rng.uniform(-15, 15, (4, 2)) for _ in range(2))
    matrix = imaging.perspective_transform(source, target)
    moved = np.column_stack([source, np.ones(4)]) @ matrix.T
    assert np.allclose(moved[:, :2] / moved[:, 2:], target, atol=1e-8)


def test_cubic_weights_sum_to_one() -> None:
    assert (imaging._cubic_table().sum(axis=1) == 1 << 15).all()
