"""Resize and Upsample."""
from __future__ import annotations

from typing import Any

import numpy as np

from sampan.ir import Value

from .registry import NodeContext, importer

_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "cubic": "cubic"}


def _mode(ctx: NodeContext) -> str:
    mode = ctx.attr("mode", "nearest")
    if mode not in _MODES:
        ctx.refuse(f"mode is {mode!r}; ONNX has nearest, linear and cubic")
    return _MODES[mode]


def _absent(value: Value | None) -> bool:
    """ONNX marks an unused input by an empty tensor, too."""
    return value is None or (value.shape is not None and 0 in value.shape)


@importer("Resize", since=11)
def resize(ctx: NodeContext) -> Value:
    x, roi, scales, sizes = ctx.require(0), ctx.input(1), ctx.input(2), ctx.input(3)
    attrs: dict[str, Any] = {
        "mode": _mode(ctx),
        "coordinates": ctx.attr("coordinate_transformation_mode", "half_pixel"),
        "nearest_mode": ctx.attr("nearest_mode", "round_prefer_floor"),
        "cubic_coeff_a": float(ctx.attr("cubic_coeff_a", -0.75)),
        "exclude_outside": bool(ctx.attr("exclude_outside", 0)),
        "extrapolation_value": float(ctx.attr("extrapolation_value", 0.0)),
        "antialias": bool(ctx.attr("antialias", 0)),
        "keep_aspect_ratio_policy": ctx.attr("keep_aspect_ratio_policy", "stretch"),
    }
    if ctx.has_attr("axes"):
        attrs["axes"] = [int(a) for a in ctx.attr("axes")]
    if attrs["coordinates"] != "tf_crop_and_resize":
        roi = None
    scales = None if _absent(scales) else scales
    sizes = None if _absent(sizes) else sizes
    return ctx.op("Resize", [x, roi, scales, sizes], attrs)


@importer("Resize", since=10)
@importer("Upsample", since=9)
def resize_by_scales(ctx: NodeContext) -> Value:
    attrs = {"mode": _mode(ctx), "coordinates": "asymmetric", "nearest_mode": "floor"}
    return ctx.op("Resize", [ctx.require(0), None, ctx.require(1)], attrs)


@importer("Upsample")
def upsample(ctx: NodeContext) -> Value:
    scales = ctx.constant(np.asarray(ctx.attr("scales", []), np.float32))
    attrs = {"mode": _mode(ctx), "coordinates": "asymmetric", "nearest_mode": "floor"}
    return ctx.op("Resize", [ctx.require(0), None, scales], attrs)
