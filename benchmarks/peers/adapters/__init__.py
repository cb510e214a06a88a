"""One module per runtime.

A module defines SUFFIX (of the file it reads), ENVIRONMENT (where it runs), a `Runner`, and, unless it
reads ONNX itself, `convert(source, target)` and CONVERTER (the environment that does it).
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Protocol

PEERS = ("onnxruntime", "openvino", "litert", "ncnn", "mnn")
ALL = ("sampan", *PEERS)


class Runner(Protocol):
    """How one runtime is driven. Only what load() and run() do is timed."""

    def load(self, path: Path, threads: int) -> None:
        """Read the model and get ready to run it."""

    def prepare(self, inputs: dict[str, Any]) -> Any:
        """Turn {name: numpy array}, in the model's order, into what run() takes."""

    def run(self, feed: Any) -> list[Any]:
        """Copy the inputs in, run, return finished outputs as numpy arrays."""


def adapter(name: str) -> Any:
    return importlib.import_module(f"benchmarks.peers.adapters.{name}")
