"""Smallest rectangles, growing polygons and filling them: the geometry of the detector's boxes.

Coordinates are x to the right, y down. Single precision is kept where OpenCV has it: a box corner is cut to an
integer a little later, and 99.99999 must not become 99 here and 100 there.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

_ARC_TOLERANCE = 0.25  # pixels between a round corner and the polygon that stands for it (Clipper's default)


def min_area_rect(hull: NDArray[np.integer]) -> tuple[F32, float]:
    """The rectangle of least area around a convex polygon, by rotating calipers.

    ``hull`` is (n, 2), strictly convex, n >= 1, integers, either direction of travel. One side of the rectangle lies
    along an edge of the hull (Freeman and Shapira, 1975), so every edge is tried; of equally good ones the last in
    order of angle wins. Returns the corners (4, 2) float32 and the length of the shorter side in pixels.
    """
    if len(hull) < 3:
        return np.asarray(hull, np.float32)[[0, 0, -1, -1]], 0.0
    points, a, b, touching = _calipers(np.asarray(hull, np.int64))
    single = points.astype(np.float32)
    bottom, right, top, left = touching
    span = single[right] - single[left]
    width = span[:, 0] * a + span[:, 1] * b
    span = single[top] - single[bottom]
    height = -span[:, 0] * b + span[:, 1] * a
    area = width * height
    best = int(np.flatnonzero(area == area.min())[-1])
    return _corners(single[left[best]], single[bottom[best]], a[best], b[best], width[best], height[best])


def _calipers(hull: NDArray[np.int64]) -> tuple[NDArray[np.int64], F32, F32, NDArray[np.int64]]:
    """Lay a rectangle along every edge of the hull, turning from 0 to 90 degrees.

    Returns the hull so ordered that it turns from x towards y, the direction (a, b) of the rectangle's first side
    per step (float32, a >= 0, b >= 0), and per step the hull points (4, n) that touch its four sides, in the order
    least y, greatest x, greatest y, least x at 0 degrees. Of two points equally far out the calipers start at the
    first in the order of ``hull``, which decides whether an upright edge comes first or last.
    """
    x, y = hull.T
    if (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() < 0:
        hull = hull[::-1]
        x, y = hull.T
    count = len(hull)
    first = np.array([y.argmin(), x.argmax(), y.argmax(), x.argmin()])
    # Edges between one side's first point and the next side's, and one more: if that one is at a right angle it
    # comes up again before the edges of later sides at a right angle, and there are `count` steps only.
    spans = (np.roll(first, -1) - first) % count + 1
    side = np.repeat(np.arange(4), spans)
    edge = (np.repeat(first - (np.cumsum(spans) - spans), spans) + np.arange(count + 4)) % count
    dx, dy = (np.roll(hull, -1, axis=0) - hull)[edge].T
    # Each edge turned back by its side's quarters: into the first quadrant.
    across = np.choose(side, [dx, dy, -dx, -dy])
    down = np.choose(side, [dy, -dx, -dy, dx])
    slope = np.divide(down, across, out=np.full(count + 4, np.inf), where=across != 0)
    slope[across < 0] = np.nan  # beyond the right angle; NaN sorts last
    turn = np.argsort(slope, kind="stable")[:count]
    # After a step, a side's point is the end of the edge it lay on.
    passed = np.cumsum(side[turn] == np.arange(4)[:, None], axis=1)
    touching = (first[:, None] + passed) % count
    length = np.sqrt((across * across + down * down).astype(np.float64))
    scale = (1.0 / length).astype(np.float32)[turn]
    return hull, across[turn].astype(np.float32) * scale, down[turn].astype(np.float32) * scale, touching


def _corners(
    left: F32, bottom: F32, a: np.float32, b: np.float32, width: np.float32, height: np.float32
) -> tuple[F32, float]:
    """Corners by way of corner, centre, size and angle in degrees, in single precision at each stop."""
    half = np.float32(0.5)
    c1 = a * left[0] + left[1] * b
    c2 = -b * bottom[0] + bottom[1] * a
    scale = np.float32(1) / (a * a - -b * b)
    corner_x, corner_y = (c1 * a - c2 * b) * scale, (a * c2 - -b * c1) * scale
    along_x, along_y, across_x, across_y = a * width, b * width, -b * height, a * height
    centre_x = corner_x + (along_x + across_x) * half
    centre_y = corner_y + (along_y + across_y) * half
    width = np.float32(math.sqrt(float(along_x) ** 2 + float(along_y) ** 2))
    height = np.float32(math.sqrt(float(across_x) ** 2 + float(across_y) ** 2))
    degrees = np.float32(
        float(np.float32(math.atan2(float(along_y), float(along_x))) * np.float32(180)) / math.pi
    )
    radians = float(degrees) * math.pi / 180
    cosine = np.float32(math.cos(radians)) * half
    sine = np.float32(math.sin(radians)) * half
    first_x = centre_x - sine * height - cosine * width
    first_y = centre_y + cosine * height - sine * width
    second_x = centre_x + sine * height - cosine * width
    second_y = centre_y - cosine * height - sine * width
    two = np.float32(2)
    box = [
        (first_x, first_y),
        (second_x, second_y),
        (two * centre_x - first_x, two * centre_y - first_y),
        (two * centre_x - second_x, two * centre_y - second_y),
    ]
    return np.array(box, np.float32), float(min(width, height))


def order_by_x(box: F32) -> F32:
    """Corners as top left, top right, bottom right, bottom left, split into left and right pairs by x."""
    box = box[np.argsort(box[:, 0], kind="stable")]
    left = (0, 1) if box[1, 1] > box[0, 1] else (1, 0)
    right = (2, 3) if box[3, 1] > box[2, 1] else (3, 2)
    return box[[left[0], right[0], right[1], left[1]]]


def area_and_perimeter(polygon: NDArray[np.floating]) -> tuple[float, float]:
    """Area and length of the border of a closed polygon (n, 2)."""
    points = np.asarray(polygon, np.float64)
    following = np.roll(points, -1, axis=0)
    cross = points[:, 0] * following[:, 1] - points[:, 1] * following[:, 0]
    step = following - points
    return abs(float(cross.sum())) / 2, float(np.hypot(step[:, 0], step[:, 1]).sum())


def _round_away(value: float) -> int:
    return int(value - 0.5) if value < 0 else int(value + 0.5)


def offset_convex(polygon: NDArray[np.floating], distance: float) -> NDArray[np.int64]:
    """Grow a convex polygon by ``distance`` > 0 pixels with round corners, on the integer grid.

    As in Clipper (Johnson), which the reference uses: corners are cut to integers first, the new points are rounded,
    and an arc is as many chords as keep it within a quarter of a pixel. Returns (m, 2); (0, 2) for a flat polygon.
    """
    cut = np.trunc(polygon).astype(np.int64)
    cut = cut[(cut != np.roll(cut, 1, axis=0)).any(axis=1)]
    if len(cut) < 3:
        return np.zeros((0, 2), np.int64)
    x, y = cut.T
    if float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) < 0:
        cut = cut[::-1]
    edges = (np.roll(cut, -1, axis=0) - cut).astype(np.float64)
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1) / np.hypot(edges[:, 0], edges[:, 1])[:, None]
    tolerance = min(_ARC_TOLERANCE, distance * _ARC_TOLERANCE)
    steps = min(math.pi / math.acos(1 - tolerance / distance), distance * math.pi)
    sine, cosine = math.sin(2 * math.pi / steps), math.cos(2 * math.pi / steps)

    grown: list[tuple[int, int]] = []
    for (px, py), before, after in zip(cut.tolist(), np.roll(normals, 1, axis=0).tolist(), normals.tolist()):
        turn = before[0] * after[1] - after[0] * before[1]
        along = before[0] * after[0] + before[1] * after[1]
        nx, ny = before
        if abs(turn * distance) < 1 and along > 0:  # nearly straight
            grown.append((_round_away(px + nx * distance), _round_away(py + ny * distance)))
            continue
        angle = math.atan2(max(-1.0, min(1.0, turn)), along)
        for _ in range(max(_round_away(steps / (2 * math.pi) * abs(angle)), 1)):
            grown.append((_round_away(px + nx * distance), _round_away(py + ny * distance)))
            nx, ny = nx * cosine - ny * sine, nx * sine + ny * cosine
        grown.append((_round_away(px + after[0] * distance), _round_away(py + after[1] * distance)))
    return np.array(grown, np.int64)


def hull_of_points(points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Convex hull (n, 2) of integer points (m, 2), m >= 1, without collinear ones (Andrew's monotone chain).

    It turns from x towards y (clockwise on the screen) and starts after the rightmost of the topmost points.
    """
    # By row from the top, and in a row from the right.
    ordered = sorted({(x, y) for x, y in points.tolist()}, key=lambda point: (point[1], -point[0]))
    if len(ordered) < 3:
        return np.array(ordered, np.int64).reshape(-1, 2)

    def chain(sequence: list[tuple[int, int]]) -> list[tuple[int, int]]:
        hull: list[tuple[int, int]] = []
        for x, y in sequence:
            while len(hull) > 1:
                (ax, ay), (bx, by) = hull[-2], hull[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                hull.pop()
            hull.append((x, y))
        return hull[:-1]

    hull = chain(ordered) + chain(ordered[::-1])
    return np.array(hull[1:] + hull[:1], np.int64)


def _clip(ax: int, ay: int, bx: int, by: int, width: int, height: int) -> tuple[int, int, int, int] | None:
    """The part of a line inside the picture, ends cut towards the start; None when it lies outside."""
    for _ in range(2):  # rows first, then columns
        if min(ay, by) >= 0 and max(ay, by) < height:
            ax, ay, bx, by, width, height = ay, ax, by, bx, height, width
            continue
        if max(ay, by) < 0 or min(ay, by) >= height:
            return None
        slope_x, slope_y = bx - ax, by - ay
        if not 0 <= ay < height:
            edge = 0 if ay < 0 else height - 1
            ax, ay = ax + int((edge - ay) * slope_x / slope_y), edge
            slope_x, slope_y = bx - ax, by - ay
        if not 0 <= by < height:
            edge = 0 if by < 0 else height - 1
            bx, by = bx + int((edge - by) * slope_x / slope_y), edge
        ax, ay, bx, by, width, height = ay, ax, by, bx, height, width
    return ax, ay, bx, by


def _line(ax: int, ay: int, bx: int, by: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Columns and rows of an 8-connected line: Bresenham in closed form, halves rounded towards the left end."""
    if bx < ax:
        ax, ay, bx, by = bx, by, ax, ay
    dx, dy = bx - ax, abs(by - ay)
    longer, shorter = max(dx, dy), min(dx, dy)
    step = np.arange(longer + 1)
    side = -((longer - 2 * shorter * step) // (2 * longer)) if longer else step
    down = 1 if by >= ay else -1
    return (ax + step, ay + down * side) if dx >= dy else (ax + side, ay + down * step)


def convex_mask(polygon: NDArray[np.int64], width: int, height: int) -> NDArray[np.bool_]:
    """Pixels (height, width) inside or on the border of a convex polygon (n, 2) with integer corners.

    The rule is that of ``fillPoly``: per row from the left edge rounded up to the right edge rounded down, in 1/65536
    pixels, and the edges themselves drawn as lines, clipped to the picture first.
    """
    far = (width + height + 1) << 16
    left, right = np.full(height, far, np.int64), np.full(height, -far, np.int64)
    low, high = np.full(height, width, np.int64), np.full(height, -1, np.int64)
    for (ax, ay), (bx, by) in zip(polygon.tolist(), np.roll(polygon, -1, axis=0).tolist()):
        top, bottom = min(ay, by), max(ay, by)
        clipped = _clip(ax, ay, bx, by, width, height)
        if clipped is not None:
            columns, rows = _line(*clipped)
            np.minimum.at(low, rows, columns)
            np.maximum.at(high, rows, columns)
            if clipped[1] != clipped[3]:  # the slope is that of the clipped line
                ax, ay, bx, by = clipped
        rows = np.arange(max(top, 0), min(bottom, height))
        if rows.size:
            if by < ay:
                ax, ay, bx, by = bx, by, ax, ay
            places = (ax << 16) + int(((bx - ax) << 16) / (by - ay)) * (rows - ay)
            left[rows] = np.minimum(left[rows], places)
            right[rows] = np.maximum(right[rows], places)
    filled = left <= right
    low = np.where(filled, np.minimum(low, -(-left >> 16)), low)
    high = np.where(filled, np.maximum(high, right >> 16), high)
    columns = np.arange(width)
    return (columns >= low[:, None]) & (columns <= high[:, None])
