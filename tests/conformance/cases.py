"""The two kinds of cases: ONNX node tests (protobuf data sets) and our own (npz files with a description)."""
from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

import sampan
from sampan.lite_runtime.errors import Unsupported

from .judge import difference


def run_model(path: Path, feeds: list[Mapping[str, np.ndarray]]) -> Iterator[dict[str, np.ndarray]]:
    """Converts, saves, loads and runs a model for each set of inputs."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        target = Path(folder) / "model.spn"
        sampan.convert(path, target)
        session = sampan.Session(target)
        names = {v.name for v in session.inputs}
        for feed in feeds:
            yield session.run({k: v for k, v in feed.items() if k in names})


def _tensor(path: Path, info: onnx.ValueInfoProto) -> Any:
    kind = info.type.WhichOneof("value")
    if kind != "tensor_type":
        raise Unsupported(f"values of type {kind.removesuffix('_type')} are not supported")
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def check_node_case(folder: Path) -> str:
    """A folder with model.onnx and test_data_set_*/{input,output}_*.pb. What differs, or ""."""
    model = onnx.load(folder / "model.onnx")
    feeds, wanted = [], []
    for data in sorted(folder.glob("test_data_set_*")):
        feeds.append({v.name: _tensor(data / f"input_{i}.pb", v) for i, v in enumerate(model.graph.input)
                      if (data / f"input_{i}.pb").exists()})
        wanted.append({v.name: _tensor(data / f"output_{i}.pb", v) for i, v in enumerate(model.graph.output)
                       if (data / f"output_{i}.pb").exists()})
    for got, want in zip(run_model(folder / "model.onnx", feeds), wanted):
        for name, array in want.items():
            reason = f"output {name!r} is missing" if name not in got else difference(got[name], array)
            if reason:
                return f"{name}: {reason}"
    return ""


def check_own_case(folder: Path) -> str:
    """A folder with model.onnx, inputs.npz, outputs.npz and case.json. What differs, or ""."""
    about = json.loads((folder / "case.json").read_text())
    if not (folder / "model.onnx").exists():
        raise Unsupported("only ONNX models can be read")
    if about["task"] != "run":
        raise Unsupported(f"the task {about['task']!r} is not supported")
    wanted = np.load(folder / "outputs.npz")
    feed = dict(np.load(folder / "inputs.npz"))
    got = next(run_model(folder / "model.onnx", [feed]))
    for spec in about["outputs"]:
        name = spec["name"]
        reason = "missing" if name not in got else difference(
            got[name], wanted[name], rtol=about["rtol"], atol=about["atol"], step=about["int8_max_step"])
        if reason:
            return f"{name}: {reason}"
    return ""


CHECKS: dict[str, Callable[[Path], str]] = {"node": check_node_case, "own": check_own_case}


def operators(folder: Path) -> list[str]:
    """The operators of a case's model, as "Op" or "domain.Op"."""
    path = folder / "model.onnx"
    if not path.exists():
        return []
    model = onnx.load(path, load_external_data=False)
    return sorted({n.op_type if n.domain in ("", "ai.onnx") else f"{n.domain}.{n.op_type}" for n in model.graph.node})
