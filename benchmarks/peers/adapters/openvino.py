"""OpenVINO on the CPU. It would compute in bfloat16 where the processor can; asked for float32 here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENVIRONMENT = "peers"
SUFFIX = ".onnx"
MODULE = "openvino"


class Runner:
    def load(self, path: Path, threads: int) -> None:
        import openvino

        settings = {
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
            "PERFORMANCE_HINT": "LATENCY",
            "ENABLE_CPU_PINNING": False,
        }
        self.model = openvino.Core().compile_model(str(path), "CPU", settings)
        self.request = self.model.create_infer_request()

    def prepare(self, inputs: dict[str, Any]) -> Any:
        return inputs

    def run(self, feed: Any) -> list[Any]:
        result = self.request.infer(feed, share_inputs=True, share_outputs=True)
        return [result[output] for output in self.model.outputs]
