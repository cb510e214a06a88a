"""ncnn; files come from pnnx. Its float16 and bfloat16 storage is switched off."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ENVIRONMENT = "peers"
CONVERTER = "peers"
SUFFIX = ".ncnn.param"
MODULE = "ncnn"


class Runner:
    def load(self, path: Path, threads: int) -> None:
        import ncnn

        self.ncnn = ncnn
        self.net = ncnn.Net()
        self.net.opt.num_threads = threads
        self.net.opt.use_vulkan_compute = False
        for option in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
            setattr(self.net.opt, option, False)
        if self.net.load_param(str(path)) or self.net.load_model(str(path.with_suffix(".bin"))):
            raise RuntimeError("ncnn cannot load the converted model")
        self.inputs, self.outputs = self.net.input_names(), self.net.output_names()

    def prepare(self, inputs: dict[str, Any]) -> Any:
        # ncnn has no batch axis.
        arrays = [np.ascontiguousarray(a[0] if a.ndim > 1 else a) for a in inputs.values()]
        return [self.ncnn.Mat(array).clone() for array in arrays]

    def run(self, feed: Any) -> list[Any]:
        results = []
        with self.net.create_extractor() as extractor:
            for name, mat in zip(self.inputs, feed):
                extractor.input(name, mat)
            for name in self.outputs:
                code, mat = extractor.extract(name)
                if code:
                    raise RuntimeError(f"ncnn cannot compute {name} (code {code})")
                results.append(np.array(mat))
        return results


def convert(source: Path, target: Path) -> None:
    from benchmarks.peers.convert import inputs_of, unfolded

    kinds = {"float32": "f32", "int64": "i64", "int32": "i32"}
    shapes = []
    for number, file in enumerate(inputs_of(source)[:2], 1):  # a second set tells pnnx which axes are free
        with np.load(file) as archive:
            texts = [f"[{','.join(map(str, archive[n].shape))}]{kinds[str(archive[n].dtype)]}" for n in archive.files]
        shapes.append(f"inputshape{'' if number == 1 else number}={','.join(texts)}")
    spec = importlib.util.find_spec("pnnx")  # importing it would want PyTorch
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("pnnx is not installed")
    tool = Path(next(iter(spec.submodule_search_locations))) / "pnnx"
    with tempfile.TemporaryDirectory() as temporary:
        shutil.copy(unfolded(source), f"{temporary}/m.onnx")
        command = [str(tool), "m.onnx", *shapes, "fp16=0"]
        done = subprocess.run(command, cwd=temporary, capture_output=True, text=True, timeout=600, check=False)
        files = [Path(temporary, f"m.ncnn.{kind}") for kind in ("param", "bin")]
        if not all(file.exists() for file in files):
            lines = (done.stderr or done.stdout).strip().splitlines() or ["wrote no file"]
            raise RuntimeError(f"pnnx exit {done.returncode}: {lines[-1]}")
        shutil.copy(files[1], target.with_suffix(".bin"))
        shutil.copy(files[0], target)
