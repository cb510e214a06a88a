"""Resize against the ONNX reference implementation; GridSample, RoiAlign and NonMaxSuppression against onnxruntime."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampan.lite_runtime import SampanError
from sampan.lite_runtime import evaluate as evaluate_once

from .reference import assert_near, onnx_node, to_first, to_last
from .strategies import evaluate, numbers, same_bits

SEEDS = st.integers(0, 2**32 - 1)
COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]


def _reference(x: np.ndarray, roi: Any, scales: Any, sizes: Any, attrs: dict[str, Any]) -> np.ndarray:
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    given = {"x": x, "roi": roi, "scales": scales, "sizes": sizes}
    given = {k: v for k, v in given.items() if v is not None}
    names = [n if n in given else "" for n in ("x", "roi", "scales", "sizes")]
    while not names[-1]:
        names.pop()
    helper = onnx.helper
    infos = [helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
             for k, v in given.items()]
    renamed = {"coordinates": "coordinate_transformation_mode"}
    node = helper.make_node("Resize", names, ["y"], **{
        renamed.get(k, k): int(v) if isinstance(v, bool) else v for k, v in attrs.items() if k != "layout"})
    out = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(x.dtype), None)
    graph = helper.make_graph([node], "resize", infos, [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])
    return ReferenceEvaluator(model).run(None, given)[0]


@st.composite
def resizes(draw: st.DrawFn) -> tuple[tuple[int, ...], dict[str, Any], Any, Any]:
    shape = (draw(st.integers(1, 2)), draw(st.integers(1, 5)), draw(st.integers(1, 9)), draw(st.integers(1, 9)))
    mode = draw(st.sampled_from(["nearest", "linear", "cubic"]))
    attrs: dict[str, Any] = {"mode": mode, "coordinates": draw(st.sampled_from(COORDINATES))}
    if mode == "nearest":
        attrs["nearest_mode"] = draw(st.sampled_from(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]))
    else:
        attrs["antialias"] = draw(st.booleans())
        attrs["exclude_outside"] = draw(st.booleans())
    attrs["axes"] = draw(st.sampled_from([[2, 3], [3, 2], [3], [2]]))
    count = len(attrs["axes"])
    if draw(st.booleans()):
        # Powers of two, and thirds that no rounding can take across a whole number.
        return shape, attrs, np.array([draw(st.sampled_from([0.5, 1.0, 2.0, 1.5, 3.0, 4.0, 0.7])) for _ in range(count)],
                                      np.float32), None
    attrs["keep_aspect_ratio_policy"] = draw(st.sampled_from(["stretch", "stretch", "not_larger", "not_smaller"]))
    return shape, attrs, None, np.array([draw(st.integers(1, 12)) for _ in range(count)], np.int64)


@given(case=resizes(), seed=SEEDS)
def test_resize_matches_the_reference_in_both_layouts(case: Any, seed: int) -> None:
    shape, attrs, scales, sizes = case
    x = numbers(seed, shape, "float32")
    got = evaluate("Resize", [x, None, scales, sizes], attrs)
    assume(got.size)
    want = _reference(x, None, scales, sizes, attrs)
    assert_near(got, want, 1e-5)
    last = evaluate("Resize", [to_last(x), None, scales, sizes], attrs | {"layout": "NHWC"})
    assert same_bits(to_first(last), got)


@given(seed=SEEDS, begin=st.integers(-4, 8), end=st.integers(0, 12), mode=st.sampled_from(["nearest", "linear"]))
def test_crop_and_resize(seed: int, begin: int, end: int, mode: str) -> None:
    x = numbers(seed, (1, 2, 6, 5), "float32")
    roi = np.array([begin / 8, 0.125, end / 8, 0.875], np.float32)
    sizes = np.array([4, 7], np.int64)
    attrs = {"mode": mode, "coordinates": "tf_crop_and_resize", "axes": [2, 3], "extrapolation_value": 7.5}
    want = _reference(x, roi, None, sizes, attrs)
    got = evaluate("Resize", [x, roi, None, sizes], attrs)
    if mode == "nearest":  # positions next to the middle may fall to either side
        assert np.mean(got == want) > 0.5
    else:
        assert_near(got, want, 1e-4)


@given(seed=SEEDS, dtype=st.sampled_from(["int8", "uint8", "bool", "int64", "float16", "float64"]))
def test_nearest_moves_any_type(seed: int, dtype: str) -> None:
    x = numbers(seed, (2, 3, 4, 5), dtype)
    got = evaluate("Resize", [x, None, np.array([1, 1, 2, 3], np.float32)], {"coordinates": "asymmetric",
                                                                             "nearest_mode": "floor"})
    np.testing.assert_array_equal(got, x.repeat(2, axis=2).repeat(3, axis=3))


X = np.zeros((1, 4, 5, 5), np.float32)


def _scales(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize(("inputs", "attrs", "reason"), [
    ([X, None, _scales(1, 1, 0, 2)], {}, "positive and finite"),
    ([X, None, _scales(1, 1, np.nan, 2)], {}, "positive and finite"),
    ([X, None, _scales(1, 1, np.inf, 2)], {}, "positive and finite"),
    ([X, None, _scales(1, 1, 1e30, 2)], {}, "too large"),
    ([X, None, _scales(2, 2)], {}, "expected one for each of 4 axes"),
    ([X, None, None, None], {}, "none came"),
    ([X, None, _scales(1, 1, 2, 2), np.array([1, 1, 2, 2])], {}, "both came"),
    ([X, None, None, np.array([1, 4, -1, 2])], {}, "size is -1"),
    ([X, None, None, np.array([3, 4])], {"axes": [2, 2]}, "twice"),
    ([X.astype(np.int32), None, _scales(1, 1, 2, 2)], {"mode": "linear"}, "nearest only"),
    ([X[:, :, :0], None, None, np.array([1, 4, 3, 2])], {}, "cannot grow"),
    ([X, None, _scales(1, 1, 2, 2)], {"coordinates": "tf_crop_and_resize"}, "roi"),
])
def test_wrong_resizes_are_refused(inputs: list, attrs: dict, reason: str) -> None:
    with pytest.raises(SampanError, match=reason):
        evaluate_once("Resize", attrs, inputs, 1)


@given(seed=SEEDS, mode=st.sampled_from(["nearest", "linear", "cubic"]), align=st.booleans(),
       padding=st.sampled_from(["zeros", "border", "reflection"]), channels=st.sampled_from([1, 3, 17]))
def test_grid_sample_matches_onnxruntime(seed: int, mode: str, align: bool, padding: str, channels: int) -> None:
    x = numbers(seed, (2, channels, 5, 6), "float32")
    grid = np.random.default_rng(seed).uniform(-1.4, 1.4, (2, 3, 4, 2)).astype(np.float32)
    attrs = {"mode": mode, "padding_mode": padding, "align_corners": align}
    got = evaluate("GridSample", [x, grid], attrs)
    want = onnx_node("GridSample", [x, grid], attrs | {"align_corners": int(align)})
    if mode == "nearest":
        assert np.mean(got == want) > 0.8  # positions next to the middle may fall to either side
    else:
        assert_near(got, want, 1e-4)
    assert same_bits(to_first(evaluate("GridSample", [to_last(x), grid], attrs | {"layout": "NHWC"})), got)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_grid_sample_survives_any_position(mode: str, padding: str) -> None:
    grid = np.array([np.nan, np.inf, -np.inf, 1e38, -1e38, 1e10, 0, -0.0], np.float32).reshape(1, 2, 2, 2)
    assert evaluate("GridSample", [X, grid], {"mode": mode, "padding_mode": padding}).shape == (1, 4, 2, 2)


@given(seed=SEEDS, mode=st.sampled_from(["avg", "max"]), ratio=st.integers(0, 3), half=st.booleans())
def test_roi_align_matches_onnxruntime(seed: int, mode: str, ratio: int, half: bool) -> None:
    rng = np.random.default_rng(seed)
    x = numbers(seed, (2, 3, 8, 9), "float32")
    corner = rng.uniform(0, 10, (4, 2))
    rois = np.concatenate([corner, corner + rng.uniform(0.5, 9, (4, 2))], 1).astype(np.float32)
    batch = rng.integers(0, 2, 4)
    attrs = {"mode": mode, "output_height": 3, "output_width": 2, "sampling_ratio": ratio, "spatial_scale": 0.75}
    got = evaluate("RoiAlign", [x, rois, batch], attrs | {"half_pixel": half})
    mode_name = "half_pixel" if half else "output_half_pixel"
    want = onnx_node("RoiAlign", [x, rois, batch], attrs | {"coordinate_transformation_mode": mode_name})
    assert_near(got, want, 1e-4)
    last = evaluate("RoiAlign", [to_last(x), rois, batch], attrs | {"half_pixel": half, "layout": "NHWC"})
    assert same_bits(to_first(last), got)


def test_roi_align_refuses_what_lies_outside() -> None:
    rois = np.array([[0, 0, 4, 4]], np.float32)
    with pytest.raises(SampanError, match="batch_indices"):
        evaluate_once("RoiAlign", {}, [X, rois, np.array([1])], 1)
    with pytest.raises(SampanError, match="pixels"):
        evaluate_once("RoiAlign", {}, [X, rois * 1e9, np.array([0])], 1)


@given(seed=SEEDS, boxes=st.integers(0, 30), center=st.booleans(), limit=st.integers(0, 8),
       iou=st.floats(0, 1, width=32), ties=st.booleans())
def test_non_max_suppression_matches_onnxruntime(seed: int, boxes: int, center: bool, limit: int, iou: float,
                                                 ties: bool) -> None:
    rng = np.random.default_rng(seed)
    data = rng.uniform(0, 4, (2, boxes, 4)).astype(np.float32)
    scores = rng.uniform(0, 1, (2, 3, boxes)).astype(np.float32)
    if ties:
        scores = np.round(scores * 8) / 8
    inputs = [data, scores, np.array([limit]), np.array([iou], np.float32), np.array([0.2], np.float32)]
    got = evaluate("NonMaxSuppression", inputs, {"center_point_box": center})
    if boxes:
        want = onnx_node("NonMaxSuppression", inputs, {"center_point_box": int(center)})
        np.testing.assert_array_equal(got, want)


@given(seed=SEEDS, block=st.integers(1, 3), mode=st.sampled_from(["DCR", "CRD"]),
       dtype=st.sampled_from(["float32", "int8", "float16"]))
def test_depth_and_space(seed: int, block: int, mode: str, dtype: str) -> None:
    x = numbers(seed, (2, 3 * block * block, 4, 5), dtype)
    got = evaluate("DepthToSpace", [x], {"block_size": block, "mode": mode})
    if mode == "DCR":
        parts, order = x.reshape(2, block, block, 3, 4, 5), (0, 3, 4, 1, 5, 2)
    else:
        parts, order = x.reshape(2, 3, block, block, 4, 5), (0, 1, 4, 2, 5, 3)
    np.testing.assert_array_equal(got, parts.transpose(order).reshape(2, 3, 4 * block, 5 * block))
    last = evaluate("DepthToSpace", [to_last(x)], {"block_size": block, "mode": mode, "layout": "NHWC"})
    assert same_bits(to_first(last), got)
    if mode == "DCR":
        assert same_bits(evaluate("SpaceToDepth", [got], {"block_size": block}), x)
        back = evaluate("SpaceToDepth", [last], {"block_size": block, "layout": "NHWC"})
        assert same_bits(to_first(back), x)
