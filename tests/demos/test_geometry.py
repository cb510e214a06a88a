"""Rectangles, offsets and fills against brute force and against values recorded from OpenCV 4.11 and Clipper."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from demos.ocr import geometry

_POINTS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=3, max_size=30)


def _hull(points: list[tuple[int, int]]) -> NDArray[np.int64]:
    hull = geometry.hull_of_points(np.array(points, np.int64))
    assume(len(hull) >= 3)
    return hull


def _cross(a: NDArray[np.integer], b: NDArray[np.integer]) -> int:
    return int(a[0] * b[1] - a[1] * b[0])


@given(_POINTS)
def test_a_hull_is_strictly_convex_and_holds_all_points(points: list[tuple[int, int]]) -> None:
    hull = _hull(points)
    assert {tuple(p) for p in hull.tolist()} <= set(points)
    for start, end, after in zip(hull, np.roll(hull, -1, axis=0), np.roll(hull, -2, axis=0)):
        assert _cross(end - start, after - end) > 0
        assert all(_cross(end - start, np.array(p) - start) >= 0 for p in points)


def _least_area(hull: NDArray[np.int64]) -> float:
    """Brute force: the extent along and across every edge, in double precision."""
    best = math.inf
    for edge in np.roll(hull, -1, axis=0) - hull:
        unit = edge / np.linalg.norm(edge)
        along, across = hull @ unit, hull @ np.array([-unit[1], unit[0]])
        best = min(best, float(np.ptp(along) * np.ptp(across)))
    return best


@settings(max_examples=300)
@given(_POINTS)
def test_the_smallest_rectangle_has_the_area_of_brute_force_and_holds_the_hull(
    points: list[tuple[int, int]],
) -> None:
    hull = _hull(points)
    box, shorter = geometry.min_area_rect(hull)
    corners = box.astype(np.float64)
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(sides[:, 0], sides[:, 1])
    assert lengths[0] * lengths[1] == pytest.approx(_least_area(hull), rel=1e-4, abs=1e-3)
    assert shorter == pytest.approx(lengths.min(), abs=1e-3)
    assert abs(float(sides[0] @ sides[1])) < 1e-3 * lengths[0] * lengths[1] + 1e-3
    turn = np.sign(sides[0][0] * sides[1][1] - sides[0][1] * sides[1][0])
    for corner, side, length in zip(corners, sides, lengths):
        outside = (side[0] * (hull[:, 1] - corner[1]) - side[1] * (hull[:, 0] - corner[0])) * turn
        assert outside.min() > -1e-3 * max(1.0, length)


@given(_POINTS)
def test_the_direction_of_travel_does_not_change_the_area(points: list[tuple[int, int]]) -> None:
    hull = _hull(points)
    areas = [geometry.area_and_perimeter(geometry.min_area_rect(h)[0])[0] for h in (hull, hull[::-1])]
    assert areas[0] == pytest.approx(areas[1], rel=1e-4, abs=1e-3)


@pytest.mark.parametrize(
    ("hull", "corners"),
    [  # sorted corners of cv2.boxPoints(cv2.minAreaRect(hull))
        # Two edges of 51 x 72 pixels are as good in theory; single precision makes one 72, the other 71.99998.
        (
            [[134, 428], [144, 448], [144, 479], [115, 479], [73, 459], [72, 458], [72, 429], [73, 428]],
            [[72.0, 428.0], [72.0, 479.0], [144.0, 428.0], [144.0, 479.0]],
        ),
        (
            [[144, 479], [115, 479], [73, 459], [72, 458], [72, 429], [73, 428], [134, 428], [144, 448]],
            [
                [71.99999237060547, 428.0],
                [71.99999237060547, 479.0],
                [143.99996948242188, 428.0],
                [143.99996948242188, 479.0],
            ],
        ),
        (
            [[0, 0], [20, 10], [18, 14], [-2, 4]],
            [
                [-2.0, 4.000000476837158],
                [0.0, 4.76837158203125e-07],
                [18.000001907348633, 14.000001907348633],
                [20.000001907348633, 10.000001907348633],
            ],
        ),
    ],
)
def test_corners_have_the_bits_of_opencv(hull: list[list[int]], corners: list[list[float]]) -> None:
    box, _ = geometry.min_area_rect(np.array(hull))
    assert sorted(box.tolist()) == corners


@pytest.mark.parametrize("points", [[[3, 4]], [[3, 4], [9, 12]]])
def test_a_point_or_a_line_has_no_width(points: list[list[int]]) -> None:
    box, shorter = geometry.min_area_rect(np.array(points))
    assert shorter == 0.0 and box[0].tolist() == points[0] and box[2].tolist() == points[-1]


def test_corners_are_ordered_from_the_top_left() -> None:
    box = np.array([[9, 6], [1, 0], [10, 1], [0, 5]], np.float32)
    assert geometry.order_by_x(box).tolist() == [[1, 0], [10, 1], [9, 6], [0, 5]]


def test_area_and_perimeter_of_a_right_triangle() -> None:
    assert geometry.area_and_perimeter(np.array([[0, 0], [3, 0], [0, 4]])) == (6.0, 12.0)


@pytest.mark.parametrize(
    ("box", "distance", "expected"),
    [  # PyclipperOffset with JT_ROUND, ET_CLOSEDPOLYGON
        (
            [[80.0, 93.0], [117.0, 93.0], [117.0, 106.0], [80.0, 106.0]],
            7.696,
            [
                [121, 86],
                [124, 89],
                [125, 93],
                [125, 106],
                [124, 110],
                [121, 113],
                [117, 114],
                [80, 114],
                [76, 113],
                [73, 110],
                [72, 106],
                [72, 93],
                [73, 89],
                [76, 86],
                [80, 85],
                [117, 85],
            ],
        ),
        (
            [[20.7, 10.2], [60.9, 22.4], [57.3, 33.8], [17.1, 21.6]],
            6.5,
            [
                [62, 16],
                [65, 18],
                [66, 21],
                [66, 24],
                [63, 35],
                [61, 38],
                [58, 39],
                [55, 39],
                [15, 27],
                [12, 25],
                [11, 22],
                [11, 19],
                [14, 8],
                [16, 5],
                [19, 4],
                [22, 4],
            ],
        ),
    ],
)
def test_offset_gives_the_points_of_clipper(
    box: list[list[float]], distance: float, expected: list[list[int]]
) -> None:
    grown = geometry.offset_convex(np.array(box, np.float32), distance)
    assert sorted(map(tuple, geometry.hull_of_points(grown).tolist())) == sorted(map(tuple, expected))


@settings(max_examples=200)
@given(
    st.floats(-80, 80), st.floats(12, 150), st.floats(6, 40), st.floats(1.5, 20)
)  # degrees, width, height, distance
def test_an_offset_rectangle_grows_by_the_distance(
    angle: float, width: float, height: float, distance: float
) -> None:
    turn = math.radians(angle)
    along, across = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [width / 2, height / 2]
    box = np.trunc(corners @ np.stack([along, across]) + 300)
    grown = geometry.offset_convex(box, distance)
    for edge in np.roll(box, -1, axis=0) - box:
        outward = np.array([edge[1], -edge[0]]) / np.linalg.norm(edge)
        # Corners are rounded to pixels: at most half a pixel's diagonal off.
        assert (grown @ outward).max() == pytest.approx((box @ outward).max() + distance, abs=0.71)


def test_a_flat_polygon_does_not_grow() -> None:
    assert geometry.offset_convex(np.array([[1.2, 1.3], [1.4, 1.1], [5.0, 1.0]]), 2.0).shape == (0, 2)


@settings(max_examples=200)
@given(_POINTS)
def test_a_mask_holds_what_lies_inside_and_nothing_a_pixel_away(points: list[tuple[int, int]]) -> None:
    hull = _hull(points)
    width = height = 62
    mask = geometry.convex_mask(hull, width, height)
    y, x = np.mgrid[:height, :width]
    distance = np.full((height, width), -np.inf)  # beyond the furthest edge, in pixels
    for start, end in zip(hull, np.roll(hull, -1, axis=0)):
        dx, dy = end - start
        distance = np.maximum(distance, (dy * (x - start[0]) - dx * (y - start[1])) / math.hypot(dx, dy))
    assert mask[distance <= -1e-9].all()
    assert mask[hull[:, 1], hull[:, 0]].all()
    assert not mask[distance > 0.5 + 1e-9].any()  # the edges are lines one pixel wide


@pytest.mark.parametrize(
    ("polygon", "drawing"),  # cv2.fillPoly
    [
        (
            [[9, -2], [16, 5], [6, 11], [-3, 3]],
            """
            ....########..
            ..###########.
            ##############
            ##############
            ##############
            ##############
            .#############
            ..###########.
            ...#########..""",
        ),
        (
            [[-4, 2], [18, 6], [17, 9], [-5, 5]],
            """
            ..............
            ..............
            ###...........
            #######.......
            ###########...
            ##############
            ...###########
            .......#######
            ...........###""",
        ),
    ],
)
def test_what_crosses_the_border_is_filled_as_in_opencv(polygon: list[list[int]], drawing: str) -> None:
    mask = geometry.convex_mask(np.array(polygon), 14, 9)
    assert ["".join(".#"[v] for v in row) for row in mask.astype(int)] == drawing.split()


def test_a_rectangle_is_filled_to_its_border() -> None:
    mask = geometry.convex_mask(np.array([[2, 1], [6, 1], [6, 3], [2, 3]]), 9, 5)
    expected = np.zeros((5, 9), bool)
    expected[1:4, 2:7] = True
    assert np.array_equal(mask, expected)
