"""Shape rules with symbols, the elements of shape arithmetic, and sizes that come at run time."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampan.lite_runtime import InvalidArgument, TensorSpec, evaluate_dim, infer

from . import strategies  # noqa: F401  the hypothesis profile


def f32(*shape: Any) -> TensorSpec:
    return TensorSpec("float32", shape)


def list_of(*values: Any, dtype: str = "int64") -> TensorSpec:
    return TensorSpec(dtype, (len(values),), values=values)


def unknown(n: int) -> TensorSpec:
    """A list of n numbers that come at run time."""
    return TensorSpec("int64", (n,))


def shape_of(op: str, inputs: Sequence[TensorSpec | None], **attrs: Any) -> tuple:
    return infer(op, attrs, inputs)[0].shape


def elements_of(op: str, inputs: Sequence[TensorSpec | None], **attrs: Any) -> tuple | None:
    return infer(op, attrs, inputs)[0].values


@pytest.mark.parametrize(("x", "shape", "want"), [
    (("b", 3, "h", "w"), ("b", -1), ("b", "3*h*w")),
    (("b", 3, "h", "w"), (0, 0, -1), ("b", 3, "h*w")),
    (("b", "t", 768), (0, 0, 12, 64), ("b", "t", 12, 64)),
    (("b", "t", 768), ("b", "t", 12, -1), ("b", "t", 12, 64)),
    (("b", "c", 1, "w"), (-1, "w"), ("b*c", "w")),
    ((0, 3, 4), (0, -1), (0, 12)),
    (("n", 5), (-1, 5), ("n", 5)),
    (("2*n", 6), ("n", -1), ("n", 12)),
])
def test_reshape(x: tuple, shape: tuple, want: tuple) -> None:
    assert shape_of("Reshape", [f32(*x), list_of(*shape)]) == want


def test_chains_fold_to_symbols() -> None:
    """Shape -> Gather -> arithmetic -> Concat -> Reshape, as exporters write it."""
    x = f32("batch", 64, "h", "w")
    dims = infer("Shape", {}, [x])[0]
    assert dims.values == ("batch", 64, "h", "w")
    full = TensorSpec("int64", (4,), values=dims.values)
    batch = infer("Gather", {"axis": 0}, [full, TensorSpec("int64", (), data=np.array(0))])[0]
    assert batch.shape == () and batch.values == ("batch",)
    tail = infer("Slice", {}, [full, list_of(2), list_of(2**63 - 1), list_of(0), None])[0]
    assert tail.values == ("h", "w")
    area = infer("ReduceProd", {"axes": [0]}, [TensorSpec("int64", (2,), values=tail.values)])[0]
    assert area.values == ("h*w",)
    one = infer("Unsqueeze", {"axes": [0]}, [TensorSpec("int64", (), values=batch.values)])[0]
    target = infer("Concat", {"axis": 0}, [TensorSpec("int64", (1,), values=one.values), list_of(64),
                                           TensorSpec("int64", (1,), values=area.values)])[0]
    assert target.values == ("batch", 64, "h*w")
    assert shape_of("Reshape", [x, TensorSpec("int64", (3,), values=target.values)]) == ("batch", 64, "h*w")


@pytest.mark.parametrize(("op", "a", "b", "want"), [
    ("Add", ("h",), (1,), "h + 1"), ("Sub", ("h",), (1,), "h - 1"), ("Mul", ("h",), (2,), "2*h"),
    ("Div", ("h",), (2,), "h//2"), ("Div", (7,), (-2,), -3), ("Add", (2**62,), (5,), 2**62 + 5),
    ("Min", ("h",), ("h",), "h"), ("Max", (3,), (8,), 8),
])
def test_arithmetic_on_elements(op: str, a: tuple, b: tuple, want: Any) -> None:
    assert elements_of(op, [list_of(*a), list_of(*b)]) == (want,)


def test_elements_that_would_overflow_are_not_known() -> None:
    assert elements_of("Add", [list_of(2**63 - 1), list_of(1)]) is None
    assert elements_of("Mul", [list_of(2**62), list_of(4)]) is None
    assert elements_of("Div", [list_of(-(2**63)), list_of(-1)]) is None
    assert elements_of("Div", [list_of(1), list_of(0)]) is None
    assert elements_of("Neg", [list_of(-(2**63))]) is None
    assert elements_of("Add", [list_of(2**31 - 1, dtype="int32"), list_of(1, dtype="int32")]) is None


def test_choices_on_elements() -> None:
    equal = infer("Equal", {}, [list_of("h", 3, 0), list_of("h", 4, 0)])[0]
    assert equal.dtype == "bool" and equal.values == (1, 0, 1)
    assert elements_of("Equal", [list_of("h"), list_of("w")]) is None
    chosen = elements_of("Where", [TensorSpec("bool", (2,), values=(1, 0)), list_of("a", "b"), list_of("c", "d")])
    assert chosen == ("a", "d")
    assert elements_of("Expand", [list_of("h"), list_of(3)]) == ("h", "h", "h")
    assert elements_of("Tile", [list_of("h", 2), list_of(2)]) == ("h", 2, "h", 2)
    assert elements_of("Cast", [list_of("h", -1)], to="int32") == ("h", -1)
    assert elements_of("Range", [TensorSpec("int64", (), values=(v,)) for v in (2, 11, 3)]) == (2, 5, 8)
    assert shape_of("Range", [TensorSpec("int64", (), values=(v,)) for v in (0, "n", 1)]) == ("n",)
    split = infer("Split", {"axis": 0}, [list_of("a", "b", "c"), list_of(1, 2)], 2)
    assert [s.values for s in split] == [("a",), ("b", "c")]
    assert elements_of("ConstantOfShape", [list_of(2), list_of(7)]) == (7, 7)
    assert elements_of("Slice", [list_of("a", "b", "c"), list_of(-1), list_of(-(2**63)), list_of(0), list_of(-2)]) == (
        "c", "a")


@pytest.mark.parametrize(("start", "end", "step", "want"), [
    (0, 2**63 - 1, 1, "h"), (1, 2**63 - 1, 1, "h - 1"), (0, -1, 1, "h - 1"), (0, 2**63 - 1, 2, "(h + 1)//2"),
    (-1, -(2**63), -1, "h"), (0, "h", 1, "h"), (0, 1, 1, 1), (-1, 2**63 - 1, 1, 1), (5, 5, 1, 0),
])
def test_slice(start: Any, end: Any, step: int, want: Any) -> None:
    got = shape_of("Slice", [f32("h", 4), list_of(start), list_of(end), list_of(0), list_of(step)])
    assert got == (want, 4)


@given(h=st.integers(1, 40), start=st.integers(-50, 50), end=st.integers(-50, 50),
       step=st.integers(-5, 5).filter(bool))
def test_symbolic_slices_agree_with_numbers(h: int, start: int, end: int, step: int) -> None:
    operands = [list_of(start), list_of(end), list_of(0), list_of(step)]
    symbolic = shape_of("Slice", [f32("h"), *operands])[0]
    assert evaluate_dim(symbolic, {"h": h}) == shape_of("Slice", [f32(h), *operands])[0]


def test_broadcast() -> None:
    assert shape_of("Add", [f32("b", 1, "w"), f32(3, 1)]) == ("b", 3, "w")
    assert shape_of("Add", [f32("b", 8), f32("b", 1)]) == ("b", 8)
    assert shape_of("Where", [TensorSpec("bool", ("h", 1)), f32(1, "w"), f32()]) == ("h", "w")
    # One of two names may be 1: the larger is right whenever they fit at all.
    either = shape_of("Add", [f32("a"), f32("b")])[0]
    assert evaluate_dim(either, {"a": 1, "b": 7}) == 7
    with pytest.raises(InvalidArgument, match="do not broadcast"):
        shape_of("Add", [f32("b", 3), f32("b", 4)])


def test_other_shapes() -> None:
    assert shape_of("Concat", [f32("a", 4), f32("b", 4), f32(3, 4)], axis=0) == ("a + b + 3", 4)
    assert shape_of("Pad", [f32("h", "w"), list_of(1, 0, 1, -2)]) == ("h + 2", "w - 2")
    assert shape_of("Tile", [f32("h", 3), list_of(2, "k")]) == ("2*h", "3*k")
    assert shape_of("ReduceMean", [f32("b", "h", "w")], axes=[1, 2], keepdims=False) == ("b",)
    assert shape_of("Gather", [f32(100, 64), TensorSpec("int64", ("b", "t"))], axis=0) == ("b", "t", 64)
    assert shape_of("TopK", [f32("b", "n"), list_of(5)]) == ("b", 5)
    assert shape_of("OneHot", [TensorSpec("int64", ("b",)), list_of("k"), f32(2)]) == ("b", "k")


@pytest.mark.parametrize(("op", "inputs", "attrs", "rank"), [
    ("Reshape", [f32("h", 4), unknown(3)], {}, 3),
    ("Expand", [f32("h", 4), unknown(3)], {}, 3),
    ("Tile", [f32("h", 4), unknown(2)], {}, 2),
    ("Pad", [f32("h", 4), unknown(4)], {}, 2),
    ("Slice", [f32("h", 4), unknown(1), unknown(1)], {}, 2),
    ("ConstantOfShape", [unknown(4), f32(1)], {}, 4),
    ("TopK", [f32("h", 4), unknown(1)], {}, 2),
    ("NonZero", [f32("h", 4)], {}, 2),
    ("Compress", [f32("h", 4), TensorSpec("bool", ("h",))], {}, 2),
    ("Unsqueeze", [f32("h", 4), unknown(1)], {}, 3),
    ("Squeeze", [f32("h", 1), unknown(1)], {}, 1),
    ("ReduceSum", [f32("h", 4), unknown(1)], {}, 2),
    ("Range", [TensorSpec("int64", ())] * 3, {}, 1),
    ("OneHot", [TensorSpec("int64", ("h",)), TensorSpec("int64", ()), f32(2)], {}, 2),
])
def test_the_rank_is_known_where_sizes_come_at_run_time(op: str, inputs: list, attrs: dict, rank: int) -> None:
    result = infer(op, attrs, inputs)[0]
    assert result.shape is not None and len(result.shape) == rank and result.dtype is not None


def test_axes_that_are_not_cut_keep_their_size() -> None:
    got = shape_of("Slice", [f32("h", 4, "w"), unknown(1), unknown(1), list_of(1)])
    assert got[0] == "h" and got[2] == "w" and "?" in str(got[1])
