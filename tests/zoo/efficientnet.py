"""EfficientNet-Lite0 with its real weights."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from converter.torch.weights import read_state_dict
from demos.assets import fetch
from tests.zoo.net import make_model

# repeats, kernel, stride, expansion, output channels
_STAGES = [
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
]
_EPSILON = 1e-3


class _Writer:
    """Emits nodes; tracks the height (= width) of the picture, which decides the padding."""

    def __init__(self, fold: bool, size: int) -> None:
        self.fold = fold
        self.size = size
        self.state = read_state_dict(fetch("efficientnet_lite0_weights"))
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(self, op: str, inputs: list[str], scope: str, **attributes: object) -> str:
        output = f"/{scope}/{op}_output_0"
        self.nodes.append(helper.make_node(op, inputs, [output], f"/{scope}/{op}", **attributes))
        return output

    def constant(self, scope: str, array: np.ndarray) -> str:
        return self.node("Constant", [], scope, value=numpy_helper.from_array(array))

    def weight(self, name: str, array: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def conv(
        self, x: str, weight: str, norm: str, scope: str, *, stride: int = 1, depthwise: bool = False
    ) -> str:
        w = self.state[f"{weight}.weight"]
        k = w.shape[2]
        if k > 1:
            x = self.pad(x, k, stride, scope)
        attributes = {
            "dilations": [1, 1],
            "group": w.shape[0] if depthwise else 1,
            "kernel_shape": [k, k],
            "pads": [0, 0, 0, 0],
            "strides": [stride, stride],
        }
        scale, shift, mean, variance = (
            self.state[f"{norm}.{n}"] for n in ("weight", "bias", "running_mean", "running_var")
        )
        if self.fold:
            slope = scale / np.sqrt(variance + np.float32(_EPSILON))
            names = [x, self.weight(f"{weight}.weight", w * slope[:, None, None, None])]
            return self.node(
                "Conv", [*names, self.weight(f"{weight}.bias", shift - mean * slope)], scope, **attributes
            )
        x = self.node("Conv", [x, self.weight(f"{weight}.weight", w)], scope, **attributes)
        statistics = zip(
            ("weight", "bias", "running_mean", "running_var"), (scale, shift, mean, variance), strict=True
        )
        names = [self.weight(f"{norm}.{n}", a) for n, a in statistics]
        return self.node("BatchNormalization", [x, *names], scope, epsilon=_EPSILON, momentum=0.99)

    def pad(self, x: str, kernel: int, stride: int, scope: str) -> str:
        """TensorFlow's "same" padding, the odd pixel at the end, with the constant arithmetic of an export.

        PyTorch counts padding from the last axis; its exporter leaves the reordering to the graph.
        """
        out = -(-self.size // stride)
        total = max((out - 1) * stride + kernel - self.size, 0)
        self.size = out
        ends = np.array([total // 2, total - total // 2] * 2, np.int64)
        scope = f"{scope}.pad"
        count = self.constant(f"{scope}/count", np.array([4], np.int64))
        zeros = self.node(
            "ConstantOfShape", [count], scope, value=numpy_helper.from_array(np.zeros(1, np.int64))
        )
        pads = self.node("Concat", [self.constant(f"{scope}/ends", ends), zeros], scope, axis=0)
        pads = self.node(
            "Reshape", [pads, self.constant(f"{scope}/pairs", np.array([-1, 2], np.int64))], scope
        )
        bounds = [
            self.constant(f"{scope}/{n}", np.array([v], np.int64))
            for n, v in (("start", -1), ("stop", np.iinfo(np.int64).min + 1), ("axis", 0), ("step", -1))
        ]
        pads = self.node("Slice", [pads, *bounds], scope)
        pads = self.node("Transpose", [pads], scope, perm=[1, 0])
        flat = self.constant(f"{scope}/flat", np.array([-1], np.int64))
        pads = self.node(
            "Cast", [self.node("Reshape", [pads, flat], f"{scope}/order")], scope, to=TensorProto.INT64
        )
        return self.node(
            "Pad", [x, pads, self.constant(f"{scope}/zero", np.float32(0))], scope, mode="constant"
        )

    def relu6(self, x: str, scope: str) -> str:
        bounds = [self.constant(f"{scope}/{n}", np.float32(v)) for n, v in (("min", 0), ("max", 6))]
        return self.node("Clip", [x, *bounds], scope)


def efficientnet_lite0(fold: bool, size: int = 224) -> onnx.ModelProto:
    """Input (1, 3, size, size), scaled (x - 127) / 128; output (1, 1000) before softmax."""
    net = _Writer(fold, size)
    x = net.relu6(net.conv("input", "_conv_stem", "_bn0", "stem", stride=2), "stem")
    block, inputs = 0, 32
    for repeats, _, first_stride, expand, channels in _STAGES:
        for i in range(repeats):
            stride = first_stride if i == 0 else 1
            name, scope, start = f"_blocks.{block}", f"blocks.{block}", x
            if expand > 1:
                x = net.relu6(
                    net.conv(x, f"{name}._expand_conv", f"{name}._bn0", f"{scope}.expand"), f"{scope}.expand"
                )
            depthwise = f"{scope}.depthwise"
            x = net.conv(
                x, f"{name}._depthwise_conv", f"{name}._bn1", depthwise, stride=stride, depthwise=True
            )
            x = net.conv(net.relu6(x, depthwise), f"{name}._project_conv", f"{name}._bn2", f"{scope}.project")
            if stride == 1 and inputs == channels:
                x = net.node("Add", [x, start], scope)
            block, inputs = block + 1, channels
    x = net.relu6(net.conv(x, "_conv_head", "_bn1", "head"), "head")
    x = net.node("Flatten", [net.node("GlobalAveragePool", [x], "pool")], "flatten", axis=1)
    names = [net.weight(n, net.state[n]) for n in ("_fc.weight", "_fc.bias")]
    net.nodes.append(
        helper.make_node("Gemm", [x, *names], ["output"], "/fc/Gemm", alpha=1.0, beta=1.0, transB=1)
    )
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("input", [1, 3, size, size]), ("output", [1, 1000]))
    ]
    graph = helper.make_graph(net.nodes, "efficientnet_lite0", values[:1], values[1:], net.weights)
    return make_model(graph, 17)
