"""Blobs of a binary mask and the convex hulls of their borders, in numpy.

What the detector needs of a contour is the smallest rectangle around it, and that depends on its convex hull only.
So nothing is traced: the mask is cut into horizontal runs, runs are joined by a union-find over whole arrays, and a
hull is taken from each row's first and last pixel. As in ``findContours(RETR_LIST)``, the borders of holes count too:
the pixels of the blob that touch the hole.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Runs:
    """Maximal horizontal runs of set pixels in raster order: row, first and last column (inclusive), blob number."""

    row: Ints
    first: Ints
    last: Ints
    label: Ints

    @property
    def count(self) -> int:
        """How many blobs there are; labels go from 0, in raster order of the blobs' first pixels."""
        return int(self.label.max()) + 1 if self.label.size else 0


def _roots(parents: Ints) -> Ints:
    while True:
        above = parents[parents]
        if np.array_equal(above, parents):
            return parents
        parents = above


def _join(count: int, left: Ints, right: Ints) -> Ints:
    """Connected components of the graph on ``count`` vertices with edges left-right: the smallest vertex of each."""
    parents = np.arange(count)
    while left.size:
        a, b = parents[left], parents[right]
        apart = a != b
        left, right, a, b = left[apart], right[apart], a[apart], b[apart]
        np.minimum.at(parents, np.maximum(a, b), np.minimum(a, b))
        parents = _roots(parents)
    return parents


def label_runs(mask: NDArray[np.bool_], diagonal: bool = True) -> Runs:
    """Connected components of ``mask`` (height, width); pixels that meet at a corner are joined if ``diagonal``."""
    height, width = mask.shape
    stride = (
        width + 2
    )  # an empty column on either side, so that runs of neighbouring rows never touch by wrapping
    padded = np.zeros(height * stride + 1, np.int8)
    padded[:-1].reshape(height, stride)[:, 1:-1] = mask
    change = np.flatnonzero(padded[1:] != padded[:-1]) + 1
    start, stop = change[0::2], change[1::2]  # half-open, in padded raster positions
    reach = 1 if diagonal else 0
    begin = np.searchsorted(stop, start + (stride - reach), side="right")
    end = np.searchsorted(start, stop + (stride + reach), side="left")
    touching = np.maximum(end - begin, 0)
    upper = np.repeat(np.arange(start.size), touching)
    offset = np.arange(upper.size) - np.repeat(np.cumsum(touching) - touching, touching)
    lower = begin[upper] + offset
    roots = _join(start.size, upper, lower)
    label = np.unique(roots, return_inverse=True)[1].astype(np.int64)
    row = start // stride
    return Runs(row, start - row * stride - 1, stop - row * stride - 2, label)


def convex_hull(rows: Ints, first: Ints, last: Ints) -> Ints:
    """Hull of pixels given by each row's first and last column (rows strictly ascending, integers).

    Returns (n, 2) points x, y without collinear ones: down the right side, up the left side, the top left last.
    """
    height = rows.tolist()

    def chain(columns: list[int], side: int) -> list[tuple[int, int]]:
        hull: list[tuple[int, int]] = []
        for x, y in zip(columns, height):
            while len(hull) > 1:
                (ax, ay), (bx, by) = hull[-2], hull[-1]
                if ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) * side < 0:
                    break
                hull.pop()
            hull.append((x, y))
        return hull

    left = chain(first.tolist(), 1)
    right = chain(last.tolist(), -1)
    if right[-1] == left[-1]:
        right.pop()
    if right and right[0] == left[0]:
        right.pop(0)
    return np.array(right + left[::-1], np.int64).reshape(-1, 2)


def _hole_order(hull: Ints) -> Ints:
    """The hull as it is met when a hole's border is followed: from the pixel left of the hole's first one on."""
    top, before = hull[-1], hull[-2]
    return np.roll(hull, 2 if before[0] == top[0] - 1 and before[1] == top[1] + 1 else 1, axis=0)


def _hole_borders(mask: NDArray[np.bool_]) -> tuple[Runs, Ints]:
    """Pixels around each hole as runs (several per row of a hole), and the hole's first pixel in raster order."""
    empty = np.pad(~mask, 1, constant_values=True)
    runs = label_runs(empty, diagonal=False)
    inside = runs.label != 0  # blob 0 holds the frame
    row, first, last, label = runs.row[inside], runs.first[inside], runs.last[inside], runs.label[inside] - 1
    if not label.size:
        nothing = np.zeros(0, np.int64)
        return Runs(nothing, nothing, nothing, nothing), nothing
    seed = np.full(label.max() + 1, np.iinfo(np.int64).max)
    # The border is found at the pixel left of the hole's first one. Undo the frame: -1.
    np.minimum.at(seed, label, (row - 1) * mask.shape[1] + first - 2)
    around = Runs(
        np.concatenate([row - 1, row, row + 1]) - 1,
        np.concatenate([first, first - 1, first]) - 1,
        np.concatenate([last, last + 1, last]) - 1,
        np.tile(label, 3),
    )
    return around, seed


def _hulls(runs: Runs, height: int) -> list[Ints]:
    """Convex hull of every blob of ``runs``, by label."""
    if not runs.label.size:
        return []
    key = runs.label * height + runs.row
    order = np.argsort(key, kind="stable")
    cut = np.flatnonzero(np.diff(key[order], prepend=-1))
    first = np.minimum.reduceat(runs.first[order], cut)
    last = np.maximum.reduceat(runs.last[order], cut)
    row = runs.row[order][cut]
    label = runs.label[order][cut]
    edges = np.append(np.flatnonzero(np.diff(label, prepend=-1)), label.size)
    return [convex_hull(row[a:b], first[a:b], last[a:b]) for a, b in itertools.pairwise(edges)]


def border_hulls(mask: NDArray[np.bool_], limit: int | None = None) -> list[Ints]:
    """Hulls (n, 2) of all outer borders and hole borders of ``mask``, the last found first, at most ``limit``.

    The order is that of ``findContours``: a border is found at its blob's first pixel in raster order (a hole's at
    the pixel to the left of the hole's first one), and the list runs from the bottom of the picture up. The points
    of a hull start where OpenCV's do; `geometry.min_area_rect` breaks ties by that.
    """
    height, width = mask.shape
    blobs = label_runs(mask)
    if not blobs.count:
        return []
    seed = np.full(blobs.count, np.iinfo(np.int64).max)
    np.minimum.at(seed, blobs.label, blobs.row * width + blobs.first)
    holes, hole_seed = _hole_borders(mask)
    hulls = _hulls(blobs, height) + [_hole_order(hull) for hull in _hulls(holes, height)]
    order = np.argsort(np.concatenate([seed, hole_seed]), kind="stable")[::-1]
    return [hulls[i] for i in order[:limit]]
