"""sampan.lite_runtime: definitions, shape rules, evaluation and files as the host tools use them."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampan import lite_runtime as lr

from . import models

ALL = list(lr.operators().values())


def test_operators_are_sorted_and_documented():
    names = [info.name for info in ALL]
    assert names == sorted(names) and len(names) >= 90
    for info in ALL:
        assert info.doc.strip(), info.name
        assert info.outputs and info.version >= 1, info.name
        for attr in info.attrs:
            assert attr.type != "enum" or attr.default in attr.choices, (info.name, attr.name)
            if attr.type == "int" and attr.min is not None:
                assert attr.min <= attr.default, (info.name, attr.name)


def test_defaults_are_accepted_and_survive_a_file():
    for info in ALL:
        from sampan.lite_runtime.operators import decode_attrs, native_attrs

        decoded = decode_attrs(info.name, native_attrs(info.name, {}))
        assert {k: list(v) if isinstance(v, tuple) else v for k, v in decoded.items()} == {
            a.name: list(a.default) if isinstance(a.default, tuple) else a.default for a in info.attrs}


@pytest.mark.parametrize("attrs, parts", [
    ({"stride": [1, 1]}, ["'stride'", "strides"]), ({"strides": 3}, ["'strides'", "list"]),
    ({"strides": [0, 1]}, ["'strides'"]), ({"group": 1.5}, ["'group'", "integer"]), ({"group": "1"}, ["'group'"]),
    ({"layout": "HWC"}, ["'layout'", "NCHW, NHWC"]), ({"act_alpha": "x"}, ["'act_alpha'"]),
])
def test_wrong_attributes_name_operator_attribute_and_choices(attrs, parts):
    with pytest.raises(lr.InvalidArgument) as caught:
        lr.infer("Conv", attrs, [])
    assert isinstance(caught.value, ValueError) and "Conv" in str(caught.value)
    for part in parts:
        assert part in str(caught.value)


def test_unknown_operators_suggest_a_near_one():
    with pytest.raises(lr.InvalidArgument, match="did you mean Conv"):
        lr.infer("Convv", {}, [])


def spec(shape, dtype="float32", **more):
    return lr.TensorSpec(dtype, shape, **more)


def test_symbols_go_through_shape_rules():
    (out,) = lr.infer("Conv", {"strides": [2, 2], "pads": [1, 1, 1, 1]},
                      [spec(("n", 3, "h", 32)), spec((8, 3, 3, 3))])
    assert out.dtype == "float32" and out.shape[:2] == ("n", 8) and out.shape[3] == 16
    assert lr.evaluate_dim(out.shape[2], {"h": 33}) == 17


def test_shape_arithmetic_is_followed():
    (shape,) = lr.infer("Shape", {}, [spec(("n", 3, "h"))])
    assert shape.dtype == "int64" and shape.values == ("n", 3, "h")
    (out,) = lr.infer("Reshape", {}, [spec(("n", 3, "h")), spec((2,), "int64", values=("n", -1))])
    assert out.shape == ("n", "3*h")
    (out,) = lr.infer("Reshape", {}, [spec((2, 6)), spec((2,), "int64", data=np.array([4, -1]))])
    assert out.shape == (4, 3)


def test_what_is_not_known_is_said_so():
    (out,) = lr.infer("Neg", {}, [spec(None)])
    assert out.dtype == "float32" and out.shape is None
    (out,) = lr.infer("Conv", {}, [spec(None), spec((8, 3, 3, 3))])
    assert out.dtype == "float32" and out.shape is None
    (out,) = lr.infer("Cast", {"to": "int32"}, [spec(None)])
    assert out.dtype == "int32"
    (out,) = lr.infer("Reshape", {}, [spec((2, 6)), spec(("k",), "int64")])
    assert out.dtype == "float32" and out.shape is None


def test_refused_inputs():
    image, weights = spec((1, 3, 8, 8)), spec((8, 3, 3, 3))
    for inputs in ([image], [image, spec((8, 4, 3, 3))], [spec((1, 3, 8, 8), "int32"), weights]):
        with pytest.raises(lr.SampanError, match="Conv"):
            lr.infer("Conv", {}, inputs)


@pytest.mark.parametrize("text, canonical", [("h + 1 - 1", "h"), ("2*3 + 1", 7), ("h*2 + h", "3*h"), ("(4*h)//4", "h"), (5, 5)])
def test_simplify(text, canonical):
    assert lr.simplify_dim(text) == canonical


@settings(max_examples=200, deadline=None)
@given(st.recursive(st.one_of(st.integers(0, 9).map(str), st.sampled_from(["a", "b", "c"])),
                    lambda inner: st.one_of(
                        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
                        st.tuples(inner, st.integers(1, 7)).map(lambda t: f"({t[0]})//{t[1]}"),
                        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})")),
                    max_leaves=6),
       st.integers(1, 50), st.integers(1, 50), st.integers(1, 50))
def test_expressions_have_the_value_python_gives_them(text, a, b, c):
    values = {"a": a, "b": b, "c": c}
    simple = lr.simplify_dim(text)
    if "?" in str(simple):
        return  # grown beyond the limits: nothing is claimed
    want = eval(text, {"min": min, "max": max}, values)
    assert lr.evaluate_dim(simple, values) == want
    assert lr.evaluate_dim(text, values) == want
    assert lr.simplify_dim(simple) == simple


@pytest.mark.parametrize("text", ["", "h +", "1 2", "h//0", "foo(1)", "9" * 30, "h;", "(" * 500 + "h" + ")" * 500])
def test_wrong_expressions_are_errors(text):
    with pytest.raises(lr.SampanError):
        lr.simplify_dim(text)


def test_missing_symbols_are_named():
    with pytest.raises(lr.SampanError, match="w"):
        lr.evaluate_dim("h + w", {"h": 1})


def test_evaluate():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    for isa in lr.isa_names():
        np.testing.assert_array_equal(lr.evaluate("Add", {}, [a, a[:1]], isa=isa)[0], a + a[:1])
    np.testing.assert_array_equal(lr.evaluate("Clip", {"min": 1.0, "max": 3.0}, [a])[0] if "min" in [
        x.name for x in lr.operator("Clip").attrs] else np.clip(a, 1, 3), np.clip(a, 1, 3))
    values, indices = lr.evaluate("TopK", {}, [a, np.array([2])], 2)
    np.testing.assert_array_equal(values, a[:, :0:-1])
    assert indices.dtype == np.int64
    np.testing.assert_array_equal(lr.evaluate("NonZero", {}, [a])[0], np.array(np.nonzero(a)))
    with pytest.raises(lr.SampanError):
        lr.evaluate("Gather", {}, [a, np.array([7])])


def test_packed_constants_hold_the_panels():
    rng = np.random.default_rng(0)
    w = rng.standard_normal((20, 2, 2, 3)).astype(np.float32)
    packed = lr.pack_constant("Conv", {"layout": "NHWC"}, 1, w)
    assert packed is not None and (packed.groups, packed.k, packed.n) == (1, 12, 20) and packed.shape == w.shape
    panels = packed.data.reshape(2, 12, 16)
    matrix = w.reshape(20, 12).T  # k order: kh, kw, ic
    np.testing.assert_array_equal(panels[0], matrix[:, :16])
    np.testing.assert_array_equal(panels[1][:, :4], matrix[:, 16:])
    assert not panels[1][:, 4:].any()
    assert lr.pack_constant("Conv", {}, 0, w) is None
    assert lr.pack_constant("Add", {}, 1, w) is None
    assert lr.pack_constant("Conv", {}, 1, w.astype(np.float64)) is None


def test_hash64_is_xxh64():
    assert lr.hash64(b"") == 0xEF46DB3751D8E999
    assert lr.hash64(b"abc") == 0x44BC2CF5AD770999
    a = np.arange(100, dtype=np.float32)
    assert lr.hash64(a) == lr.hash64(a.tobytes())
    with pytest.raises(ValueError):
        lr.hash64(a[::2])


def test_files_come_back_as_written(tmp_path):
    path = tmp_path / "m.spn"
    path.write_bytes(models.affine())
    for source in (path, path.read_bytes()):
        content = lr.read_model(source, data=True)
        graph = content["graphs"][0]
        assert [n["op"] for n in graph["nodes"]] == ["Add", "Add"] and graph["nodes"][0]["sources"] == ["source_double"]
        by_name = {t["name"]: t for t in graph["tensors"]}
        assert by_name["image"]["shape"] == ("batch", 3, "h", "w") and by_name["one"]["kind"] == "constant"
        np.testing.assert_array_equal(by_name["one"]["data"], [1])
        assert by_name["one"]["offset"] % 64 == 0
        assert content["metadata"] == {"labels": "cat,dog"} and content["format_version"] == lr.FORMAT_VERSION
        assert content["sizes"]["file"] == path.stat().st_size


def test_the_same_model_gives_the_same_bytes():
    assert models.affine() == models.affine()


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "m.spn"
    path.write_bytes(b"old")
    with pytest.raises((lr.SampanError, ValueError)):
        lr.write_model({"graphs": [{"tensors": [{"name": "x", "dtype": "nonsense"}], "nodes": []}]}, path)
    assert path.read_bytes() == b"old"
    with pytest.raises((lr.SampanError, OSError)):
        lr.write_model({"graphs": []}, tmp_path / "no" / "such" / "folder.spn")


@pytest.mark.parametrize("change", [
    lambda g: g["nodes"][0].update(inputs=[0, 99]), lambda g: g["nodes"][0].update(inputs=[0]),
    lambda g: g["nodes"].reverse(), lambda g: g.update(outputs=[77]), lambda g: g.update(inputs=[]),
    lambda g: g["nodes"][0].update(outputs=[0]), lambda g: g["tensors"][0].update(dims=[1] * 9, symbols=[]),
    lambda g: g["tensors"][0].update(dims=[-5, 3, 2, 2], symbols=[]),
], ids=["far_input", "missing_input", "order", "far_output", "no_inputs", "writes_input", "rank9", "negative"])
def test_inconsistent_models_are_refused(change):
    captured = {}
    original = lr.write_model

    def capture(spec, path=None):
        captured.update(spec)
        return original(spec, path)

    lr.write_model = capture
    try:
        models.affine()
    finally:
        lr.write_model = original
    change(captured["graphs"][0])
    with pytest.raises(lr.BadModel):
        lr.NativeSession(lr.load_model(lr.write_model(captured))).run([np.ones((1, 3, 2, 2), np.float32)])
