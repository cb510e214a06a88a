"""Make the file each peer reads; failures are kept with their reason and not tried again.

Run inside an environment, `python -m benchmarks.peers.convert PEER SOURCE TARGET` does one conversion;
PEER "plain" folds constants and fixes the shapes of SOURCE to those of the inputs in TARGET's folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.peers.adapters import adapter
from benchmarks.peers.environment import python_of
from benchmarks.peers.suite import SUITE
from demos.assets import cache_dir, fetch

ROOT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    path = cache_dir() / "peers"
    path.mkdir(parents=True, exist_ok=True)
    return path


def inputs_of(onnx: Path) -> list[Path]:
    """The .npz files with the inputs of a model, one per shape, that lie beside its plain form."""
    return sorted(onnx.parent.glob(f"{onnx.stem}.[0-9].npz"))


def unfolded(plain: Path) -> Path:
    """The form of a model that has its shapes fixed but nothing folded, beside the plain one."""
    return plain.with_suffix(".unfolded.onnx")


def inputs_paths(name: str) -> list[Path]:
    return inputs_of(folder() / f"{name}.onnx")


def converted(name: str, peer: str) -> tuple[Path | None, str]:
    """(file, "") that `peer` reads for a model of the suite, or (None, reason); converts when needed."""
    import numpy as np

    from tests.zoo import make_inputs, model_path

    model, *shapes = SUITE[name]
    source, plain = model_path(model), folder() / f"{name}.onnx"
    if not _is_newer(plain, source):
        for number, sizes in enumerate(shapes):
            np.savez(folder() / f"{name}.{number}.npz", **make_inputs(model, **sizes))
        _run("peers", "plain", source, plain)
    module = adapter(peer)
    target = folder() / f"{name}{module.SUFFIX}"
    if module.SUFFIX == ".onnx":
        return target, ""
    if peer == "litert" and model == "basic_pitch":
        return fetch("basic_pitch_tflite"), ""
    failure = folder() / f"{name}.{peer}.failed"
    if peer == "sampan":  # changes from day to day: always converted anew
        failure.unlink(missing_ok=True)
        target.unlink(missing_ok=True)
    if failure.is_file() and _is_newer(failure, plain):
        return None, failure.read_text()
    if not _is_newer(target, plain):
        print(f"converting {name} for {peer}", flush=True)
        try:
            _run(module.CONVERTER, peer, plain, target)
        except RuntimeError as error:
            if "TimeoutExpired" not in str(error):  # a busy machine, perhaps: worth another try
                failure.write_text(str(error))
            print(f"  failed: {error}", flush=True)
            return None, str(error)
    return target, ""


def _is_newer(path: Path, than: Path) -> bool:
    return path.is_file() and path.stat().st_mtime_ns >= than.stat().st_mtime_ns


def _run(environment: str, *arguments: object) -> None:
    command = [str(python_of(environment)), "-m", "benchmarks.peers.convert", *map(str, arguments)]
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    settings = os.environ | {"PYTHONPATH": search, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise RuntimeError(lines[-1].strip()[:300])


def make_plain(source: Path, target: Path) -> None:
    """Constants folded and, if there is one set of inputs only, shapes fixed: what every converter takes."""
    import numpy as np
    import onnx
    import onnxruntime

    model = onnx.load(source)
    inputs = inputs_of(target)
    with np.load(inputs[0]) as archive:
        shapes = {name: archive[name].shape for name in archive.files}
    for value in model.graph.input if len(inputs) == 1 else []:
        for dimension, size in zip(value.type.tensor_type.shape.dim, shapes[value.name], strict=True):
            dimension.dim_value = size
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    # pnnx does better on the file before folding: it recognises the exporter's patterns.
    onnx.save(model, unfolded(target))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    temporary = target.with_suffix(".tmp")
    options.optimized_model_filepath = str(temporary)
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    onnx.save(onnx.shape_inference.infer_shapes(onnx.load(temporary)), temporary)
    os.replace(temporary, target)


def main() -> int:
    peer, source, target = sys.argv[1:]
    try:
        if peer == "plain":
            make_plain(Path(source), Path(target))
        else:
            adapter(peer).convert(Path(source), Path(target))
    except Exception as error:  # noqa: BLE001  a converter may fail in any way; the driver wants one line
        print(json.dumps(f"{type(error).__name__}: {error}").strip('"'), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
