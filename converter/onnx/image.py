"""Operators on images that are neither convolution nor pooling."""
from __future__ import annotations

from typing import Any

from sampan.ir import Value

from .registry import NodeContext, importer

_GRID_MODES = {"bilinear": "linear", "linear": "linear", "nearest": "nearest", "bicubic": "cubic", "cubic": "cubic"}


@importer("GridSample")
def grid_sample(ctx: NodeContext) -> Value:
    x, grid = ctx.require(0), ctx.require(1)
    mode = ctx.attr("mode", "linear")
    if mode not in _GRID_MODES:
        ctx.refuse(f"mode is {mode!r}; ONNX has {', '.join(_GRID_MODES)}")
    if grid.dtype != x.dtype:
        grid = ctx.op("Cast", [grid], {"to": x.dtype})
    return ctx.op("GridSample", [x, grid], {
        "mode": _GRID_MODES[mode], "padding_mode": ctx.attr("padding_mode", "zeros"),
        "align_corners": bool(ctx.attr("align_corners", 0))})


@importer("DepthToSpace")
def depth_to_space(ctx: NodeContext) -> Value:
    return ctx.op("DepthToSpace", [ctx.require(0)],
                  {"block_size": int(ctx.attr("blocksize", 1)), "mode": ctx.attr("mode", "DCR")})


@importer("SpaceToDepth")
def space_to_depth(ctx: NodeContext) -> Value:
    return ctx.op("SpaceToDepth", [ctx.require(0)], {"block_size": int(ctx.attr("blocksize", 1))})


@importer("NonMaxSuppression")
def non_max_suppression(ctx: NodeContext) -> Value:
    inputs = [ctx.require(0), ctx.require(1)] + [ctx.input(i) for i in range(2, 5)]
    return ctx.op("NonMaxSuppression", inputs, {"center_point_box": bool(ctx.attr("center_point_box", 0))})


@importer("RoiAlign")
def roi_align(ctx: NodeContext) -> Value:
    # Before opset 16 boxes were not shifted by half a pixel.
    default = "half_pixel" if ctx.opset >= 16 else "output_half_pixel"
    attrs: dict[str, Any] = {
        "mode": ctx.attr("mode", "avg"), "output_height": int(ctx.attr("output_height", 1)),
        "output_width": int(ctx.attr("output_width", 1)), "sampling_ratio": int(ctx.attr("sampling_ratio", 0)),
        "spatial_scale": float(ctx.attr("spatial_scale", 1.0)),
        "half_pixel": ctx.attr("coordinate_transformation_mode", default) == "half_pixel",
    }
    return ctx.op("RoiAlign", [ctx.require(0), ctx.require(1), ctx.require(2)], attrs)
