"""The peers' own virtual environments, so that none of them touches the project's."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from demos.assets import cache_dir


@dataclass(frozen=True)
class Environment:
    """A virtual environment: folder in the cache, variable that points elsewhere, pip calls that fill it."""

    folder: str
    variable: str
    installs: tuple[tuple[str, ...], ...]


# One pip call per peer: a peer without a wheel for this Python is then the only one that is missing.
ENVIRONMENTS = {
    "peers": Environment(
        "peers-venv",
        "SAMPAN_PEERS_VENV",
        (
            ("numpy", "onnx"),
            ("onnxruntime==1.32.0",),
            ("openvino==2026.4.1",),
            ("ai-edge-litert==2.3.0",),
            ("MNN==3.6.1",),
            ("ncnn==1.0.20261020",),
            # Its declared dependency is a PyTorch of several gigabytes; the executable inside needs none of it.
            ("--no-deps", "pnnx==20261020"),
        ),
    ),
    "tensorflow": Environment(
        "peers-tensorflow-venv",
        "SAMPAN_PEERS_TENSORFLOW_VENV",
        (("tensorflow-cpu==2.19.0", "tf_keras==2.19.0", "onnx2tf==1.29.24", "onnx==1.19.1", "psutil"),),
    ),
}


def python_of(name: str) -> Path:
    """The Python of one environment, created and filled on first use. "project" is this interpreter."""
    if name == "project":
        return Path(sys.executable)
    environment = ENVIRONMENTS[name]
    override = os.environ.get(environment.variable)
    folder = Path(override) if override else cache_dir() / environment.folder
    python = folder / "bin" / "python"
    ready = folder / "sampan-ready"
    if override:
        if not python.exists():
            raise FileNotFoundError(f"{environment.variable} is {override}, but there is no {python}")
        return python
    wanted = repr(environment.installs)
    if ready.is_file() and ready.read_text() == wanted:
        return python
    print(f"creating {folder}", flush=True)
    venv.create(folder, with_pip=True)
    for install in environment.installs:
        print(f"  pip install {' '.join(install)}", flush=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *install]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["?"])[-1]
            print(f"  not installed, this peer will be missing: {reason}", flush=True)
    ready.write_text(wanted)
    return python
