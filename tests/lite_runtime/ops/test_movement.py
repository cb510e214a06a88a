"""Operators that move data, against numpy."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampan import lite_runtime
from sampan.lite_runtime import DataError, InvalidArgument

from .strategies import ALL, NUMBERS, evaluate, numbers, same_bits, shapes

SEEDS = st.integers(0, 2**32 - 1)
TYPES = st.sampled_from(ALL)


def ints(values, dtype: str = "int64") -> np.ndarray:
    return np.asarray(values, dtype).reshape(-1)


@given(shape=shapes(max_rank=6), dtype=TYPES, seed=SEEDS, data=st.data())
def test_transpose(shape, dtype, seed, data) -> None:
    x = numbers(seed, shape, dtype)
    perm = data.draw(st.permutations(range(len(shape))))
    assert same_bits(evaluate("Transpose", [x], {"perm": perm}), x.transpose(perm))
    assert same_bits(evaluate("Transpose", [x]), x.T)


@given(rows=st.integers(1, 300), columns=st.integers(1, 300), batch=st.integers(1, 3), seed=SEEDS,
       dtype=st.sampled_from(["float32", "int8", "float16", "int64"]))
def test_transpose_of_large_planes(rows, columns, batch, seed, dtype) -> None:
    x = numbers(seed, (batch, rows, columns), dtype)
    assert same_bits(evaluate("Transpose", [x], {"perm": [0, 2, 1]}), x.transpose(0, 2, 1))
    assert same_bits(evaluate("Transpose", [x], {"perm": [2, 0, 1]}), x.transpose(2, 0, 1))


@given(shape=shapes(min_rank=1), count=st.integers(1, 4), dtype=TYPES, seed=SEEDS, data=st.data())
def test_concat_and_split(shape, count, dtype, seed, data) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    sizes = [data.draw(st.integers(0, 5)) for _ in range(count)]
    parts = []
    for i, size in enumerate(sizes):
        part = list(shape)
        part[axis] = size
        parts.append(numbers(seed + i, part, dtype))
    want = np.concatenate(parts, axis)
    assert same_bits(evaluate("Concat", parts, {"axis": axis}), want)
    back = evaluate("Split", [want, ints(sizes)], {"axis": axis}, num_outputs=count)
    for a, b in zip([back] if count == 1 else back, parts):
        assert same_bits(a, b)


@given(length=st.integers(0, 30), parts=st.integers(1, 6))
def test_split_without_sizes(length, parts) -> None:
    size = -(-length // parts)
    x = np.arange(length, dtype=np.float32)
    if (parts - 1) * size > length:
        with pytest.raises(InvalidArgument, match="cannot be cut"):
            evaluate("Split", [x], num_outputs=parts)
        return
    got = evaluate("Split", [x], num_outputs=parts)
    got = [got] if parts == 1 else got
    assert [len(p) for p in got] == [size] * (parts - 1) + [length - size * (parts - 1)]
    assert same_bits(np.concatenate(got), x)


POSITIONS = st.one_of(st.integers(-8, 8), st.sampled_from([2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 1000, -1000]))
STEPS = st.one_of(st.integers(-4, 4), st.sampled_from([2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]))


@given(shape=shapes(max_rank=4, max_elements=500), dtype=TYPES, seed=SEEDS, data=st.data())
def test_slice(shape, dtype, seed, data) -> None:
    x = numbers(seed, shape, dtype)
    axes = data.draw(st.lists(st.integers(0, max(len(shape) - 1, 0)), unique=True, max_size=len(shape)))
    starts, ends = ([data.draw(POSITIONS) for _ in axes] for _ in range(2))
    steps = [data.draw(STEPS) or 1 for _ in axes]
    index = [slice(None)] * len(shape)
    for a, start, end, step in zip(axes, starts, ends, steps):
        # Going down, ONNX clamps a start before the axis to its first element, where Python gives nothing.
        if step < 0 and start < -shape[a] and shape[a]:
            start = 0
        index[a] = slice(start, end, step)
    named = [a - len(shape) if data.draw(st.booleans()) else a for a in axes]
    got = evaluate("Slice", [x, ints(starts), ints(ends), ints(named), ints(steps)])
    assert same_bits(got, x[tuple(index)])


@given(shape=shapes(), dtype=TYPES, seed=SEEDS, data=st.data())
def test_expand_and_tile(shape, dtype, seed, data) -> None:
    x = numbers(seed, [1 if data.draw(st.booleans()) else d for d in shape], dtype)
    lead = data.draw(st.lists(st.integers(0, 3), max_size=2))
    target = [*lead, *shape]
    asked = [1 if d == s else d for d, s in zip(target[len(lead):], x.shape)]
    assert same_bits(evaluate("Expand", [x, ints([*lead, *asked])]), np.broadcast_to(x, [*lead, *np.maximum(
        0, [s if a == 1 else a for a, s in zip(asked, x.shape)])]))
    repeats = [data.draw(st.integers(0, 3)) for _ in x.shape]
    assert same_bits(evaluate("Tile", [x, ints(repeats)]), np.tile(x, repeats) if x.ndim else x)


def _pad_index(before: int, after: int, size: int, mode: str) -> np.ndarray:
    """Source positions along an axis, -1 for the constant; negative pads crop first."""
    kept = np.arange(size)[max(-before, 0):size - max(-after, 0)]
    before, after = max(before, 0), max(after, 0)
    if mode == "constant":
        return np.concatenate([np.full(before, -1), kept, np.full(after, -1)]).astype(int)
    return np.pad(kept, (before, after), mode={"reflect": "reflect", "edge": "edge", "wrap": "wrap"}[mode])


@given(shape=shapes(max_rank=4, max_elements=300), dtype=TYPES, seed=SEEDS, data=st.data(),
       mode=st.sampled_from(["constant", "reflect", "edge", "wrap"]))
def test_pad(shape, dtype, seed, data, mode) -> None:
    x = numbers(seed, shape, dtype)
    least = 0 if mode == "constant" else 1
    pads = []
    for d in shape:
        before = data.draw(st.integers(-min(d, 3), 5))
        after = data.draw(st.integers(-min(max(d + min(before, 0) - least, 0), 3), 5))
        pads.append((before, after) if d + min(before, 0) + min(after, 0) >= least else (0, 0))
    value = numbers(seed + 1, (), dtype)
    operands = [x, ints([p[0] for p in pads] + [p[1] for p in pads]), value]
    if mode != "constant" and 0 in shape:
        return
    want = x
    for axis, (before, after) in enumerate(pads):
        index = _pad_index(before, after, shape[axis], mode)
        fill = np.moveaxis(np.take(want, np.maximum(index, 0), axis=axis), axis, 0) if shape[axis] else np.zeros(
            (len(index), *np.moveaxis(want, axis, 0).shape[1:]), x.dtype)
        fill = fill.copy()
        fill[index < 0] = value
        want = np.moveaxis(fill, 0, axis)
    assert same_bits(evaluate("Pad", operands, {"mode": mode}), want)


@given(shape=shapes(min_rank=1), at=shapes(max_rank=3, max_elements=60), dtype=TYPES, seed=SEEDS, data=st.data(),
       kind=st.sampled_from(["int32", "int64"]))
def test_gather(shape, at, dtype, seed, data, kind) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    n = shape[axis]
    if n == 0:
        return
    x, indices = numbers(seed, shape, dtype), numbers(seed + 1, at, kind, low=-n, high=n - 1)
    assert same_bits(evaluate("Gather", [x, indices], {"axis": axis}), np.take(x, indices, axis, mode="wrap"))


@given(shape=shapes(min_rank=1, max_elements=300), dtype=TYPES, seed=SEEDS, data=st.data())
def test_gather_elements(shape, dtype, seed, data) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    if shape[axis] == 0:
        return
    at = [data.draw(st.integers(0, d)) for d in shape]
    at[axis] = data.draw(st.integers(0, 6))
    x = numbers(seed, shape, dtype)
    indices = numbers(seed + 1, at, "int64", low=-shape[axis], high=shape[axis] - 1)
    part = x[tuple(slice(None) if a == axis else slice(0, n) for a, n in enumerate(at))]
    want = np.take_along_axis(part, indices % shape[axis], axis)
    assert same_bits(evaluate("GatherElements", [x, indices], {"axis": axis}), want)


@given(shape=shapes(min_rank=1, max_elements=300), dtype=TYPES, seed=SEEDS, data=st.data())
def test_gather_nd(shape, dtype, seed, data) -> None:
    if 0 in shape:
        return
    batch = data.draw(st.integers(0, len(shape) - 1))
    depth = data.draw(st.integers(1, len(shape) - batch))
    rows = data.draw(st.lists(st.integers(0, 3), max_size=2))
    x = numbers(seed, shape, dtype)
    indices = np.stack([numbers(seed + k, (*shape[:batch], *rows), "int64", low=-shape[batch + k],
                                high=shape[batch + k] - 1) for k in range(depth)], -1)
    want = np.empty((*shape[:batch], *rows, *shape[batch + depth:]), x.dtype)
    for at in np.ndindex(*shape[:batch], *rows):
        want[at] = x[(*at[:batch], *indices[at])]
    assert same_bits(evaluate("GatherND", [x, indices], {"batch_dims": batch}), want)


REDUCTIONS = {"none": lambda a, b: b, "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "min": np.minimum,
              "max": np.maximum}


@given(shape=shapes(min_rank=1, max_elements=200), dtype=st.sampled_from(["float32", "float64", "int32", "uint8"]),
       seed=SEEDS, data=st.data(), reduction=st.sampled_from(sorted(REDUCTIONS)))
def test_scatter(shape, dtype, seed, data, reduction) -> None:
    if 0 in shape:
        return
    x = numbers(seed, shape, dtype)
    combine = REDUCTIONS[reduction]
    axis = data.draw(st.integers(0, len(shape) - 1))
    at = [data.draw(st.integers(0, d)) for d in shape]
    at[axis] = data.draw(st.integers(0, 5))
    indices = numbers(seed + 1, at, "int64", low=-shape[axis], high=shape[axis] - 1)
    updates = numbers(seed + 2, at, dtype)
    want = x.copy()
    with np.errstate(all="ignore"):
        for where in np.ndindex(*at):
            target = (*where[:axis], indices[where], *where[axis + 1:])
            want[target] = combine(want[target], updates[where])
    got = evaluate("ScatterElements", [x, indices, updates], {"axis": axis, "reduction": reduction})
    assert same_bits(got, want)
    depth = data.draw(st.integers(1, len(shape)))
    rows = data.draw(st.integers(0, 4))
    tuples = np.stack([numbers(seed + 3 + k, (rows,), "int64", low=-shape[k], high=shape[k] - 1)
                       for k in range(depth)], -1)
    updates = numbers(seed + 9, (rows, *shape[depth:]), dtype)
    want = x.copy()
    with np.errstate(all="ignore"):
        for r in range(rows):
            want[tuple(tuples[r])] = combine(want[tuple(tuples[r])], updates[r])
    assert same_bits(evaluate("ScatterND", [x, tuples, updates], {"reduction": reduction}), want)


@given(shape=shapes(max_rank=3, max_elements=100), depth=st.integers(1, 9), seed=SEEDS, data=st.data(),
       kind=st.sampled_from(["int32", "int64", "float32", "uint8"]), dtype=TYPES)
def test_one_hot(shape, depth, seed, data, kind, dtype) -> None:
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    indices = np.asarray(numbers(seed, shape, "int64", low=-depth - 2, high=depth + 2))
    indices = np.abs(indices) if kind == "uint8" else indices
    values = numbers(seed + 1, (2,), dtype)
    hot = (np.arange(depth) == np.where((indices >= -depth) & (indices < depth), indices % depth, -1)[..., None])
    want = np.moveaxis(np.where(hot, values[1], values[0]), -1, axis)
    got = evaluate("OneHot", [indices.astype(kind), np.array([depth]), values], {"axis": axis})
    assert same_bits(got, want.astype(values.dtype))


@given(shape=shapes(), dtype=TYPES, seed=SEEDS, data=st.data())
def test_non_zero_and_compress(shape, dtype, seed, data) -> None:
    x = numbers(seed, shape, dtype, low=0, high=2, special=True)
    want = np.stack(np.nonzero(np.atleast_1d(x))).astype(np.int64)
    np.testing.assert_array_equal(evaluate("NonZero", [x]), want, strict=True)
    if not shape:
        return
    axis = data.draw(st.integers(0, len(shape) - 1))
    keep = numbers(seed + 1, (data.draw(st.integers(0, shape[axis])),), "bool")
    np_keep = np.zeros(shape[axis], bool)
    np_keep[:len(keep)] = keep
    assert same_bits(evaluate("Compress", [x, keep], {"axis": axis}), np.compress(np_keep, x, axis))


@given(shape=shapes(min_rank=2), dtype=TYPES, seed=SEEDS, upper=st.booleans(),
       k=st.one_of(st.integers(-9, 9), st.sampled_from([2**63 - 1, -(2**63)])))
def test_trilu(shape, dtype, seed, upper, k) -> None:
    x = numbers(seed, shape, dtype)
    near = int(np.clip(k, -5000, 5000))
    want = np.triu(x, near) if upper else np.tril(x, near)
    assert same_bits(evaluate("Trilu", [x, np.int64(k)], {"upper": upper}), want)


@given(rows=st.integers(0, 9), columns=st.integers(0, 9), k=st.integers(-12, 12), dtype=TYPES)
def test_eye_like(rows, columns, k, dtype) -> None:
    got = evaluate("EyeLike", [np.zeros((rows, columns), np.float32)], {"dtype": dtype, "k": k})
    np.testing.assert_array_equal(got.astype(np.float32), np.eye(rows, columns, k, np.float32))


@given(shape=shapes(min_rank=2, max_rank=4), dtype=TYPES, seed=SEEDS, data=st.data())
def test_reverse_sequence(shape, dtype, seed, data) -> None:
    batch, time = data.draw(st.permutations(range(len(shape))))[:2]
    x = numbers(seed, shape, dtype)
    lengths = numbers(seed + 1, (shape[batch],), "int64", low=0, high=shape[time])
    want = x.copy()
    for b, n in enumerate(lengths):
        row = [slice(None)] * len(shape)
        row[batch] = b
        moved = np.moveaxis(want[tuple(row)], time - (batch < time), 0)
        moved[:n] = moved[:n][::-1].copy()
    got = evaluate("ReverseSequence", [x, lengths], {"batch_axis": batch, "time_axis": time})
    assert same_bits(got, want)


@given(start=st.integers(-20, 20), limit=st.integers(-20, 20), delta=st.integers(-5, 5),
       dtype=st.sampled_from(["int16", "int32", "int64", "float32"]))
def test_range(start, limit, delta, dtype) -> None:
    if delta:
        got = evaluate("Range", [np.array(v, dtype) for v in (start, limit, delta)])
        np.testing.assert_array_equal(got, np.arange(start, limit, delta, dtype), strict=True)


@given(shape=shapes(max_rank=5), dtype=TYPES, seed=SEEDS)
def test_constant_of_shape_and_views(shape, dtype, seed) -> None:
    value = numbers(seed, (1,), dtype)
    assert same_bits(evaluate("ConstantOfShape", [ints(shape), value]), np.broadcast_to(value, shape).astype(value.dtype)
                     if shape else value.reshape(()))
    x = numbers(seed, shape, dtype)
    assert same_bits(evaluate("Identity", [x]), x)
    assert same_bits(evaluate("Unsqueeze", [x], {"axes": [0, -1]}), x[None, ..., None])
    assert same_bits(evaluate("Squeeze", [x]), x.reshape([d for d in shape if d != 1]))
    np.testing.assert_array_equal(evaluate("Shape", [x]), np.array(shape, np.int64), strict=True)
    np.testing.assert_array_equal(evaluate("Size", [x]), np.array(x.size, np.int64), strict=True)
    if 0 not in shape:
        assert same_bits(evaluate("Reshape", [x, ints([-1])]), x.reshape(-1))


@given(shape=shapes(min_rank=1), dtype=st.sampled_from(NUMBERS), seed=SEEDS, data=st.data(), largest=st.booleans())
def test_top_k(shape, dtype, seed, data, largest) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    k = data.draw(st.integers(0, shape[axis]))
    x = numbers(seed, shape, dtype, low=-9 if "u" not in dtype else 0, high=9, special=True)
    if dtype not in ("float64",):
        x = np.round(x.astype(np.float64)).astype(x.dtype)  # many equal elements
    d = x.astype(np.float64)
    # NaN is the largest; the sort is stable, so equal elements keep their order.
    key = np.where(np.isnan(d), np.inf, d)
    second = np.isnan(d)
    order = np.lexsort((-second.astype(int) if largest else second.astype(int), -key if largest else key), axis=axis)
    want = np.take(order, range(k), axis)
    values, indices = evaluate("TopK", [x, np.array([k])], {"axis": axis, "largest": largest}, num_outputs=2)
    np.testing.assert_array_equal(indices, want)
    assert same_bits(values, np.take_along_axis(x, want, axis))


@given(shape=shapes(min_rank=1, max_rank=3, max_elements=200), dtype=TYPES, seed=SEEDS, data=st.data(),
       ordered=st.booleans())
def test_unique(shape, dtype, seed, data, ordered) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    if 0 in shape:
        return
    x = numbers(seed, shape, dtype, low=0, high=2)
    x = np.round(x.astype(np.float64) / 4).astype(x.dtype) if x.dtype.kind not in "iub" else x
    d = x if x.dtype.kind in "iub" else x.astype(np.float64) + 0.0
    _, first, inverse, counts = np.unique(d, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    inverse = inverse.reshape(-1)
    if not ordered:
        order = np.argsort(first)
        first, counts = first[order], counts[order]
        inverse = np.argsort(order)[inverse]
    got = evaluate("Unique", [x], {"axis": axis, "sorted": ordered}, num_outputs=4)
    assert same_bits(got[0], np.take(x, first, axis))
    for a, b in zip(got[1:], (first, inverse, counts)):
        np.testing.assert_array_equal(a, b)


@given(n=st.integers(0, 6), batch=st.integers(1, 3), seed=SEEDS)
def test_det(n, batch, seed) -> None:
    x = numbers(seed, (batch, n, n), "float64", scale=1.0)
    np.testing.assert_allclose(evaluate("Det", [x]), np.linalg.det(x), rtol=1e-9, atol=1e-12)


@given(shape=shapes(), seed=SEEDS)
def test_bit_cast(shape, seed) -> None:
    x = numbers(seed, shape, "int32")
    got = evaluate("BitCast", [x], {"to": "float32"})
    assert got.dtype == np.float32 and np.array_equal(got.view(np.int32), x)


# ---- refusals ------------------------------------------------------------------------------------

X = np.zeros((2, 3, 4), np.float32)
REFUSED = [
    ("Transpose", [X], {"perm": [0, 1, 1]}, "no permutation"),
    ("Transpose", [X], {"perm": [0, 1]}, "perm has 2 entries"),
    ("Concat", [X, X[:, :2]], {"axis": 0}, "differ in axis 1"),
    ("Concat", [X, X], {"axis": 3}, "axis 3 is out of range"),
    ("Concat", [np.float32(1)], {}, "scalars"),
    ("Split", [X, ints([1, 2])], {"axis": 0}, "add up to 3"),
    ("Split", [X, ints([-1, 3])], {"axis": 0}, "negative"),
    ("Slice", [X, ints([0]), ints([1]), ints([0]), ints([0])], {}, "step of 0"),
    ("Slice", [X, ints([0, 0]), ints([1, 1]), ints([0, -3])], {}, "given twice"),
    ("Slice", [X, ints([0]), ints([1, 1])], {}, "starts has 1 entries, ends has 2"),
    ("Slice", [X, ints([0] * 4), ints([1] * 4)], {}, "axis 3 is out of range"),
    ("Reshape", [X, ints([-1, -1])], {}, "only one may be"),
    ("Reshape", [X, ints([5, -1])], {}, "no multiple of 5"),
    ("Reshape", [X, ints([5])], {}, "numbers of elements differ"),
    ("Reshape", [X, ints([-2, 12])], {}, "expected a size, 0 or -1"),
    ("Reshape", [X, ints([24, 1, 1, 0])], {}, "has only 3"),
    ("Reshape", [X, ints([1] * 9)], {}, "at most 8"),
    ("Squeeze", [X], {"axes": [0]}, "only axes of size 1"),
    ("Unsqueeze", [X], {"axes": [0, 0]}, "given twice"),
    ("Unsqueeze", [X], {"axes": [5]}, "axis 5 is out of range"),
    ("Expand", [X, ints([5, 4])], {}, "do not broadcast"),
    ("Expand", [X, ints([-1, 4])], {}, "expected a size"),
    ("Tile", [X, ints([1, 1])], {}, "2 repeats are given for 3 axes"),
    ("Tile", [X, ints([1, -1, 1])], {}, "repeat 1 is negative"),
    ("Tile", [X, ints([2**62, 2**62, 1])], {}, "overflows"),
    ("ConstantOfShape", [ints([2**40, 2**40]), np.zeros(1, np.float32)], {}, "more than"),
    ("ConstantOfShape", [ints([-1]), np.zeros(1, np.float32)], {}, "expected a size"),
    ("Pad", [X, ints([0] * 5)], {}, "pads has 5 entries"),
    ("Pad", [X, ints([-2, 0, 0, -1, 0, 0])], {}, "pads take away more"),
    ("Pad", [X[:0], ints([1, 0, 0, 0, 0, 0])], {"mode": "edge"}, "nothing left to repeat"),
    ("Range", [np.int64(0), np.int64(5), np.int64(0)], {}, "no end"),
    ("Range", [np.float32(0), np.float32(5), np.float32(0)], {}, "delta must not be 0"),
    ("Range", [np.float32(np.nan), np.float32(5), np.float32(1)], {}, "make no range"),
    ("Range", [np.float32(0), np.float32(1e30), np.float32(1e-30)], {}, "make no range|would have"),
    ("TopK", [X, ints([5])], {}, "k is 5"),
    ("TopK", [X, ints([-1])], {}, "k is -1"),
    ("OneHot", [ints([1]), np.int64(-3), np.zeros(2, np.float32)], {}, "depth is -3"),
    ("OneHot", [ints([1]), np.int64(3), np.zeros(3, np.float32)], {}, "off, on"),
    ("GatherND", [X, np.zeros((2, 4), np.int64)], {}, "4 entries"),
    ("GatherElements", [X, np.zeros((3, 1, 1), np.int64)], {"axis": 1}, "reach beyond"),
    ("ScatterND", [X, np.zeros((2, 1), np.int64), X[:1]], {}, "do not fit"),
    ("Trilu", [np.zeros(3, np.float32)], {}, "matrices"),
    ("EyeLike", [X], {}, "must be a matrix"),
    ("ReverseSequence", [X, ints([1, 1])], {"batch_axis": 1, "time_axis": 1}, "must differ"),
    ("ReverseSequence", [X, ints([1])], {"batch_axis": 1, "time_axis": 0}, "one length for each"),
    ("ArgMax", [X[:, :0]], {"axis": 1}, "is empty"),
    ("ReduceSum", [X], {"axes": [1, -2]}, "given twice"),
    ("ReduceSum", [X, ints([3])], {}, "axis 3 is out of range"),
    ("CumSum", [X, np.int64(3)], {}, "axis 3 is out of range"),
    ("CumProd", [X, np.int64(3)], {}, "axis 3 is out of range"),
    ("Unique", [np.float32(1)], {}, "scalar"),
    ("Det", [X], {}, "square"),
    ("BitCast", [X], {"to": "int64"}, "same size"),
]


@pytest.mark.parametrize(("op", "inputs", "attrs", "message"), REFUSED)
def test_refusals_say_what_is_wrong(op, inputs, attrs, message) -> None:
    outputs = 2 if op == "Split" or op == "TopK" else 1
    with pytest.raises(lite_runtime.SampanError, match=message):
        lite_runtime.evaluate(op, attrs, inputs, outputs)


@pytest.mark.parametrize(("op", "inputs", "attrs", "message"), [
    ("Gather", [X, ints([0, 2])], {"axis": 0}, r"index 2 \(element 1 of the indices\) is out of range: .* 2 elements"),
    ("Gather", [X, ints([-3])], {"axis": 0}, "index -3"),
    ("Gather", [X, ints([2**62])], {"axis": 0}, "out of range"),
    ("Gather", [X[:0], ints([0])], {"axis": 0}, "0 elements"),
    ("GatherElements", [X, np.full((1, 1, 1), 4)], {"axis": 2}, "index 4"),
    ("GatherND", [X, np.array([[0, 3]])], {}, "index 3"),
    ("ScatterElements", [X, np.full((1, 1, 1), -5), X[:1, :1, :1]], {"axis": 2}, "index -5"),
    ("ScatterND", [X, np.array([[2]]), X[:1]], {}, "index 2"),
    ("ReverseSequence", [X, ints([1, 4])], {"batch_axis": 0, "time_axis": 1}, "sequence length 4"),
])
def test_indices_are_checked_at_run_time(op, inputs, attrs, message) -> None:
    for isa in lite_runtime.isa_names():
        with pytest.raises(DataError, match=message):
            lite_runtime.evaluate(op, attrs, inputs, isa=isa)
