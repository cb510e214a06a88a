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


def _extremes(hull: NDArray[np.float64], base: NDArray[np.float64]) -> tuple[NDArray[np.intp], ...]:
    """Per direction in ``base`` (n, 2): the hull points furthest along -u, +u, -v, +v, where v is u turned by 90."""
    along = hull @ base.T
    across = hull @ np.stack([-base[:, 1], base[:, 0]])
    return along.argmin(0), along.argmax(0), across.argmin(0), across.argmax(0)


def min_area_rect(hull: NDArray[np.integer]) -> tuple[F32, float]:
    """The rectangle of least area around a convex polygon.

    ``hull`` is (n, 2), strictly convex, n >= 1, either direction of travel. One side lies along an edge of the hull
    (Freeman and Shapira, 1975); of equally small ones the one turned furthest wins. Returns the corners (4, 2)
    float32 and the length of the shorter side in pixels.
    """
    points = np.asarray(hull, np.float64)
    if len(points) < 3:
        flat = np.array([points[0], points[0], points[-1], points[-1]], np.float32)
        return flat, 0.0
    edges = np.roll(points, -1, axis=0) - points
    inverse_length = (1.0 / np.hypot(edges[:, 0], edges[:, 1])).astype(np.float32)
    unit = edges.astype(np.float32) * inverse_length[:, None]
    a, b = unit[:, 0].copy(), unit[:, 1].copy()
    # Turn each edge's direction by quarters into the first quadrant: a > 0, b >= 0.
    for _ in range(3):
        turn = ~((a > 0) & (b >= 0))
        a[turn], b[turn] = b[turn], -a[turn]
    order = np.argsort(b, kind="stable")
    a, b = a[order], b[order]
    left, right, bottom, top = _extremes(points, np.stack([a, b], axis=1).astype(np.float64))
    single = points.astype(np.float32)
    span = single[right] - single[left]
    width = span[:, 0] * a + span[:, 1] * b
    span = single[top] - single[bottom]
    height = span[:, 1] * a - span[:, 0] * b
    area = width * height
    best = int(np.flatnonzero(area == area.min())[-1])

    u = np.array([a[best], b[best]], np.float32)
    v = np.array([-b[best], a[best]], np.float32)
    c1 = u @ single[left[best]]
    c2 = v @ single[bottom[best]]
    scale = np.float32(1) / (u[0] * v[1] - u[1] * v[0])
    corner = np.array([(c1 * v[1] - c2 * u[1]) * scale, (u[0] * c2 - v[0] * c1) * scale], np.float32)
    return _corners(corner, u * width[best], v * height[best])


def _corners(corner: F32, along: F32, across: F32) -> tuple[F32, float]:
    """Corners by way of centre, size and angle, rounding where a rotated rectangle in degrees does."""
    centre = corner + (along + across) * np.float32(0.5)
    width = np.float32(math.hypot(*along.tolist()))
    height = np.float32(math.hypot(*across.tolist()))
    degrees = np.float32(np.float32(math.atan2(float(along[1]), float(along[0]))) * 180 / math.pi)
    radians = float(degrees) * math.pi / 180
    cosine = np.float32(math.cos(radians)) * np.float32(0.5)
    sine = np.float32(math.sin(radians)) * np.float32(0.5)
    first = centre + np.array([-sine * height - cosine * width, cosine * height - sine * width], np.float32)
    second = centre + np.array([sine * height - cosine * width, -cosine * height - sine * width], np.float32)
    box = np.stack([first, second, 2 * centre - first, 2 * centre - second])
    return box, float(min(width, height))


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
    """Convex hull (n, 2) of integer points (m, 2), m >= 1, without collinear ones (Andrew's monotone chain)."""
    ordered = sorted(set(map(tuple, points.tolist())))
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

    return np.array(chain(ordered) + chain(ordered[::-1]), np.int64)


def _line_spans(polygon: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]) -> None:
    """Widen the spans [low[y], high[y]] to the pixels of the polygon's edges, drawn as 8-connected lines."""
    for (ax, ay), (bx, by) in zip(polygon.tolist(), np.roll(polygon, -1, axis=0).tolist()):
        if bx < ax:
            ax, ay, bx, by = bx, by, ax, ay
        dx, dy = bx - ax, abs(by - ay)
        longer, shorter = max(dx, dy), min(dx, dy)
        step = np.arange(longer + 1)
        # Bresenham in closed form, halves rounded towards the start.
        side = -((longer - 2 * shorter * step) // (2 * longer)) if longer else step
        down = 1 if by >= ay else -1
        xs, ys = (ax + step, ay + down * side) if dx >= dy else (ax + side, ay + down * step)
        inside = (ys >= 0) & (ys < low.size)
        np.minimum.at(low, ys[inside], xs[inside])
        np.maximum.at(high, ys[inside], xs[inside])


def convex_mask(polygon: NDArray[np.int64], width: int, height: int) -> NDArray[np.bool_]:
    """Pixels (height, width) inside or on the border of a convex polygon (n, 2) with integer corners."""
    low = np.full(height, width, np.int64)
    high = np.full(height, -1, np.int64)
    _line_spans(polygon, low, high)
    columns = np.arange(width)
    return (columns >= low[:, None]) & (columns <= high[:, None])
