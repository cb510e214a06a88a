"""Finding text: picture -> probability map -> quadrilaterals (Liao et al., "Differentiable Binarization", 2020)."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from demos.engines import Engine
from demos.ocr import contours, geometry, imaging
from demos.ocr.engine import F32, U8, normalised, run_single

Boxes = NDArray[np.float32]
"""(n, 4, 2) float32 with integer values: x, y of top left, top right, bottom right, bottom left."""


@dataclasses.dataclass(frozen=True)
class DetectorOptions:
    """Settings of the detector; lengths in pixels of the network's input."""

    short_side: int = 736  # pictures with a shorter side below this are enlarged to it
    threshold: float = 0.3  # a pixel is text above this probability
    box_threshold: float = 0.5  # a box is kept if the mean probability inside it reaches this
    candidates: int = 1000
    unclip_ratio: float = 1.6  # the network learns shrunken boxes: grow by area * ratio / perimeter
    smallest_side: float = 3.0


_SLIMMEST = 12  # long tapes are not enlarged beyond this many short sides: memory grows with their length


def network_size(height: int, width: int, short_side: int) -> tuple[int, int]:
    """Height and width of the network's input: enlarged to ``short_side`` and rounded to multiples of 32."""
    ratio = max(1.0, min(short_side / min(height, width), _SLIMMEST * short_side / max(height, width)))
    return max(32, round(int(height * ratio) / 32) * 32), max(32, round(int(width * ratio) / 32) * 32)


def preprocess(image: U8, short_side: int) -> F32:
    """(h, w, 3) uint8 BGR -> (1, 3, H, W) float32, H and W multiples of 32."""
    height, width = network_size(image.shape[0], image.shape[1], short_side)
    return normalised(imaging.resize_linear(image, width, height))[None]


def dilate(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Grow by one pixel to the right and down (a 2x2 kernel anchored at its last element)."""
    grown = mask.copy()
    grown[1:] |= mask[:-1]
    grown[:, 1:] |= grown[:, :-1].copy()
    return grown


def box_score(probability: F32, box: geometry.F32) -> float:
    """Mean probability inside ``box`` (4, 2), corners cut to integers."""
    height, width = probability.shape
    low = np.floor(box.min(axis=0)).astype(np.int64).clip(0, [width - 1, height - 1])
    high = np.ceil(box.max(axis=0)).astype(np.int64).clip(0, [width - 1, height - 1])
    polygon = np.trunc(box - low.astype(np.float32)).astype(np.int64)
    patch = probability[low[1] : high[1] + 1, low[0] : high[0] + 1]
    mask = geometry.convex_mask(polygon, patch.shape[1], patch.shape[0])
    inside = int(mask.sum())
    return float(patch.sum(where=mask, dtype=np.float64)) / inside if inside else 0.0


def boxes_from_map(
    probability: F32, height: int, width: int, options: DetectorOptions
) -> tuple[NDArray[np.int32], list[float]]:
    """Boxes (n, 4, 2) int32 in a picture of ``height`` x ``width``, and their scores, from the map (H, W)."""
    mask = dilate(probability > np.float32(options.threshold))
    map_height, map_width = mask.shape
    scale = np.array([map_width, map_height], np.float32)
    target = np.array([width, height], np.float32)
    boxes: list[NDArray[np.int32]] = []
    scores: list[float] = []
    for hull in contours.border_hulls(mask, options.candidates):
        box, side = geometry.min_area_rect(hull)
        if side < options.smallest_side:
            continue
        box = geometry.order_by_x(box)
        score = box_score(probability, box)
        if score < options.box_threshold:
            continue
        area, perimeter = geometry.area_and_perimeter(box)
        grown = geometry.offset_convex(box, area * options.unclip_ratio / perimeter)
        if not len(grown):
            continue
        box, side = geometry.min_area_rect(geometry.hull_of_points(grown))
        if side < options.smallest_side + 2:
            continue
        box = np.rint(geometry.order_by_x(box) / scale * target).clip(0, target)
        boxes.append(box.astype(np.int32))
        scores.append(score)
    return np.array(boxes, np.int32).reshape(-1, 4, 2), scores


def order_corners(box: NDArray[np.int32]) -> Boxes:
    """Top left, top right, bottom right, bottom left of any four corners (4, 2)."""
    by_x = box[np.argsort(box[:, 0], kind="stable")]
    left = by_x[:2][np.argsort(by_x[:2, 1], kind="stable")]
    right = by_x[2:][np.argsort(by_x[2:, 1], kind="stable")]
    return np.array([left[0], right[0], right[1], left[1]], np.float32)


def tidy(boxes: NDArray[np.int32], height: int, width: int) -> Boxes:
    """Order the corners, clip to the picture, and drop boxes of three pixels or less."""
    kept = []
    for box in boxes:
        corners = order_corners(box).clip(0, np.array([width - 1, height - 1], np.float32))
        across = int(np.linalg.norm(corners[0] - corners[1]))
        down = int(np.linalg.norm(corners[0] - corners[3]))
        if across > 3 and down > 3:
            kept.append(corners)
    return np.array(kept, np.float32).reshape(-1, 4, 2)


def reading_order(boxes: Boxes, line_height: int = 10) -> Boxes:
    """Sort top to bottom, and left to right where the tops differ by less than ``line_height`` pixels."""
    rows = sorted(boxes, key=lambda box: (box[0][1], box[0][0]))
    for i in range(1, len(rows)):
        j = i
        while (
            j > 0
            and abs(rows[j][0][1] - rows[j - 1][0][1]) < line_height
            and rows[j][0][0] < rows[j - 1][0][0]
        ):
            rows[j - 1], rows[j] = rows[j], rows[j - 1]
            j -= 1
    return np.array(rows, np.float32).reshape(-1, 4, 2)


class Detector:
    """The detection network with its pre- and post-processing."""

    def __init__(self, engine: Engine, options: DetectorOptions | None = None) -> None:
        self.engine = engine
        self.options = options or DetectorOptions()

    def __call__(self, image: U8) -> Boxes:
        """Text boxes of a BGR picture (h, w, 3) uint8 in reading order."""
        height, width = image.shape[:2]
        probability = self.probability(preprocess(image, self.options.short_side))
        boxes, _ = boxes_from_map(probability, height, width, self.options)
        return reading_order(tidy(boxes, height, width))

    def probability(self, batch: F32) -> F32:
        """The map (H, W) for a preprocessed picture (1, 3, H, W)."""
        return run_single(self.engine, batch)[0, 0]
