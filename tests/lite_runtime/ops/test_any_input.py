"""Every operator of the library, by its definition alone: whatever shapes, types, attributes and elements come, a run
ends with a result that is the same on all instruction sets, or with an error of ours."""
from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest

from sampan import lite_runtime
from sampan.lite_runtime import NativeSession, SampanError, load_model, operators, write_model
from sampan.lite_runtime.operators import AttrInfo, InputInfo, OperatorInfo

from .strategies import np_dtype, same_bits

ROUNDS = int(os.environ.get("SAMPAN_ROUNDS", 60))
MAX_MEMORY = 1 << 26
EXTREMES = [0, 1, -1, 2, 3, 7, 8, 100, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 2**62, 2**40]


def _integer(rng: random.Random, low: int | None, high: int | None) -> int:
    low = -(2**63) if low is None else low
    high = 2**63 - 1 if high is None else high
    if rng.random() < 0.7:
        return max(low, min(high, rng.randint(-3, 4)))
    return max(low, min(high, rng.choice(EXTREMES)))


def _attribute(rng: random.Random, attr: AttrInfo) -> Any:
    if attr.type == "int":
        return _integer(rng, attr.min, attr.max)
    if attr.type == "ints":
        return [_integer(rng, attr.min, attr.max) for _ in range(rng.randint(0, 5))]
    if attr.type == "float":
        return rng.choice([0.0, 1.0, -1.0, 0.5, 1e30, float("inf"), float("-inf"), float("nan"), 1e-40])
    if attr.type == "floats":
        return [rng.choice([0.0, 1.0, 2.0, 0.5, float("nan"), -1.0]) for _ in range(rng.randint(0, 4))]
    if attr.type == "bool":
        return rng.random() < 0.5
    if attr.type == "enum":
        return rng.choice(attr.choices)
    return rng.choice(["float32", "int64", "bool", "float16", "uint8", "invalid"])


def _shape(rng: random.Random, base: tuple[int, ...]) -> tuple[int, ...]:
    """Often the same as other inputs, or related to it, so that some combinations are accepted."""
    kind = rng.random()
    if kind < 0.45:
        return base
    if kind < 0.6:
        return tuple(1 if rng.random() < 0.4 else d for d in base[rng.randint(0, len(base)):])
    if kind < 0.75:
        return rng.choice([(), (1,), (len(base),), (2 * len(base),), (base[-1],) if base else (2,)])
    return tuple(rng.choice([0, 1, 2, 3, 4, 5, 17]) for _ in range(rng.randint(0, 5)))


def _array(rng: random.Random, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    generator = np.random.default_rng(rng.getrandbits(32))
    n = int(np.prod(shape, dtype=np.int64))
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    kind = np_dtype(dtype)
    if kind.kind in "iu":
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        if rng.random() < 0.6:
            values = [max(low, min(high, rng.randint(-2, 5))) for _ in range(n)] if n < 200 else \
                generator.integers(0, 3, n).tolist()
        else:
            values = [max(low, min(high, rng.choice(EXTREMES))) for _ in range(n)]
        return np.array(values, kind).reshape(shape)
    values = generator.standard_normal(n) * rng.choice([1.0, 1e3, 1e30])
    for special in (np.nan, np.inf, -np.inf, 0.0):
        if n and rng.random() < 0.2:
            values[rng.randrange(n)] = special
    with np.errstate(all="ignore"):
        return values.astype(kind).reshape(shape)


def _hint(rng: random.Random, name: str, first: tuple[int, ...], count: int) -> list[int] | int | None:
    """Plausible elements for an operand that describes a shape or positions, so that some rules are passed."""
    rank = len(first)
    position = rng.choice([0, 1, 2, -1, -2, 5, 2**63 - 1, -(2**63)])
    match name:
        case "starts" | "ends":
            return [rng.choice([0, 1, 2, -1, -2, 5, 2**63 - 1, -(2**63)]) for _ in range(count)]
        case "steps":
            return [rng.choice([1, 1, 2, -1, -2, 2**63 - 1, -(2**63)]) for _ in range(count)]
        case "axes":
            return rng.sample(range(-rank, 0), count)
        case "pads":
            return [rng.randint(-1, 3) for _ in range(2 * rng.choice([rank, count]))]
        case "shape":
            target = list(first)
            rng.shuffle(target)
            if target and rng.random() < 0.5:
                target[rng.randrange(len(target))] = rng.choice([-1, 0])
            return target + [1] * rng.randint(0, 1)
        case "repeats":
            return [rng.randint(0, 3) for _ in first]
        case "sizes":
            return [first[0] // 2, first[0] - first[0] // 2] if first else None
        case "k" | "depth":
            return rng.randint(0, 4)
        case "axis":
            return rng.randint(-rank - 1, rank)
        case "limit" | "delta" | "start":
            return position
    return None


def _inputs(rng: random.Random, info: OperatorInfo) -> list[np.ndarray | None]:
    base = tuple(rng.choice([1, 2, 3, 4, 6, 16]) for _ in range(rng.randint(0, 5)))
    found: list[np.ndarray | None] = []
    count = rng.randint(0, len(base))

    def add(entry: InputInfo) -> None:
        if entry.same_type_as is not None and entry.same_type_as < len(found) and rng.random() < 0.95 \
                and found[entry.same_type_as] is not None:
            dtype = lite_runtime.dtypes.array_dtype_name(found[entry.same_type_as])
        else:
            dtype = rng.choice(entry.dtypes)
        hint = _hint(rng, entry.name, base, count) if found and rng.random() < 0.8 else None
        if hint is not None and np_dtype(dtype).kind == "i":
            low, high = np.iinfo(np_dtype(dtype)).min, np.iinfo(np_dtype(dtype)).max
            values = [min(max(v, low), high) for v in (hint if isinstance(hint, list) else [hint])]
            found.append(np.array(values if isinstance(hint, list) else values[0], dtype))
            return
        found.append(_array(rng, dtype, base if not found and rng.random() < 0.8 else _shape(rng, base)))

    for entry in info.inputs:
        if entry.optional and rng.random() < 0.5:
            found.append(None)
            continue
        for _ in range(rng.randint(1, 3) if entry.variadic else 1):
            add(entry)
    while found and found[-1] is None:
        found.pop()
    return found


def _model(info: OperatorInfo, inputs: list[np.ndarray | None], attrs: dict[str, Any], outputs: int) -> bytes:
    """A graph of one node whose output shapes are left to the runtime. Raises what the shape rule says of types."""
    specs = [None if a is None else lite_runtime.TensorSpec(lite_runtime.dtypes.array_dtype_name(a), a.shape, data=a)
             for a in inputs]
    results = lite_runtime.infer(info.name, attrs, specs, outputs)
    tensors: list[dict[str, Any]] = []
    positions = []
    for spec in specs:
        positions.append(-1 if spec is None else len(tensors))
        if spec is not None:
            tensors.append({"name": f"x{len(tensors)}", "dtype": spec.dtype, "kind": "input", "dims": list(spec.shape)})
    count = len(tensors)
    tensors += [{"name": f"y{i}", "dtype": r.dtype or "float32"} for i, r in enumerate(results)]
    outs = list(range(count, len(tensors)))
    node = {"op": info.name, "name": info.name, "attrs": attrs, "inputs": positions, "outputs": outs}
    return write_model({"graphs": [{"name": "g", "tensors": tensors, "nodes": [node], "inputs": list(range(count)),
                                    "outputs": outs}]})


def _run(data: bytes, inputs: list[np.ndarray | None], isa: str, threads: int) -> list[np.ndarray] | str:
    """The outputs, or the kind of error."""
    try:
        session = NativeSession(load_model(data), isa=isa, threads=threads, max_memory=MAX_MEMORY)
        return session.run([a for a in inputs if a is not None])
    except SampanError as error:
        assert error.code != "internal", error
        return error.code


@pytest.mark.parametrize("name", list(operators()))
def test_any_input(name: str) -> None:
    info = operators()[name]
    rng = random.Random(f"{name} {os.environ.get('SAMPAN_SEED', 0)}")
    for _ in range(ROUNDS):
        inputs = _inputs(rng, info)
        attrs = {a.name: _attribute(rng, a) for a in info.attrs if rng.random() < 0.4}
        least = sum(not o.optional for o in info.outputs)
        outputs = rng.randint(max(least, 1), len(info.outputs) + 2 * info.outputs[-1].variadic)
        try:
            data = _model(info, inputs, attrs, outputs)
        except SampanError as error:
            assert error.code != "internal", error
            continue
        want = _run(data, inputs, "portable", 1)
        got = _run(data, inputs, lite_runtime.isa_names()[-1], 2)
        if isinstance(want, str) or isinstance(got, str):
            assert want == got or "limit" in (want, got), (want, got, attrs)
            continue
        for a, b in zip(got, want):
            assert same_bits(a, b), f"{name} {attrs} {[None if x is None else (x.dtype, x.shape) for x in inputs]}"
