"""Resampling of uint8 pictures in numpy, bit for bit as OpenCV 4 does it.

Where the detector's boxes fall depends on the last bit of these two functions (a threshold follows), so both keep
OpenCV's fixed-point arithmetic: 11-bit weights in the bilinear resize, 1/32-pixel positions and 15-bit weights in
the bicubic warp. Pictures are uint8 arrays of shape (height, width, channels).
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]

_LINEAR_ONE = 1 << 11  # bilinear weights are rounded to 1/2048
_SUBPIXELS = 32  # the warp knows 32 positions between two pixels
_CUBIC_ONE = 1 << 15
_CUBIC_A = -0.75  # Keys' parameter as OpenCV has it
_BLOCK = 1 << 15  # elements worked on at a time, so that they stay in the cache


def _linear_taps(size: int, target: int) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Left tap (may be -1 or size-1) and its right neighbour's weight, per target position."""
    scale = 1.0 / (target / size)
    position = ((np.arange(target) + 0.5) * scale - 0.5).astype(np.float32)
    left = np.floor(position)
    return left.astype(np.intp), position - left


def _fixed_weights(fraction: NDArray[np.float32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    one = np.float32(_LINEAR_ONE)
    near = np.rint((np.float32(1) - fraction) * one).astype(np.int32)
    far = np.rint(fraction * one).astype(np.int32)
    return near, far


def resize_linear(image: U8, width: int, height: int) -> U8:
    """Bilinear resize without antialiasing, half-pixel centres: the result of ``cv2.resize`` on uint8.

    ``image`` is (h, w, c); returns (height, width, c). Raises ValueError for an empty source or target.
    """
    source_height, source_width, channels = image.shape
    if min(source_height, source_width, width, height) < 1:
        raise ValueError(
            f"resize_linear: sizes must be positive, got {source_width}x{source_height} -> {width}x{height}"
        )
    if (source_width, source_height) == (width, height):
        return image.copy()
    if source_width == 2 * width and source_height == 2 * height:
        # An exact halving is an area mean in OpenCV.
        blocks = image.reshape(height, 2, width, 2, channels).astype(np.uint16)
        return ((blocks.sum(axis=(1, 3), dtype=np.uint16) + 2) >> 2).astype(np.uint8)

    left, fraction = _linear_taps(source_width, width)
    outside = (left < 0) | (left >= source_width - 1)
    fraction = np.where(outside, np.float32(0), fraction)
    left = left.clip(0, source_width - 1)
    right = np.minimum(left + 1, source_width - 1)
    near, far = _fixed_weights(fraction)

    top, fraction = _linear_taps(source_height, height)
    upper = top.clip(0, source_height - 1)
    lower = (top + 1).clip(0, source_height - 1)
    above, below = _fixed_weights(fraction)

    # Only the rows that are read, each once: columns first, 19 bits of which 15 are kept.
    rows, inverse = np.unique(np.concatenate([upper, lower]), return_inverse=True)
    picked = image[rows]
    columns = np.take(picked, left, axis=1) * near[:, None]
    columns += np.take(picked, right, axis=1) * far[:, None]
    columns >>= 4
    upper, lower = inverse[:height], inverse[height:]
    result = np.empty((height, width, channels), np.uint8)
    step = max(1, _BLOCK // (width * channels))
    for start in range(0, height, step):
        block = slice(start, start + step)
        total = columns[upper[block]]
        total *= above[block, None, None]
        total >>= 16
        other = columns[lower[block]]
        other *= below[block, None, None]
        other >>= 16
        total += other
        total += 2
        total >>= 2
        result[block] = total  # 0..255: the weights of a pair sum to 2048
    return result


@functools.lru_cache(maxsize=1)
def _cubic_table() -> NDArray[np.int32]:
    """Weights (32 * 32, 16) of the 4x4 taps for every sub-pixel position (row major: y, x); each sums to 32768."""
    one = np.float32(1)
    a = np.float32(_CUBIC_A)
    x = np.arange(_SUBPIXELS, dtype=np.float32) * np.float32(1 / _SUBPIXELS)
    outer = ((a * (x + one) - 5 * a) * (x + one) + 8 * a) * (x + one) - 4 * a
    inner = ((a + 2) * x - (a + 3)) * x * x + one
    mirror = one - x
    second = ((a + 2) * mirror - (a + 3)) * mirror * mirror + one
    line = np.stack([outer, inner, second, one - outer - inner - second], axis=1)
    product = line[:, None, :, None] * line[None, :, None, :]  # (y, x, tap y, tap x), float32
    table = np.rint(product * np.float32(_CUBIC_ONE)).astype(np.int32).reshape(-1, 16)
    # Rounding may leave a sum that is not one: OpenCV mends the largest or smallest of taps (2..3, 2..3).
    corner = np.array([10, 11, 14, 15])
    excess = table.sum(axis=1) - _CUBIC_ONE
    for row in np.flatnonzero(excess):
        taps = table[row, corner]
        at = corner[taps.argmax() if excess[row] < 0 else taps.argmin()]
        table[row, at] -= excess[row]
    return table


def perspective_transform(source: NDArray[np.floating], target: NDArray[np.floating]) -> NDArray[np.float64]:
    """The 3x3 homography that takes the four points ``source`` (4, 2) to ``target`` (4, 2); its last entry is 1.

    Raises numpy.linalg.LinAlgError when three of the points lie on a line.
    """
    x, y = np.asarray(source, np.float64).T
    u, v = np.asarray(target, np.float64).T
    system = np.zeros((8, 8))
    system[:4, 0], system[:4, 1], system[:4, 2] = x, y, 1
    system[4:, 3], system[4:, 4], system[4:, 5] = x, y, 1
    system[:4, 6], system[:4, 7] = -x * u, -y * u
    system[4:, 6], system[4:, 7] = -x * v, -y * v
    return np.append(np.linalg.solve(system, np.concatenate([u, v])), 1.0).reshape(3, 3)


def _source_grid(
    matrix: NDArray[np.float64], width: int, height: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each target pixel comes from, in 1/32 pixels (int64, each (height, width))."""
    inverse = np.linalg.inv(matrix)
    x = np.arange(width, dtype=np.float64)
    y = np.arange(height, dtype=np.float64)[:, None]
    depth = inverse[2, 0] * x + (inverse[2, 1] * y + inverse[2, 2])
    scale = np.divide(_SUBPIXELS, depth, out=np.zeros_like(depth), where=depth != 0)
    limit = 2.0**31 - 1
    across = (inverse[0, 0] * x + (inverse[0, 1] * y + inverse[0, 2])) * scale
    down = (inverse[1, 0] * x + (inverse[1, 1] * y + inverse[1, 2])) * scale
    return (
        np.rint(across.clip(-limit, limit)).astype(np.int64),
        np.rint(down.clip(-limit, limit)).astype(np.int64),
    )


def warp_perspective(image: U8, matrix: NDArray[np.float64], width: int, height: int) -> U8:
    """Bicubic perspective warp; pixels outside the picture repeat its border.

    ``matrix`` (3, 3) takes source to target positions. ``image`` is (h, w, c), c <= 4; returns (height, width, c).
    """
    across, down = _source_grid(matrix, width, height)
    phase = (down % _SUBPIXELS) * _SUBPIXELS + across % _SUBPIXELS
    across //= _SUBPIXELS
    down //= _SUBPIXELS
    source_height, source_width, channels = image.shape
    if not phase.any():  # an upright box: every position is a whole pixel
        return image[down.clip(0, source_height - 1), across.clip(0, source_width - 1)]

    # The part of the picture that is read, with its border repeated as far as the taps reach, four bytes a pixel.
    across = across.clip(-3, source_width + 1)
    down = down.clip(-3, source_height + 1)
    left, top = int(across.min()) - 1, int(down.min()) - 1
    columns = np.arange(left, int(across.max()) + 3).clip(0, source_width - 1)
    rows = np.arange(top, int(down.max()) + 3).clip(0, source_height - 1)
    part = np.zeros((len(rows), len(columns), 4), np.uint8)
    part[:, :, :channels] = image[rows[0] : rows[-1] + 1][rows - rows[0]][:, columns]
    # Four neighbours are one 16-byte element, one starting at every pixel: a row of taps is one lookup.
    reach = len(columns)
    elements = np.ndarray(len(rows) * reach - 3, np.complex128, part, strides=(4,))

    first = ((down - (top + 1)) * reach + (across - (left + 1))).reshape(-1)
    phase = phase.reshape(-1)
    result = np.empty((height * width, channels), np.uint8)
    for start in range(0, len(first), _BLOCK // 8):
        block = slice(start, start + _BLOCK // 8)
        result[block] = _weighted(elements, first[block], reach, phase[block], channels)
    return result.reshape(height, width, channels)


def _weighted(
    elements: NDArray[np.complex128],
    first: NDArray[np.int64],
    reach: int,
    phase: NDArray[np.int64],
    channels: int,
) -> U8:
    """Weighted sums (n, channels) of the 4x4 taps that start at ``first`` (n,)."""
    weights = np.ascontiguousarray(_cubic_table()[phase].T)
    total = np.full((channels, len(first)), _CUBIC_ONE // 2, np.int32)
    product = np.empty(len(first), np.int32)
    for row in range(4):
        taps = elements[first + row * reach].view(np.uint8).reshape(-1, 4, 4)
        for column in range(4):
            for channel in range(channels):
                np.multiply(taps[:, column, channel], weights[row * 4 + column], out=product, dtype=np.int32)
                total[channel] += product
    total >>= 15
    return total.clip(0, 255).astype(np.uint8).T
