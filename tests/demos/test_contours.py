"""Runs, blobs, holes and hulls against flood fill and hand-made masks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from demos.ocr import contours, geometry

_MASKS = hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=14))


def _mask(drawing: str) -> NDArray[np.bool_]:
    return np.array([[c == "#" for c in row] for row in drawing.split()])


def _flood(mask: NDArray[np.bool_], diagonal: bool) -> list[set[tuple[int, int]]]:
    """Components as sets of (y, x), in raster order of their first pixels."""
    left = {(int(y), int(x)) for y, x in np.argwhere(mask)}
    steps = [(-1, 0), (1, 0), (0, -1), (0, 1)] + ([(-1, -1), (-1, 1), (1, -1), (1, 1)] if diagonal else [])
    blobs = []
    while left:
        start = min(left)
        left.remove(start)
        blob, front = {start}, [start]
        while front:
            y, x = front.pop()
            for step_y, step_x in steps:
                near = (y + step_y, x + step_x)
                if near in left:
                    left.remove(near)
                    blob.add(near)
                    front.append(near)
        blobs.append(blob)
    return blobs


@settings(max_examples=300)
@given(_MASKS, st.booleans())
def test_labels_are_those_of_a_flood_fill(mask: NDArray[np.bool_], diagonal: bool) -> None:
    runs = contours.label_runs(mask, diagonal)
    blobs: list[set[tuple[int, int]]] = [set() for _ in range(runs.count)]
    for row, first, last, label in zip(runs.row, runs.first, runs.last, runs.label):
        blobs[label] |= {(int(row), x) for x in range(first, last + 1)}
    assert blobs == _flood(mask, diagonal)


@settings(max_examples=300)
@given(_MASKS)
def test_hulls_are_those_of_every_border_pixel(mask: NDArray[np.bool_]) -> None:
    """Outer borders: hulls of the blobs. Holes: of the blob's pixels beside the hole."""
    empty = np.pad(~mask, 1, constant_values=True)
    around = []
    for hole in _flood(empty, diagonal=False):
        if (0, 0) in hole:
            continue
        beside = {(y + dy, x + dx) for y, x in hole for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0))} - hole
        first_y, first_x = min(hole)
        around.append(((first_y, first_x - 1), {(y - 1, x - 1) for y, x in beside}))
    borders = [((min(blob)[0] + 1, min(blob)[1] + 1), blob) for blob in _flood(mask, diagonal=True)] + around
    borders.sort(key=lambda border: border[0])
    expected = [
        sorted(geometry.hull_of_points(np.array([(x, y) for y, x in pixels])).tolist())
        for _, pixels in borders
    ]
    found = [sorted(hull.tolist()) for hull in contours.border_hulls(mask)][::-1]
    # Two borders can be found at one pixel; their order is then free.
    assert sorted(found) == sorted(expected)
    seeds = [seed for seed, _ in borders]
    if len(set(seeds)) == len(seeds):
        assert found == expected


def test_borders_are_listed_from_the_bottom_with_their_holes() -> None:
    mask = _mask("""
        .........
        .#####...
        .#...#.#.
        .#...#.#.
        .#####...
        .........
        ....##...""")
    hulls = [sorted(map(tuple, hull.tolist())) for hull in contours.border_hulls(mask)]
    assert hulls == [
        [(4, 6), (5, 6)],
        [(7, 2), (7, 3)],
        [(1, 2), (1, 3), (2, 1), (2, 4), (4, 1), (4, 4), (5, 2), (5, 3)],
        [(1, 1), (1, 4), (5, 1), (5, 4)],
    ]


def test_a_background_pocket_open_at_a_corner_is_a_hole() -> None:
    # Blobs join over corners, the background does not (OpenCV has it so).
    mask = _mask("""
        .#.
        #.#
        .#.""")
    hulls = contours.border_hulls(mask)
    assert len(hulls) == 2
    assert all(sorted(h.tolist()) == [[0, 1], [1, 0], [1, 2], [2, 1]] for h in hulls)


def test_the_limit_keeps_the_last_found() -> None:
    mask = np.zeros((20, 3), bool)
    mask[::2, 1] = True
    assert [hull[0, 1] for hull in contours.border_hulls(mask, 3)] == [18, 16, 14]


@pytest.mark.parametrize("shape", [(1, 1), (3, 5)])
def test_an_empty_mask_has_no_borders(shape: tuple[int, int]) -> None:
    assert contours.border_hulls(np.zeros(shape, bool)) == []


def test_runs_do_not_join_over_the_edge_of_the_picture() -> None:
    mask = _mask("""
        ...#
        #...""")
    assert contours.label_runs(mask).count == 2
