"""The method names of `tflite_runtime.interpreter.Interpreter` around a Session.

    from sampan import Interpreter      # instead of: from tflite_runtime.interpreter import Interpreter

Sizes that the model leaves open count as 1 until `resize_tensor_input` or a signature runner sets them.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np

from sampan.lite_runtime.dtypes import numpy_dtype
from sampan.lite_runtime.errors import InvalidArgument
from sampan.lite_runtime.native_session import ValueInfo

from .session import Session

SIGNATURE = "serving_default"


class Interpreter:
    """Runs a .spn (or .onnx) model the way a TFLite interpreter does.

    model_path or model_content: the model. num_threads: threads of one run (None or -1: one). Tensor indices count
    the inputs first, then the outputs. Delegates are not supported.
    """

    def __init__(self, model_path: str | PathLike | None = None, model_content: bytes | None = None,
                 experimental_delegates: Sequence[Any] | None = None, num_threads: int | None = None,
                 **ignored: Any):
        if (model_path is None) == (model_content is None):
            raise ValueError("give either model_path or model_content")
        if experimental_delegates:
            raise ValueError("delegates are not supported by this interpreter")
        threads = 1 if num_threads is None or num_threads == -1 else num_threads
        source: Any = model_path if model_path is not None else model_content
        self._session = Session(source, threads=threads)
        infos = [*self._session.inputs, *self._session.outputs]
        self._num_inputs = len(self._session.inputs)
        self._shapes = [_fixed(v) for v in self._session.inputs]
        self._infos: list[ValueInfo] = infos
        self._values: list[np.ndarray | None] = [None] * len(infos)

    # ---- details --------------------------------------------------------------------------------

    def get_input_details(self) -> list[dict[str, Any]]:
        """Dicts with name, index, shape, shape_signature (-1 where open), dtype and quantization of each input."""
        return [self._details(i) for i in range(self._num_inputs)]

    def get_output_details(self) -> list[dict[str, Any]]:
        """The same for each output; shapes are those of the last run where there was one."""
        return [self._details(i) for i in range(self._num_inputs, len(self._infos))]

    def get_tensor_details(self) -> list[dict[str, Any]]:
        """Inputs, then outputs."""
        return [self._details(i) for i in range(len(self._infos))]

    def _details(self, index: int) -> dict[str, Any]:
        info = self._infos[index]
        value = self._values[index]
        if index < self._num_inputs:
            shape: tuple[int, ...] = self._shapes[index]
        else:
            shape = _fixed(info) if value is None else value.shape
        signature = [d if isinstance(d, int) else -1 for d in info.shape or ()]
        return {"name": info.name, "index": index, "shape": np.array(shape, np.int32),
                "shape_signature": np.array(signature, np.int32), "dtype": numpy_dtype(info.dtype).type,
                "quantization": (0.0, 0),
                "quantization_parameters": {"scales": np.zeros(0, np.float32), "zero_points": np.zeros(0, np.int32),
                                            "quantized_dimension": 0},
                "sparsity_parameters": {}}

    # ---- running --------------------------------------------------------------------------------

    def allocate_tensors(self) -> None:
        """Makes zero arrays for the inputs that have none of the present shape."""
        for i in range(self._num_inputs):
            value = self._values[i]
            if value is None or value.shape != self._shapes[i]:
                self._values[i] = np.zeros(self._shapes[i], numpy_dtype(self._infos[i].dtype))

    def resize_tensor_input(self, input_index: int, tensor_size: Sequence[int], strict: bool = False) -> None:
        """Sets an input's shape; call allocate_tensors afterwards. strict: only open dimensions may change."""
        info = self._input(input_index)
        shape = tuple(int(d) for d in tensor_size)
        declared = info.shape or ()
        if len(shape) != len(declared) or any(d < 0 for d in shape):
            raise ValueError(f"input {info.name!r} has shape {list(declared)}, it cannot be resized to {list(shape)}")
        for axis, (want, got) in enumerate(zip(declared, shape)):
            if isinstance(want, int) and want != got:
                raise ValueError(f"input {info.name!r} has shape {list(declared)}: dimension {axis} cannot become {got}")
        self._shapes[input_index] = shape
        self._values[input_index] = None

    def set_tensor(self, tensor_index: int, value: Any) -> None:
        """Copies an array into an input. ValueError when dtype or shape differ from the details."""
        info = self._input(tensor_index)
        array = np.asarray(value)
        want = numpy_dtype(info.dtype)
        if array.dtype.newbyteorder("=") != want:
            raise ValueError(f"Cannot set tensor: input {info.name!r} has dtype {want}, got {array.dtype}")
        if array.shape != self._shapes[tensor_index]:
            raise ValueError(f"Cannot set tensor: input {info.name!r} has shape {list(self._shapes[tensor_index])}, got "
                             f"{list(array.shape)}; call resize_tensor_input first if another size is meant")
        self._values[tensor_index] = np.array(array, want, order="C")

    def get_tensor(self, tensor_index: int, subgraph_index: int = 0) -> np.ndarray:
        """A copy of an input, or of an output of the last run."""
        return self._value(tensor_index).copy()

    def tensor(self, tensor_index: int) -> Callable[[], np.ndarray]:
        """A function that gives the array itself. Writing into an input's array changes the next run's input."""
        self._info(tensor_index)
        return lambda: self._value(tensor_index)

    def invoke(self) -> None:
        """Runs the model on the inputs set. RuntimeError before allocate_tensors."""
        feed: dict[str, np.ndarray] = {}
        for i in range(self._num_inputs):
            value = self._values[i]
            if value is None:
                raise RuntimeError("Invoke called on model that is not ready: call allocate_tensors first")
            feed[self._infos[i].name] = value
        results = self._session.run(feed)
        for i in range(self._num_inputs, len(self._infos)):
            self._values[i] = results[self._infos[i].name]

    def reset_all_variables(self) -> None:
        """Does nothing: models that keep state between runs are not supported yet."""

    # ---- signatures -----------------------------------------------------------------------------

    def get_signature_list(self) -> dict[str, dict[str, list[str]]]:
        """One signature with all inputs and outputs."""
        return {SIGNATURE: {"inputs": [v.name for v in self._session.inputs],
                            "outputs": [v.name for v in self._session.outputs]}}

    def get_signature_runner(self, signature_key: str | None = None) -> SignatureRunner:
        """A callable: runner(x=array) -> {output name: array}."""
        if signature_key not in (None, SIGNATURE):
            raise ValueError(f"there is no signature {signature_key!r}; there is {SIGNATURE!r}")
        return SignatureRunner(self._session)

    # ---- helpers --------------------------------------------------------------------------------

    def _info(self, index: int) -> ValueInfo:
        if isinstance(index, bool) or not 0 <= index < len(self._infos):
            raise ValueError(f"there is no tensor {index}: inputs and outputs have 0 to {len(self._infos) - 1}")
        return self._infos[index]

    def _input(self, index: int) -> ValueInfo:
        info = self._info(index)
        if index >= self._num_inputs:
            raise ValueError(f"tensor {index} ({info.name!r}) is an output and cannot be set")
        return info

    def _value(self, index: int) -> np.ndarray:
        info = self._info(index)
        value = self._values[index]
        if value is None:
            todo = "allocate_tensors" if index < self._num_inputs else "invoke"
            raise ValueError(f"tensor {info.name!r} has no data yet: call {todo} first")
        return value


class SignatureRunner:
    """Runs a signature with arrays by name; every call may have other shapes."""

    def __init__(self, session: Session):
        self._session = session

    def __call__(self, **inputs: Any) -> dict[str, np.ndarray]:
        try:
            return self._session.run(inputs)
        except InvalidArgument as error:
            raise ValueError(str(error)) from error

    def get_input_details(self) -> dict[str, dict[str, Any]]:
        return {v.name: {"name": v.name, "dtype": numpy_dtype(v.dtype).type, "shape": np.array(_fixed(v), np.int32)}
                for v in self._session.inputs}

    def get_output_details(self) -> dict[str, dict[str, Any]]:
        return {v.name: {"name": v.name, "dtype": numpy_dtype(v.dtype).type, "shape": np.array(_fixed(v), np.int32)}
                for v in self._session.outputs}


def _fixed(info: ValueInfo) -> tuple[int, ...]:
    """The shape with 1 for open dimensions."""
    return tuple(d if isinstance(d, int) else 1 for d in info.shape or ())
