"""LSTM, GRU and RNN against onnxruntime."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampan.lite_runtime import SampanError
from sampan.lite_runtime import evaluate as evaluate_once

from .reference import assert_near, onnx_node
from .strategies import evaluate, numbers, same_bits

SEEDS = st.integers(0, 2**32 - 1)
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


@st.composite
def cells(draw: st.DrawFn, op: str) -> tuple[list[Any], dict[str, Any]]:
    """Inputs of the ONNX node (time first) and attributes."""
    steps, batch, size, hidden = (draw(st.integers(1, n)) for n in (6, 3, 5, 19))
    direction = draw(st.sampled_from(["forward", "reverse", "bidirectional"]))
    d, width, seed = 2 if direction == "bidirectional" else 1, GATES[op] * hidden, draw(SEEDS)
    inputs = [numbers(seed, (steps, batch, size), "float32", scale=1),
              numbers(seed + 1, (d, width, size), "float32", scale=0.4),
              numbers(seed + 2, (d, width, hidden), "float32", scale=0.4),
              numbers(seed + 3, (d, 2 * width), "float32", scale=0.4) if draw(st.booleans()) else None,
              None,
              numbers(seed + 4, (d, batch, hidden), "float32", scale=1) if draw(st.booleans()) else None]
    if draw(st.booleans()):
        inputs[4] = np.array([draw(st.integers(1, steps)) for _ in range(batch)], np.int32)
    attrs: dict[str, Any] = {"direction": direction}
    if op == "LSTM":
        inputs.append(numbers(seed + 5, (d, batch, hidden), "float32", scale=1) if draw(st.booleans()) else None)
        inputs.append(numbers(seed + 6, (d, 3 * hidden), "float32", scale=0.4) if draw(st.booleans()) else None)
    if op == "GRU":
        attrs["linear_before_reset"] = draw(st.booleans())
    if draw(st.booleans()):
        attrs["clip"] = 0.5
    return inputs, attrs


@pytest.mark.parametrize("op", sorted(GATES))
@given(data=st.data())
def test_matches_onnxruntime(op: str, data: st.DataObject) -> None:
    inputs, attrs = data.draw(cells(op))
    outputs = 3 if op == "LSTM" else 2
    got = evaluate(op, inputs, attrs, outputs)
    onnx_attrs = {k: int(v) if isinstance(v, bool) else v for k, v in attrs.items()}
    want = onnx_node(op, inputs, onnx_attrs | {"hidden_size": inputs[2].shape[2]}, outputs)
    for a, b in zip(got, want):
        assert_near(a, b, 5e-5)


@pytest.mark.parametrize("op", sorted(GATES))
@given(data=st.data())
def test_batch_first_has_the_same_bits(op: str, data: st.DataObject) -> None:
    inputs, attrs = data.draw(cells(op))
    outputs = 3 if op == "LSTM" else 2
    y, *states = evaluate(op, inputs, attrs, outputs)
    swapped = list(inputs)
    for i in (0, 5, 6):
        if i < len(inputs) and inputs[i] is not None:
            swapped[i] = np.ascontiguousarray(inputs[i].swapaxes(0, 1))
    other, *other_states = evaluate(op, swapped, attrs | {"batch_first": True}, outputs)
    assert same_bits(np.ascontiguousarray(other.transpose(1, 2, 0, 3)), y)
    for a, b in zip(other_states, states):
        assert same_bits(np.ascontiguousarray(a.swapaxes(0, 1)), b)


@given(seed=SEEDS, forget=st.booleans())
def test_lstm_couples_forget_to_input(seed: int, forget: bool) -> None:
    """With input_forget the cell is c' = (1 - i) c + i g."""
    x, w, r = (numbers(seed + i, s, "float32", scale=0.5) for i, s in enumerate([(1, 1, 3), (1, 8, 3), (1, 8, 2)]))
    c = np.ones((1, 1, 2), np.float32)
    _, _, cell = evaluate("LSTM", [x, w, r, None, None, None, c], {"input_forget": forget}, 3)
    i, _, f, g = np.split((w[0].astype(np.float64) @ x[0, 0]), 4)
    def sigmoid(v: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-v))

    keep = 1 - sigmoid(i) if forget else sigmoid(f)
    np.testing.assert_allclose(cell[0, 0], keep + sigmoid(i) * np.tanh(g), rtol=1e-5, atol=1e-6)


X, W, R = np.zeros((3, 2, 4), np.float32), np.zeros((1, 8, 4), np.float32), np.zeros((1, 8, 2), np.float32)


@pytest.mark.parametrize(("inputs", "attrs", "reason"), [
    ([X, W, R[:, :7]], {}, "r has shape"),
    ([X, W[:, :, :3], R], {}, "w has shape"),
    ([X, W, R, np.zeros((1, 8), np.float32)], {}, "bias has shape"),
    ([X, W, R], {"direction": "bidirectional"}, "w has shape"),
    ([X, W, R], {"clip": -1.0}, "clip"),
    ([X, W, R], {"activations": [5]}, "activations has 1"),
    ([X, W, R], {"activations": [5, 7, 99]}, "activations"),
    ([X, W, R, None, np.array([4, 1], np.int32)], {}, r"sequence_lens\[0\] is 4"),
    ([X, W, R, None, np.array([1, -1], np.int32)], {}, r"sequence_lens\[1\] is -1"),
    ([X, W, R, None, None, np.zeros((1, 3, 2), np.float32)], {}, "initial_h has shape"),
])
def test_wrong_nodes_are_refused(inputs: list, attrs: dict, reason: str) -> None:
    with pytest.raises(SampanError, match=reason):
        evaluate_once("LSTM", attrs, inputs, 1)
