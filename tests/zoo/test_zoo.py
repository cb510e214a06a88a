"""The zoo itself: models are valid, alive on photographs, and right where their weights are real."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from demos.assets import fetch
from demos.assets.imagenet import labels, prepare
from tests.zoo import MODELS, build, make_inputs, model_path
from tests.zoo.net import conv2d

ort = pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.zoo

RANDOM = ("mobilenet_v1", "mobilenet_v2", "mobilenet_v3_large", "resnet18", "resnet50", "squeezenet1_1")


def _session(model: onnx.ModelProto | str) -> Any:
    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    source = model if isinstance(model, str) else model.SerializeToString()
    return ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("name", MODELS)
def test_model_runs_on_its_inputs(name: str) -> None:
    session = _session(str(model_path(name)))
    inputs = make_inputs(name)
    assert {i.name for i in session.get_inputs()} == set(inputs)
    outputs = session.run(None, inputs)
    other = session.run(None, make_inputs(name, 1))
    assert all(np.isfinite(o).all() for o in outputs)
    assert any(not np.array_equal(a, b) for a, b in zip(outputs, other, strict=True))


@pytest.mark.parametrize("name", [*RANDOM, "efficientnet_lite0"])
def test_no_value_vanishes_or_saturates(name: str) -> None:
    model = onnx.load(model_path(name))
    known = {o.name for o in model.graph.output}
    for node in model.graph.node:
        if (
            node.op_type
            in (
                "Conv",
                "BatchNormalization",
                "Clip",
                "Relu",
                "HardSwish",
                "Add",
                "Mul",
                "MaxPool",
                "Gemm",
            )
            and node.output[0] not in known
        ):
            model.graph.output.append(onnx.ValueInfoProto(name=node.output[0]))
    session = _session(model)
    names = [o.name for o in session.get_outputs()]
    finals = []
    for which in range(6):
        values = dict(zip(names, session.run(None, make_inputs(name, which)), strict=True))
        finals.append(values["output"][0])
        wrong = {n: float(v.std()) for n, v in values.items() if not 0.05 < v.std() < 20}
        assert not wrong
    across = np.stack(finals)
    assert across.std(0).mean() > 0.3 * across.std(), "pictures are hardly told apart"


@pytest.mark.parametrize("name", ["mobilenet_v1", "resnet18"])
def test_normalisation_is_kept_where_promised(name: str) -> None:
    operators = [n.op_type for n in onnx.load(model_path(name)).graph.node]
    assert operators.count("BatchNormalization") == operators.count("Conv")


def test_built_models_are_the_same_every_time() -> None:
    assert (
        build("mobilenet_v2").SerializeToString(deterministic=True) == model_path("mobilenet_v2").read_bytes()
    )


def test_unknown_model_is_named() -> None:
    with pytest.raises(KeyError, match=r"no model 'resnet19'.*resnet18"):
        model_path("resnet19")


@pytest.mark.parametrize(
    ("file", "index", "label"), [("chelsea.png", 285, "Egyptian cat"), ("coffee.png", 967, "espresso")]
)
def test_efficientnet_lite0_names_the_picture(file: str, index: int, label: str) -> None:
    (output,) = _session(str(model_path("efficientnet_lite0"))).run(
        None, {"input": prepare(fetch("photos") / file)}
    )
    assert int(output[0].argmax()) == index
    assert labels()[index] == label


@pytest.mark.parametrize(("batch", "length"), [(1, 1), (1, 128), (3, 17)])
def test_minilm_is_the_same_in_both_opsets(batch: int, length: int) -> None:
    inputs = make_inputs("minilm_l6", batch=batch, length=length)
    new, old = (_session(str(model_path(n))).run(None, inputs)[0] for n in ("minilm_l6", "minilm_l6_opset12"))
    assert new.shape == (batch, length, 384)
    np.testing.assert_allclose(new, old, atol=2e-5)


def test_minilm_finds_related_sentences_closer() -> None:
    """Tokens of "a cat sits on the mat", "a kitten lies on a rug", "stocks fell sharply in london"."""
    tokens = [
        [1037, 4937, 7719, 2006, 1996, 13523],
        [1037, 18401, 3658, 2006, 1037, 20452],
        [15768, 3062, 9249, 1999, 2414],
    ]
    session = _session(str(model_path("minilm_l6")))
    vectors = []
    for row in tokens:
        ids = np.array([[101, *row, 102]], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feed)[0][0].mean(0)
        vectors.append(mean / np.linalg.norm(mean))
    assert vectors[0] @ vectors[1] > 0.4 > vectors[0] @ vectors[2]


@pytest.mark.parametrize(
    ("group", "kernel", "stride", "padding"), [(1, 3, 2, 1), (1, 1, 1, 0), (6, 5, 2, 2), (6, 3, 1, 1)]
)
def test_builder_convolution_matches(group: int, kernel: int, stride: int, padding: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 6, 11, 9)).astype(np.float32)
    w = rng.standard_normal((6, 6 // group, kernel, kernel)).astype(np.float32)
    attributes = {"strides": [stride] * 2, "pads": [padding] * 4, "group": group}
    node = onnx.helper.make_node("Conv", ["x", "w"], ["y"], **attributes)
    values = [onnx.helper.make_tensor_value_info(n, 1, None) for n in "xwy"]
    graph = onnx.helper.make_graph([node], "conv", values[:2], values[2:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    (expected,) = _session(model).run(None, {"x": x, "w": w})
    np.testing.assert_allclose(conv2d(x, w, stride, padding, group), expected, atol=1e-5)
