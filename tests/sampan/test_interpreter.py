"""sampan.Interpreter: a script written for TFLite's interpreter runs after changing its import."""
from __future__ import annotations

import numpy as np
import pytest

from sampan import Interpreter

from . import models


def test_a_script_for_tflite(tmp_path):
    path = tmp_path / "model.spn"
    path.write_bytes(models.square("float32"))
    interpreter = Interpreter(model_path=str(path), num_threads=2)
    interpreter.allocate_tensors()
    (inp,), (out,) = interpreter.get_input_details(), interpreter.get_output_details()
    assert inp["name"] == "x" and out["name"] == "y" and inp["dtype"] is np.float32
    assert list(inp["shape"]) == [2, 3] and list(inp["shape_signature"]) == [2, 3]
    assert inp["quantization"] == (0.0, 0)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    interpreter.set_tensor(inp["index"], x)
    interpreter.invoke()
    np.testing.assert_array_equal(interpreter.get_tensor(out["index"]), x * x)
    np.testing.assert_array_equal(interpreter.get_tensor(inp["index"]), x)


def test_open_dimensions_are_resized():
    interpreter = Interpreter(model_content=models.affine())
    index = interpreter.get_input_details()[0]["index"]
    assert list(interpreter.get_input_details()[0]["shape_signature"]) == [-1, 3, -1, -1]
    assert list(interpreter.get_input_details()[0]["shape"]) == [1, 3, 1, 1]
    interpreter.resize_tensor_input(index, [2, 3, 4, 5])
    interpreter.allocate_tensors()
    x = np.ones((2, 3, 4, 5), np.float32)
    interpreter.set_tensor(index, x)
    interpreter.invoke()
    assert [list(d["shape"]) for d in interpreter.get_output_details()] == [[2, 3, 4, 5]] * 2
    with pytest.raises(ValueError, match="dimension 1"):
        interpreter.resize_tensor_input(index, [2, 4, 4, 5])
    with pytest.raises(ValueError):
        interpreter.resize_tensor_input(index, [2, 3])


def test_tensor_gives_the_array_itself():
    interpreter = Interpreter(model_content=models.square("float32"))
    interpreter.allocate_tensors()
    view = interpreter.tensor(interpreter.get_input_details()[0]["index"])
    view()[...] = 3
    interpreter.invoke()
    np.testing.assert_array_equal(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]), np.full((2, 3), 9))


def test_signature_runner():
    interpreter = Interpreter(model_content=models.two_inputs())
    assert interpreter.get_signature_list() == {"serving_default": {"inputs": ["a", "b"], "outputs": ["sum"]}}
    runner = interpreter.get_signature_runner()
    for n in (1, 5):
        a = np.ones((n, 4), np.float32)
        np.testing.assert_array_equal(runner(a=a, b=a)["sum"], a + a)
    assert set(runner.get_input_details()) == {"a", "b"}
    with pytest.raises(ValueError, match="no signature"):
        interpreter.get_signature_runner("train")
    with pytest.raises(ValueError, match="'b' is missing"):
        runner(a=np.ones((1, 4), np.float32))


def test_mistakes_are_errors():
    with pytest.raises(ValueError):
        Interpreter()
    with pytest.raises(ValueError, match="elegates"):
        Interpreter(model_content=models.square("float32"), experimental_delegates=[object()])
    interpreter = Interpreter(model_content=models.square("float32"))
    with pytest.raises(RuntimeError, match="allocate_tensors"):
        interpreter.invoke()
    interpreter.allocate_tensors()
    good = np.ones((2, 3), np.float32)
    for index, value, part in [(0, good.astype(np.float64), "float64"), (0, good[0], "resize_tensor_input"),
                               (1, good, "output"), (9, good, "no tensor 9"), (-1, good, "no tensor -1")]:
        with pytest.raises(ValueError, match=part):
            interpreter.set_tensor(index, value)
    with pytest.raises(ValueError, match="invoke first"):
        interpreter.get_tensor(1)
