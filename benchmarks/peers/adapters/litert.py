"""LiteRT (TensorFlow Lite) with its XNNPACK delegate; files come from onnx2tf, or as the package ships them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ENVIRONMENT = "peers"
CONVERTER = "tensorflow"
SUFFIX = ".tflite"
MODULE = "ai_edge_litert.interpreter"


def _plain(name: str) -> str:
    return name.removeprefix("serving_default_").split(":")[0]


class Runner:
    def load(self, path: Path, threads: int) -> None:
        from ai_edge_litert.interpreter import Interpreter

        self.net = Interpreter(model_path=str(path), num_threads=threads)
        self.net.allocate_tensors()
        self.inputs, self.outputs = self.net.get_input_details(), self.net.get_output_details()

    def prepare(self, inputs: dict[str, Any]) -> Any:
        left = dict(inputs)
        feed = []
        for detail in self.inputs:
            matches = [key for key in left if _plain(key) == _plain(detail["name"])]
            array = left.pop(matches[0] if matches else next(iter(left)))
            if tuple(detail["shape"]) != array.shape and array.ndim == 4:  # the converter moves channels last
                array = array.transpose(0, 2, 3, 1)
            feed.append((detail["index"], np.ascontiguousarray(array.astype(detail["dtype"]))))
        return feed

    def run(self, feed: Any) -> list[Any]:
        for index, array in feed:
            self.net.set_tensor(index, array)
        self.net.invoke()
        return [self.net.get_tensor(detail["index"]) for detail in self.outputs]


def convert(source: Path, target: Path) -> None:
    from benchmarks.peers.convert import inputs_of

    if len(inputs_of(source)) > 1:
        raise RuntimeError("not tried: onnx2tf wants fixed shapes")
    tool = Path(sys.executable).with_name("onnx2tf")
    with tempfile.TemporaryDirectory() as temporary:
        # onnx2tf looks for this file and would download it; its content only matters for quantization.
        sample = np.zeros((20, 128, 128, 3), np.float32)
        np.save(Path(temporary) / "calibration_image_sample_data_20x128x128x3_float32.npy", sample)
        # Without -dsm every node is checked against onnxruntime, which takes minutes; outputs are checked later.
        command = [str(tool), "-i", str(source), "-o", f"{temporary}/out", "-n", "-dsm"]
        done = subprocess.run(command, cwd=temporary, capture_output=True, text=True, timeout=1800, check=False)
        files = list(Path(temporary, "out").glob("*_float32.tflite"))
        if len(files) != 1:
            lines = [line for line in (done.stdout + done.stderr).splitlines() if "rror" in line]
            raise RuntimeError(f"onnx2tf exit {done.returncode}: {(lines or ['wrote no file'])[-1].strip()}")
        shutil.copy(files[0], target)
