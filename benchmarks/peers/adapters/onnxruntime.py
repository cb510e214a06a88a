"""ONNX Runtime, CPU provider, all graph optimisations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENVIRONMENT = "peers"
SUFFIX = ".onnx"
MODULE = "onnxruntime"


class Runner:
    def load(self, path: Path, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def prepare(self, inputs: dict[str, Any]) -> Any:
        return inputs

    def run(self, feed: Any) -> list[Any]:
        return list(self.session.run(None, feed))
