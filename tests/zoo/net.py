"""A small network builder that writes ONNX and, layer by layer, computes what it writes.

Random weights alone make useless test networks: activations vanish or explode, and deep ones give the
same answer to every input. Each convolution is therefore followed by a batch normalisation with the
statistics it has on a few photographs, as after training. They are computed here with numpy, so neither
PyTorch nor onnxruntime is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Tensor:
    """A value of the graph and what it is for the calibration batch."""

    name: str
    value: Array


class Net:
    """Writes nodes into an ONNX graph in the shapes that PyTorch's exporter writes."""

    def __init__(self, name: str, batch: Array, *, fold: bool, seed: int = 0, opset: int = 17) -> None:
        """`batch` is what the layers are calibrated on, `fold` writes batch normalisation into weights."""
        self.name = name
        self.fold = fold
        self.opset = opset
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.input = Tensor("input", batch)

    def node(self, op: str, inputs: Sequence[str], scope: str, **attributes: Any) -> str:
        """Append a node; the output's name is derived from its scope, which must be unique."""
        output = f"/{scope}/{op}_output_0"
        self.nodes.append(helper.make_node(op, list(inputs), [output], f"/{scope}/{op}", **attributes))
        return output

    def weight(self, name: str, array: Array) -> str:
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def constant(self, scope: str, array: Array) -> str:
        return self.node("Constant", [], scope, value=numpy_helper.from_array(array))

    def conv(
        self,
        x: Tensor,
        channels: int,
        kernel: int,
        scope: str,
        *,
        stride: int = 1,
        padding: int = 0,
        group: int = 1,
        norm: bool = True,
        gain: float = 1.0,
    ) -> Tensor:
        """A convolution and its batch normalisation; `norm=False` has a bias instead (as if folded)."""
        shape = (channels, x.value.shape[1] // group, kernel, kernel)
        deviation = np.sqrt(2.0 / (shape[1] * kernel * kernel))
        w = (self.rng.standard_normal(shape) * deviation).astype(np.float32)
        y = conv2d(x.value, w, stride, padding, group)
        mean = _coarse(y.mean((0, 2, 3)))
        # One variance floor for all channels keeps channels that see a flat picture from being blown up.
        variance = _coarse(np.maximum(y.var((0, 2, 3)), 0.05 * y.var()))
        low, high = (0.8, 1.2) if y.shape[2] == 1 else (0.5, 1.5)
        scale = (gain * self.rng.uniform(low, high, channels)).astype(np.float32)
        shift = (0.1 * self.rng.standard_normal(channels)).astype(np.float32)
        slope = scale / np.sqrt(variance + np.float32(1e-5))
        offset = shift - mean * slope
        value = y * slope[:, None, None] + offset[:, None, None]
        attributes = {
            "dilations": [1, 1],
            "group": group,
            "kernel_shape": [kernel, kernel],
            "pads": [padding] * 4,
            "strides": [stride, stride],
        }
        if self.fold or not norm:
            names = [x.name, self.weight(f"{scope}.weight", w * slope[:, None, None, None])]
            names.append(self.weight(f"{scope}.bias", offset))
            return Tensor(self.node("Conv", names, scope, **attributes), value)
        out = self.node("Conv", [x.name, self.weight(f"{scope}.weight", w)], scope, **attributes)
        names = [("weight", scale), ("bias", shift), ("running_mean", mean), ("running_var", variance)]
        inputs = [out, *(self.weight(f"{scope}.bn.{n}", a) for n, a in names)]
        return Tensor(self.node("BatchNormalization", inputs, scope, epsilon=1e-5, momentum=0.9), value)

    def relu(self, x: Tensor, scope: str) -> Tensor:
        return Tensor(self.node("Relu", [x.name], scope), np.maximum(x.value, 0))

    def relu6(self, x: Tensor, scope: str) -> Tensor:
        bounds = [self.constant(f"{scope}/{n}", np.float32(v)) for n, v in (("min", 0), ("max", 6))]
        return Tensor(self.node("Clip", [x.name, *bounds], scope), np.clip(x.value, 0, 6))

    def hard_swish(self, x: Tensor, scope: str) -> Tensor:
        return Tensor(self.node("HardSwish", [x.name], scope), x.value * np.clip(x.value / 6 + 0.5, 0, 1))

    def hard_sigmoid(self, x: Tensor, scope: str) -> Tensor:
        name = self.node("HardSigmoid", [x.name], scope, alpha=1 / 6)
        return Tensor(name, np.clip(x.value / 6 + 0.5, 0, 1))

    def add(self, x: Tensor, y: Tensor, scope: str) -> Tensor:
        return Tensor(self.node("Add", [x.name, y.name], scope), x.value + y.value)

    def multiply(self, x: Tensor, y: Tensor, scope: str) -> Tensor:
        return Tensor(self.node("Mul", [x.name, y.name], scope), x.value * y.value)

    def concat(self, parts: Sequence[Tensor], scope: str) -> Tensor:
        name = self.node("Concat", [p.name for p in parts], scope, axis=1)
        return Tensor(name, np.concatenate([p.value for p in parts], 1))

    def max_pool(self, x: Tensor, scope: str, *, padding: int, ceil: bool) -> Tensor:
        """A 3x3 window with stride 2."""
        name = self.node(
            "MaxPool",
            [x.name],
            scope,
            ceil_mode=int(ceil),
            dilations=[1, 1],
            kernel_shape=[3, 3],
            pads=[padding] * 4,
            strides=[2, 2],
        )
        size = x.value.shape[2] + 2 * padding - 3
        extra = -size % 2 if ceil else 0
        ends = (padding, padding + extra)
        padded = np.pad(x.value, ((0, 0), (0, 0), ends, ends), constant_values=-np.inf)
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::2, ::2]
        return Tensor(name, windows.max((4, 5)))

    def global_pool(self, x: Tensor, scope: str) -> Tensor:
        return Tensor(self.node("GlobalAveragePool", [x.name], scope), x.value.mean((2, 3), keepdims=True))

    def reduce_mean(self, x: Tensor, scope: str) -> Tensor:
        name = self.node("ReduceMean", [x.name], scope, axes=[2, 3], keepdims=1)
        return Tensor(name, x.value.mean((2, 3), keepdims=True))

    def flatten(self, x: Tensor, scope: str) -> Tensor:
        name = self.node("Flatten", [x.name], scope, axis=1)
        return Tensor(name, x.value.reshape(x.value.shape[0], -1))

    def classifier(self, x: Tensor, classes: int, scope: str) -> Tensor:
        """A fully connected layer whose outputs differ from picture to picture."""
        w = self.rng.standard_normal((classes, x.value.shape[1])).astype(np.float32)
        y = x.value @ w.T
        w /= _coarse(np.array([(y - y.mean(0)).std()], np.float32))
        bias = -_coarse((x.value @ w.T).mean(0)) + 0.1 * self.rng.standard_normal(classes)
        names = [x.name, self.weight(f"{scope}.weight", w)]
        names.append(self.weight(f"{scope}.bias", bias.astype(np.float32)))
        name = self.node("Gemm", names, scope, alpha=1.0, beta=1.0, transB=1)
        return Tensor(name, x.value @ w.T + bias)

    def finish(self, output: Tensor, height: int, width: int) -> onnx.ModelProto:
        """The checked model with input (1, 3, height, width) and the output named "output"."""
        self.nodes[-1].output[0] = "output"
        shapes = [1, 3, height, width], [1, *output.value.shape[1:]]
        values = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in zip(("input", "output"), shapes, strict=True)
        ]
        graph = helper.make_graph(self.nodes, self.name, values[:1], values[1:], self.weights)
        return make_model(graph, self.opset)


def make_model(graph: onnx.GraphProto, opset: int) -> onnx.ModelProto:
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8, producer_name="sampan.zoo"
    )
    onnx.checker.check_model(model)
    return model


def conv2d(x: Array, w: Array, stride: int, padding: int, group: int) -> Array:
    """Convolution of (N, C, H, W) by (O, C / group, k, k), without bias; group is 1 or C."""
    k = w.shape[2]
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    height, width = ((n - k) // stride + 1 for n in padded.shape[2:])
    taps = [
        padded[:, :, i : i + stride * height : stride, j : j + stride * width : stride]
        for i in range(k)
        for j in range(k)
    ]
    if group == 1:
        columns = np.stack(taps, 2).reshape(x.shape[0], -1, height * width)
        return (w.reshape(w.shape[0], -1) @ columns).reshape(x.shape[0], -1, height, width)
    if group != x.shape[1] or w.shape[0] != group:
        raise ValueError(f"group {group} is neither 1 nor the {x.shape[1]} channels")
    flat = w.reshape(group, k * k)
    return sum((t * flat[:, n, None, None] for n, t in enumerate(taps)), np.zeros((), np.float32))


def _coarse(x: Array) -> Array:
    """Round to 9 significant bits, so that weights do not depend on how a BLAS adds up."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.round(mantissa * 512) / 512, exponent).astype(np.float32)
