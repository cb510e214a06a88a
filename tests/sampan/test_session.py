"""sampan.Session: what goes in, what comes out, and what is refused how."""
from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

import sampan

from . import models

RNG = np.random.default_rng(7)
IMAGE = RNG.standard_normal((2, 3, 5, 7)).astype(np.float32)


@pytest.fixture(scope="module")
def session() -> sampan.Session:
    return sampan.Session(models.affine())


def refused(session: sampan.Session, inputs: object, *parts: str) -> None:
    """Running must raise InvalidArgument with a message that has all the parts."""
    with pytest.raises(sampan.InvalidArgument) as caught:
        session.run(inputs)  # type: ignore[arg-type]
    for part in parts:
        assert part in str(caught.value)


# ---- what a session shows ------------------------------------------------------------------------

def test_inputs_and_outputs(session):
    (x,) = session.inputs
    assert (x.name, x.dtype, x.shape) == ("image", "float32", ("batch", 3, "h", "w"))
    assert [v.name for v in session.outputs] == ["double", "shifted"]
    assert session.metadata == {"labels": "cat,dog"}


def test_repr_is_a_table(session):
    text = repr(session)
    assert "image" in text and "[batch, 3, h, w]" in text and "shifted" in text and session.isa in text


def test_run_and_call(session):
    results = session.run({"image": IMAGE})
    assert list(results) == ["double", "shifted"]
    np.testing.assert_array_equal(results["double"], IMAGE + IMAGE)
    np.testing.assert_array_equal(results["shifted"], IMAGE + IMAGE + 1)
    by_position, by_name = session(IMAGE), session(image=IMAGE)
    np.testing.assert_array_equal(by_position[1], by_name[1])
    single = sampan.Session(models.two_inputs())(IMAGE[0, 0, :, :4], b=IMAGE[0, 1, :, :4])
    np.testing.assert_array_equal(single, IMAGE[0, 0, :, :4] + IMAGE[0, 1, :, :4])


def test_results_are_copies(session):
    first = session.run({"image": IMAGE})["double"]
    kept = first.copy()
    session.run({"image": IMAGE * 3})
    np.testing.assert_array_equal(first, kept)


def test_any_shape_that_fits_the_symbols(session):
    for shape in [(1, 3, 1, 1), (4, 3, 2, 9), (1, 3, 1, 1), (3, 3, 8, 8)]:
        x = RNG.standard_normal(shape).astype(np.float32)
        np.testing.assert_array_equal(session.run({"image": x})["double"], x + x)


def test_equal_shapes_are_planned_once():
    session = sampan.Session(models.affine())
    for _ in range(3):
        session.run({"image": IMAGE})
    assert session.memory().plans == 1
    session.run({"image": IMAGE[:1]})
    assert session.memory().plans == 2


# ---- arrays of every kind ------------------------------------------------------------------------

@pytest.mark.parametrize("change", [
    lambda a: a[:, :, ::-1], lambda a: a.transpose(0, 1, 3, 2), np.asfortranarray, lambda a: a[:, :, ::2, 1::3],
    lambda a: a.astype(">f4"), lambda a: a.astype("<f4"), lambda a: a.tolist(), lambda a: np.broadcast_to(a[:1], a.shape),
    lambda a: a[:0], lambda a: a[:, :, :0],
], ids=["reversed", "transposed", "fortran", "strided", "big_endian", "little_endian", "list", "broadcast", "no_batch",
        "no_rows"])
def test_layouts_are_taken(session, change):
    given = change(IMAGE)
    want = np.asarray(given, np.float32)
    if isinstance(given, list):
        want = IMAGE
    got = session.run({"image": given})["shifted"]
    assert got.dtype == np.float32 and got.dtype.isnative
    np.testing.assert_array_equal(got, want + want + 1)


def test_read_only_and_unaligned_arrays(session):
    frozen = IMAGE.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(session.run({"image": frozen})["double"], IMAGE * 2)
    raw = np.zeros(IMAGE.nbytes + 1, np.uint8)
    unaligned = raw[1:].view(np.float32).reshape(IMAGE.shape)
    unaligned[...] = IMAGE
    np.testing.assert_array_equal(session.run({"image": unaligned})["double"], IMAGE * 2)


def test_inputs_are_left_alone(session):
    x = IMAGE.copy()
    session.run({"image": x})
    np.testing.assert_array_equal(x, IMAGE)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32",
                                   "int64", "uint64"])
def test_element_types(dtype):
    x = np.array([[1, 2, 3], [4, 5, 6]], dtype)
    session = sampan.Session(models.square(dtype))
    got = session.run({"x": x})["y"]
    assert got.dtype == x.dtype
    np.testing.assert_array_equal(got, x * x)
    np.testing.assert_array_equal(session.run({"x": [[1, 2, 3], [4, 5, 6]]})["y"], x * x)


def test_bfloat16_with_and_without_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([[1, 2, 3], [4, 5, 6]], ml_dtypes.bfloat16)
    session = sampan.Session(models.square("bfloat16"))
    np.testing.assert_array_equal(session.run({"x": x})["y"], x * x)
    halves = session.run({"x": x.view(np.uint16)})["y"]
    np.testing.assert_array_equal(halves, x * x)


def test_numbers_of_numpy():
    m = models.Maker()
    x = m.input("x", "float32")
    session = sampan.Session(m.output(m.node("Neg", [x], "y", "float32", ())).bytes())
    for value in (2.0, 2, np.float32(2), np.array(2, np.float32)):
        assert session.run({"x": value})["y"] == -2
    refused(session, {"x": np.float64(2)}, "float64", "float32")


# ---- what is refused -----------------------------------------------------------------------------

def test_wrong_names(session):
    refused(session, {"imgae": IMAGE}, "'imgae'", "did you mean 'image'", "Its inputs: 'image'")
    refused(session, {"Image": IMAGE}, "did you mean 'image'")
    refused(session, {}, "'image' is missing")
    refused(session, {"image": IMAGE, "other": IMAGE}, "'other'")
    refused(session, IMAGE, "dict")
    with pytest.raises(sampan.InvalidArgument, match="given twice"):
        session(IMAGE, image=IMAGE)
    with pytest.raises(sampan.InvalidArgument, match="2 inputs were given"):
        session(IMAGE, IMAGE)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "int64", "uint8", "bool", "complex64"])
def test_wrong_dtypes_say_what_to_do(session, dtype):
    refused(session, {"image": IMAGE.astype(dtype)}, "'image'", "float32", dtype, "astype(np.float32)")


def test_int32_for_int64_is_refused():
    refused(sampan.Session(models.square("int64")), {"x": np.ones((2, 3), np.int32)}, "int64", "int32")


@pytest.mark.parametrize("value", [None, "text", b"bytes", {"a": 1}, object(), [[1, 2], [3]], ["a"], np.array(["a"]),
                                   np.array([object()]), np.zeros(3, "M8[s]")],
                         ids=["none", "str", "bytes", "dict", "object", "ragged", "strings", "str_array", "objects", "dates"])
def test_things_that_are_no_arrays(session, value):
    refused(session, {"image": value}, "'image'")


def test_lists_never_lose_values():
    session = sampan.Session(models.square("int8"))
    refused(session, {"x": [[1.5, 2, 3], [4, 5, 6]]}, "int8")
    refused(session, {"x": [[300, 2, 3], [4, 5, 6]]}, "int8")
    refused(session, {"x": [[True, False, True]] * 2}, "int8")


def test_wrong_shapes(session):
    refused(session, {"image": IMAGE[0]}, "[batch, 3, h, w]", "[3, 5, 7]", "array[None]")
    refused(session, {"image": IMAGE[:, :2]}, "dimension 1 must be 3", "[2, 2, 5, 7]")
    refused(session, {"image": IMAGE[..., None]}, "4 dimensions")
    two = sampan.Session(models.two_inputs())
    refused(two, {"a": np.ones((2, 4), np.float32), "b": np.ones((3, 4), np.float32)}, "'n'", "'b'", "'a'")


def test_a_refused_run_leaves_the_session_usable(session):
    refused(session, {"image": IMAGE[0]})
    np.testing.assert_array_equal(session.run({"image": IMAGE})["double"], IMAGE * 2)


# ---- outputs of the caller -----------------------------------------------------------------------

def test_caller_owned_outputs(session):
    out = np.full(IMAGE.shape, np.nan, np.float32)
    results = session.run({"image": IMAGE}, out={"shifted": out})
    assert results["shifted"] is out and results["double"] is not out
    np.testing.assert_array_equal(out, IMAGE * 2 + 1)
    kept = out.copy()
    session.run({"image": IMAGE * 5})  # without out: the array is not touched any more
    np.testing.assert_array_equal(out, kept)


@pytest.mark.parametrize("out, part", [
    (np.empty((2, 3, 5, 8), np.float32), "shape"), (np.empty(IMAGE.shape, np.float64), "dtype"),
    (np.empty(IMAGE.shape, ">f4"), "dtype"), (np.asfortranarray(IMAGE), "contiguous"), ([1.0], "numpy array"),
], ids=["shape", "dtype", "byte_order", "layout", "list"])
def test_wrong_outputs_are_refused(session, out, part):
    with pytest.raises(sampan.InvalidArgument, match=part):
        session.run({"image": IMAGE}, out={"double": out})


@pytest.mark.parametrize("options", [
    {"isa": 3}, {"max_memory": -1}, {"max_memory": 1 << 70}, {"max_memory": "1G"}, {"max_work": -1},
    {"deadline_seconds": "1"}, {"deadline_seconds": -1.0}, {"deadline_seconds": float("nan")},
], ids=str)
def test_wrong_options_are_refused(options):
    with pytest.raises(sampan.InvalidArgument, match=next(iter(options))):
        sampan.Session(b"", **options)


@pytest.mark.parametrize("out", ["double", 3, [np.zeros(3)]], ids=["str", "int", "list"])
def test_outputs_must_be_given_by_name(session, out):
    with pytest.raises(sampan.InvalidArgument, match="dict"):
        session.run({"image": IMAGE}, out=out)


def test_outputs_must_not_overlap(session):
    out = np.empty(IMAGE.shape, np.float32)
    frozen = out.copy()
    frozen.flags.writeable = False
    x = IMAGE.copy()
    for bad in ({"double": out, "shifted": out}, {"double": x}, {"double": frozen}, {"nothing": out}):
        with pytest.raises(sampan.InvalidArgument):
            session.run({"image": x}, out=bad)


def test_outputs_whose_shape_depends_on_data():
    session = sampan.Session(models.nonzero())
    x = np.array([0, 3, 0, 5, 0], np.float32)
    np.testing.assert_array_equal(session.run({"x": x})["indices"], [[1, 3]])
    np.testing.assert_array_equal(session.run({"x": x * 0})["indices"], np.zeros((1, 0)))
    out = np.zeros((1, 2), np.int64)
    with pytest.raises(sampan.SampanError):
        session.run({"x": np.ones(5, np.float32)}, out={"indices": out})
    with pytest.raises(sampan.SampanError):
        session.run({"x": x * 0}, out={"indices": out})


# ---- looking inside ------------------------------------------------------------------------------

def test_intermediates():
    session = sampan.Session(models.division(), keep_intermediates=True)
    a, b = np.array([1, 2], np.float32), np.array([4, 5], np.float32)
    session.run({"a": a, "b": b})
    np.testing.assert_array_equal(session.intermediates()["q"], a / b)
    plain = sampan.Session(models.division())
    with pytest.raises(sampan.InvalidArgument, match="keep_intermediates"):
        plain.intermediates()
    found = plain.run({"a": a, "b": b}, intermediates=True)
    np.testing.assert_array_equal(found["q"], a / b)
    np.testing.assert_array_equal(found["negated"], -(a / b))


def test_kept_views_of_an_input_outlive_the_callers_array():
    m = models.Maker()
    x = m.input("x", "float32", "n", 4)
    shape = m.constant("shape", np.array([-1], np.int64))
    flat = m.node("Reshape", [x, shape], "flat", "float32", ("4*n",))
    session = sampan.Session(m.output(m.node("Neg", [flat], "y", "float32", ("4*n",))).bytes(), keep_intermediates=True)
    session.run({"x": np.arange(40_000, dtype=np.float32).reshape(-1, 4)})
    junk = [np.full(40_000, np.nan, np.float32) for _ in range(4)]  # takes the freed memory, if it was freed
    np.testing.assert_array_equal(session.intermediates()["flat"], np.arange(40_000))
    del junk


def test_tensors_lists_the_file():
    infos = {t.name: t for t in sampan.Session(models.division()).tensors()}
    assert infos["a"].kind == "input" and infos["q"].node == "Div_q" and infos["q"].shape == ("n",)


def test_nan_watch_names_the_node():
    session = sampan.Session(models.division(), nan_watch=True)
    a = np.array([1, 0], np.float32)
    session.run({"a": a, "b": a + 1})
    with pytest.raises(sampan.DataError) as caught:
        session.run({"a": a, "b": a * 0})
    assert "Div_q" in str(caught.value) or "source_q" in str(caught.value)
    assert caught.value.node


def test_profile():
    session = sampan.Session(models.affine(), profile=True)
    session.run({"image": IMAGE})
    profile = session.profile()
    assert [e.op for e in profile.entries] == ["Add", "Add"]
    assert profile.total_ns == sum(e.duration_ns for e in profile.entries)
    (row, *rest) = profile.by_operator()
    assert row.op == "Add" and row.count + sum(r.count for r in rest) == 2
    assert abs(sum(r.share for r in profile.by_operator()) - 1) < 1e-9
    events = profile.chrome_trace()["traceEvents"]
    assert sum(e["ph"] == "X" for e in events) == 2
    with pytest.raises(sampan.InvalidArgument, match="profile=True"):
        sampan.Session(models.affine()).profile()


def test_memory_is_within_its_bounds(session):
    session.run({"image": IMAGE})
    memory = session.memory()
    assert memory.lower_bound_bytes <= memory.arena_bytes


# ---- options, models, threads --------------------------------------------------------------------

def test_same_bits_on_every_instruction_set():
    from sampan.lite_runtime import isa_names

    assert "portable" in isa_names()
    results = [sampan.Session(models.affine(), isa=isa, threads=threads).run({"image": IMAGE})["shifted"]
               for isa in isa_names() for threads in (1, 2)]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": -1}, {"threads": 1.5}, {"threads": True}, {"threads": 10**6},
                                     {"isa": "sse9"}, {"check": "some"}])
def test_wrong_options(options):
    with pytest.raises(sampan.InvalidArgument):
        sampan.Session(models.affine(), **options)


def test_limits():
    with pytest.raises(sampan.LimitExceeded):
        sampan.Session(models.affine(), max_memory=64).run({"image": np.ones((1, 3, 64, 64), np.float32)})


def test_bad_models(tmp_path):
    data = models.affine()
    (tmp_path / "cut.spn").write_bytes(data[:-1])
    (tmp_path / "text.spn").write_text("hello")
    for source in (tmp_path / "cut.spn", tmp_path / "text.spn", b"", data[:100]):
        with pytest.raises(sampan.BadModel):
            sampan.Session(source)
    with pytest.raises(sampan.IoError, match=r"nothing\.spn"):
        sampan.Session(tmp_path / "nothing.spn")
    with pytest.raises(OSError):
        sampan.Session(str(tmp_path))
    with pytest.raises(sampan.InvalidArgument):
        sampan.Session(17)  # type: ignore[arg-type]


def test_sources_of_a_model(tmp_path):
    data = models.affine()
    path = tmp_path / "ä model.spn"
    path.write_bytes(data)
    model = sampan.load_model(path, check="full")
    for source in (path, str(path), data, bytearray(data), memoryview(data), model):
        np.testing.assert_array_equal(sampan.Session(source).run({"image": IMAGE})["double"], IMAGE * 2)
    np.testing.assert_array_equal(sampan.Session(path, mapped=False).run({"image": IMAGE})["double"], IMAGE * 2)


def test_sessions_of_one_model_run_in_parallel():
    model = sampan.load_model(models.affine())
    wrong: list[object] = []

    def work(seed: int) -> None:
        session = sampan.Session(model, threads=1 + seed % 2)
        rng = np.random.default_rng(seed)
        for _ in range(30):
            x = rng.standard_normal((1, 3, 1 + rng.integers(20), 9)).astype(np.float32)
            if not np.array_equal(session.run({"image": x})["double"], x + x):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_one_session_in_two_threads_is_an_error_or_right():
    session = sampan.Session(models.affine())
    x = np.ones((8, 3, 128, 128), np.float32)
    faults: list[BaseException] = []

    def work() -> None:
        for _ in range(20):
            try:
                assert float(session.run({"image": x})["double"].max()) == 2
            except sampan.Busy:
                pass
            except BaseException as error:
                faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not faults


def test_importing_sampan_imports_little():
    code = ("import sys; import numpy; before = set(sys.modules); import sampan; "
            "print(sorted(m for m in set(sys.modules) - before if not m.startswith('sampan')))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    extra = eval(done.stdout)
    assert not [m for m in extra if m.split(".")[0] in ("onnx", "click", "rich", "google", "ml_dtypes", "onnxruntime")]
    assert len(extra) < 20, extra


def test_every_public_name_is_there():
    for name in sampan.__all__:
        assert getattr(sampan, name) is not None
    with pytest.raises(AttributeError):
        sampan.nothing  # noqa: B018
