"""MNN, Module interface, precision "high"."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

ENVIRONMENT = "peers"
CONVERTER = "peers"
SUFFIX = ".mnn"
MODULE = "MNN"


class Runner:
    def load(self, path: Path, threads: int) -> None:
        import MNN

        self.expr = MNN.expr
        settings = {"backend": "CPU", "numThread": threads, "precision": "high"}
        manager = MNN.nn.create_runtime_manager((settings,))
        self.net = MNN.nn.load_module_from_file(str(path), [], [], runtime_manager=manager)
        self.names = self.net.get_info()["inputNames"]

    def prepare(self, inputs: dict[str, Any]) -> Any:
        kinds = {"float32": self.expr.float, "int32": self.expr.int}
        feed = []
        for name in self.names:
            array = np.ascontiguousarray(inputs[name])
            array = array.astype(np.int32) if array.dtype == np.int64 else array
            feed.append(self.expr.const(array, list(array.shape), self.expr.NCHW, kinds[str(array.dtype)]))
        return feed

    def run(self, feed: Any) -> list[Any]:
        results = []
        for value in self.net.onForward(feed):
            plain = self.expr.convert(value, self.expr.NCHW) if value.data_format == self.expr.NC4HW4 else value
            results.append(np.array(plain.read()))
        return results


def convert(source: Path, target: Path) -> None:
    # The wheel's console scripts install a logging package on their first start; its converter itself does not.
    arguments = ["mnnconvert", "-f", "ONNX", "--modelFile", str(source), "--MNNModel", str(target), "--bizCode", "x"]
    code = "import sys, _tools; _tools.mnnconvert(sys.argv[1:])"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode or not target.exists():
        lines = (done.stdout + done.stderr).strip().splitlines() or ["wrote no file"]
        raise RuntimeError(f"mnnconvert exit {done.returncode}: {lines[-1]}")
