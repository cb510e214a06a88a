"""MiniLM-L6, a BERT encoder, with its real weights and free batch and length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from converter.torch.weights import read_state_dict
from demos.assets import fetch
from tests.zoo.net import make_model

_HIDDEN, _HEADS, _LAYERS, _EPSILON = 384, 12, 6, 1e-12


class _Writer:
    """Emits what an exporter does: shapes taken apart and put together again, masks by arithmetic."""

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.state = read_state_dict(fetch("minilm_weights"))
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, onnx.TensorProto] = {}

    def node(self, op: str, inputs: Sequence[str], scope: str, **attributes: object) -> str:
        output = f"/{scope}/{op}_output_0"
        self.nodes.append(helper.make_node(op, list(inputs), [output], f"/{scope}/{op}", **attributes))
        return output

    def constant(self, scope: str, array: np.ndarray) -> str:
        return self.node("Constant", [], scope, value=numpy_helper.from_array(array))

    def number(self, scope: str, value: float) -> str:
        return self.constant(scope, np.float32(value))

    def weight(self, name: str, *, transposed: bool = False) -> str:
        if name not in self.weights:
            array = self.state[name]
            array = np.ascontiguousarray(array.T) if transposed else array
            self.weights[name] = numpy_helper.from_array(array, name)
        return name

    def unsqueeze(self, x: str, axis: int, scope: str) -> str:
        if self.opset < 13:
            return self.node("Unsqueeze", [x], scope, axes=[axis])
        return self.node("Unsqueeze", [x, self.constant(f"{scope}/axes", np.array([axis], np.int64))], scope)

    def size(self, x: str, axis: int, scope: str) -> str:
        """Size of one axis as a tensor of shape (1,)."""
        index = self.constant(f"{scope}/index", np.int64(axis))
        number = self.node("Gather", [self.node("Shape", [x], scope), index], scope, axis=0)
        return self.unsqueeze(number, 0, scope)

    def reshape(self, x: str, tail: Sequence[int], scope: str) -> str:
        """To (batch, length, *tail), the first two read from `x`."""
        parts = [self.size(x, axis, f"{scope}/{axis}") for axis in (0, 1)]
        parts += [self.constant(f"{scope}/tail{i}", np.array([n], np.int64)) for i, n in enumerate(tail)]
        return self.node("Reshape", [x, self.node("Concat", parts, scope, axis=0)], scope)

    def linear(self, x: str, name: str, scope: str) -> str:
        product = self.node("MatMul", [x, self.weight(f"{name}.weight", transposed=True)], scope)
        return self.node("Add", [self.weight(f"{name}.bias"), product], scope)

    def layer_norm(self, x: str, name: str, scope: str) -> str:
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        if self.opset >= 17:
            return self.node("LayerNormalization", [x, scale, shift], scope, axis=-1, epsilon=_EPSILON)
        mean = self.node("ReduceMean", [x], f"{scope}/mean", axes=[-1])
        centred = self.node("Sub", [x, mean], scope)
        square = self.node("Pow", [centred, self.number(f"{scope}/two", 2)], scope)
        variance = self.node("ReduceMean", [square], f"{scope}/variance", axes=[-1])
        floor = self.node("Add", [variance, self.number(f"{scope}/epsilon", _EPSILON)], f"{scope}/floor")
        unit = self.node("Div", [centred, self.node("Sqrt", [floor], scope)], scope)
        return self.node("Add", [self.node("Mul", [unit, scale], scope), shift], scope)

    def gelu(self, x: str, scope: str) -> str:
        inner = self.node(
            "Erf", [self.node("Div", [x, self.number(f"{scope}/root2", np.sqrt(2))], scope)], scope
        )
        plus = self.node("Add", [inner, self.number(f"{scope}/one", 1)], scope)
        return self.node(
            "Mul", [self.node("Mul", [x, plus], scope), self.number(f"{scope}/half", 0.5)], f"{scope}/end"
        )


def minilm_l6(opset: int = 17) -> onnx.ModelProto:
    """Inputs input_ids, attention_mask, token_type_ids: int64 (batch, length <= 512).

    The output last_hidden_state is (batch, length, 384). Opset 17 has LayerNormalization nodes; older
    ones (12 to 16) spell the same out in elementwise operators.
    """
    net = _Writer(opset)
    mask = net.unsqueeze(net.unsqueeze("attention_mask", 1, "mask/1"), 2, "mask/2")
    mask = net.node("Cast", [mask], "mask", to=TensorProto.FLOAT)
    mask = net.node("Sub", [net.number("mask/one", 1), mask], "mask")
    mask = net.node("Mul", [mask, net.number("mask/lowest", np.finfo(np.float32).min)], "mask")

    x = _embed(net)
    for i in range(_LAYERS):
        name, scope = f"encoder.layer.{i}", f"layer.{i}"
        attended = _attention(net, x, mask, f"{name}.attention", f"{scope}/attention")
        x = net.node("Add", [attended, x], f"{scope}/attention/residual")
        x = net.layer_norm(x, f"{name}.attention.output.LayerNorm", f"{scope}/attention/norm")
        inner = net.gelu(net.linear(x, f"{name}.intermediate.dense", f"{scope}/inner"), f"{scope}/gelu")
        outer = net.linear(inner, f"{name}.output.dense", f"{scope}/outer")
        x = net.node("Add", [outer, x], f"{scope}/residual")
        x = net.layer_norm(x, f"{name}.output.LayerNorm", f"{scope}/norm")
    net.nodes[-1].output[0] = "last_hidden_state"

    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "seq"]) for n in names]
    shape = ["batch", "seq", _HIDDEN]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)]
    graph = helper.make_graph(net.nodes, "minilm_l6", inputs, outputs, list(net.weights.values()))
    return make_model(graph, opset)


def _embed(net: _Writer) -> str:
    length = net.size("input_ids", 1, "embeddings/length")
    positions = net.constant("embeddings/positions", np.arange(512, dtype=np.int64)[None])
    start = net.constant("embeddings/start", np.array([0], np.int64))
    axis = net.constant("embeddings/axis", np.array([1], np.int64))
    positions = net.node("Slice", [positions, start, length, axis], "embeddings")
    parts = [
        net.node(
            "Gather", [net.weight(f"embeddings.{kind}_embeddings.weight"), ids], f"embeddings/{kind}", axis=0
        )
        for kind, ids in (("word", "input_ids"), ("token_type", "token_type_ids"), ("position", positions))
    ]
    x = net.node("Add", parts[:2], "embeddings/add1")
    x = net.node("Add", [x, parts[2]], "embeddings/add2")
    return net.layer_norm(x, "embeddings.LayerNorm", "embeddings/norm")


def _attention(net: _Writer, x: str, mask: str, name: str, scope: str) -> str:
    width = _HIDDEN // _HEADS

    def split(part: str, order: list[int]) -> str:
        y = net.linear(x, f"{name}.self.{part}", f"{scope}/{part}")
        y = net.reshape(y, (_HEADS, width), f"{scope}/{part}")
        return net.node("Transpose", [y], f"{scope}/{part}", perm=order)

    query, key, value = split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1]), split("value", [0, 2, 1, 3])
    scores = net.node("MatMul", [query, key], f"{scope}/scores")
    scores = net.node("Div", [scores, net.number(f"{scope}/root", np.sqrt(width))], f"{scope}/scores")
    scores = net.node("Add", [scores, mask], f"{scope}/scores")
    weights = net.node("Softmax", [scores], f"{scope}/scores", axis=-1)
    mixed = net.node("MatMul", [weights, value], f"{scope}/mixed")
    mixed = net.node("Transpose", [mixed], f"{scope}/mixed", perm=[0, 2, 1, 3])
    return net.linear(
        net.reshape(mixed, (_HIDDEN,), f"{scope}/merge"), f"{name}.output.dense", f"{scope}/output"
    )
