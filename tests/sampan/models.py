"""Small models, written straight in the file's terms: what is tested here must not depend on a converter."""
from __future__ import annotations

from typing import Any

import numpy as np

from sampan import lite_runtime


class Maker:
    """Collects tensors and nodes: m.input(...), m.node(...), m.output(...), m.bytes()."""

    def __init__(self) -> None:
        self.tensors: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = []
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.metadata: list[dict[str, str]] = []

    def tensor(self, name: str, dtype: str, shape: Any = None, **more: Any) -> int:
        spec: dict[str, Any] = {"name": name, "dtype": dtype, "kind": "computed", **more}
        if shape is not None:
            spec["dims"] = [-1 if isinstance(d, str) else d for d in shape]
            if any(isinstance(d, str) for d in shape):
                spec["symbols"] = [d if isinstance(d, str) else "" for d in shape]
        self.tensors.append(spec)
        return len(self.tensors) - 1

    def input(self, name: str, dtype: str, *shape: int | str) -> int:
        index = self.tensor(name, dtype, shape, kind="input")
        self.inputs.append(index)
        return index

    def constant(self, name: str, array: np.ndarray) -> int:
        return self.tensor(name, str(array.dtype), array.shape, kind="constant", data=array)

    def node(self, op: str, inputs: list[int], out: str, dtype: str, shape: Any = None, **attrs: Any) -> int:
        index = self.tensor(out, dtype, shape)
        self.nodes.append({"op": op, "name": f"{op}_{out}", "attrs": attrs, "inputs": inputs, "outputs": [index],
                           "sources": [f"source_{out}"]})
        return index

    def output(self, *tensors: int) -> Maker:
        self.outputs += tensors
        return self

    def bytes(self) -> bytes:
        data = lite_runtime.write_model({
            "graphs": [{"name": "main", "tensors": self.tensors, "nodes": self.nodes, "inputs": self.inputs,
                        "outputs": self.outputs}],
            "metadata": self.metadata})
        assert data is not None
        return data


def affine(dtype: str = "float32") -> bytes:
    """image [batch, 3, h, w] -> double = image + image, shifted = double + [1]."""
    m = Maker()
    x = m.input("image", dtype, "batch", 3, "h", "w")
    double = m.node("Add", [x, x], "double", dtype, ("batch", 3, "h", "w"))
    one = m.constant("one", np.ones(1, dtype))
    shifted = m.node("Add", [double, one], "shifted", dtype, ("batch", 3, "h", "w"))
    m.metadata.append({"key": "labels", "value": "cat,dog"})
    return m.output(double, shifted).bytes()


def two_inputs() -> bytes:
    """a [n, 4] + b [n, 4] -> sum."""
    m = Maker()
    a, b = m.input("a", "float32", "n", 4), m.input("b", "float32", "n", 4)
    return m.output(m.node("Add", [a, b], "sum", "float32", ("n", 4))).bytes()


def square(dtype: str) -> bytes:
    """x [2, 3] * x -> y."""
    m = Maker()
    x = m.input("x", dtype, 2, 3)
    return m.output(m.node("Mul", [x, x], "y", dtype, (2, 3))).bytes()


def nonzero() -> bytes:
    """x [n] -> indices [1, ?]: a shape that depends on data."""
    m = Maker()
    x = m.input("x", "float32", "n")
    return m.output(m.node("NonZero", [x], "indices", "int64", (1, "?1"))).bytes()


def division() -> bytes:
    """a [n] / b [n] -> q, float32: makes NaN or infinity out of zeros."""
    m = Maker()
    a, b = m.input("a", "float32", "n"), m.input("b", "float32", "n")
    q = m.node("Div", [a, b], "q", "float32", ("n",))
    return m.output(m.node("Neg", [q], "negated", "float32", ("n",))).bytes()


def network() -> bytes:
    """x [n, 8, 8, 3] through a convolution with packed weights, a pool, a reshape and a product -> scores [n, 4]."""
    rng = np.random.default_rng(5)
    attrs: dict[str, Any] = {"layout": "NHWC", "pads": [1, 1, 1, 1], "strides": [2, 2], "activation": "clip", "act_alpha": 0.0,
             "act_beta": 6.0}
    m = Maker()
    x = m.input("x", "float32", "n", 8, 8, 3)
    kernel = rng.standard_normal((5, 3, 3, 3)).astype(np.float32)
    packed = lite_runtime.pack_constant("Conv", attrs, 1, kernel)
    assert packed is not None
    w = m.tensor("w", "float32", kernel.shape, kind="constant", data=packed)
    c = m.node("Conv", [x, w], "c", "float32", ("n", 4, 4, 5), **attrs)
    p = m.node("MaxPool", [c], "p", "float32", ("n", 2, 2, 5), kernel_shape=[2, 2], strides=[2, 2], layout="NHWC")
    shape = m.constant("shape", np.array([-1, 20], np.int64))
    r = m.node("Reshape", [p, shape], "r", "float32", ("n", 20))
    weights = m.constant("weights", rng.standard_normal((20, 4)).astype(np.float32))
    s = m.node("MatMul", [r, weights], "s", "float32", ("n", 4))
    return m.output(m.node("Softmax", [s], "scores", "float32", ("n", 4), axis=-1)).bytes()
