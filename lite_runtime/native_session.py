"""Models and sessions as the C++ library has them: arrays by position, nothing is converted."""
from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np

from . import _native
from .dtypes import array_dtype_name, dtype_code
from .errors import InvalidArgument, IoError


@dataclass(frozen=True)
class ValueInfo:
    """An input or output of a model. shape: numbers and symbols; None when the rank depends on data."""

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None

    def __repr__(self) -> str:
        return f"{self.name}: {self.dtype}{'[?]' if self.shape is None else str(list(self.shape)).replace(chr(39), '')}"


class Model:
    """A loaded, verified, immutable model that any number of sessions can share."""

    def __init__(self, native: Any, source: str | PathLike | bytes | None = None):
        self.native = native
        self.source = source  # where it was loaded from
        self.inputs = tuple(ValueInfo(**d) for d in native.inputs())
        self.outputs = tuple(ValueInfo(**d) for d in native.outputs())
        self.metadata: dict[str, str] = native.metadata()


def load_model(source: str | PathLike | bytes | Model, *, check: str = "structure", mapped: bool = True) -> Model:
    """Loads a .spn file from a path or from bytes.

    check: "structure" (header and structure with their checksums) or "full" (weights, too). mapped: weights are read
    as they are needed; with False they are read into private memory. Raises BadModel, NewerVersion, Unsupported,
    IoError.
    """
    if check not in ("structure", "full"):
        raise InvalidArgument(f"check={check!r}: expected 'structure' or 'full'")
    if isinstance(source, Model):
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        return Model(_native.Model.from_bytes(source, check == "full"), bytes(source))
    path = os.fsdecode(fspath(source))
    if not os.path.isfile(path):
        raise IoError(f"{path}: no such file")
    return Model(_native.Model.load(path, check == "full", mapped), path)


class NativeSession:
    """Runs a model for one caller at a time."""

    def __init__(self, model: Model, *, threads: int = 1, isa: str | None = None, profile: bool = False,
                 keep_intermediates: bool = False, nan_watch: bool = False, max_memory: int = 1 << 36,
                 max_work: int = 0, deadline_seconds: float = 0.0):
        self.model = model
        self._native = _native.Session(model.native, {
            "threads": threads, "isa": isa, "profile": profile, "keep_intermediates": keep_intermediates,
            "nan_watch": nan_watch, "max_memory": max_memory, "max_work": max_work,
            "deadline_seconds": deadline_seconds})

    def run(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray | None] | None = None,
            dtypes: Sequence[int] | None = None) -> list[np.ndarray]:
        """One inference; the interpreter's lock is released meanwhile.

        inputs: C-contiguous arrays in the model's order. outputs: arrays to write into, None for new ones.
        dtypes: the runtime's numbers of the inputs' types, where arrays do not tell (bfloat16 as uint16).
        """
        if dtypes is None:
            dtypes = [dtype_code(array_dtype_name(a)) for a in inputs]
        if outputs is None:
            outputs = [None] * len(self.model.outputs)
        return self._native.run(inputs, dtypes, outputs)

    def plan(self, inputs: Sequence[np.ndarray], dtypes: Sequence[int] | None = None) -> list[tuple[int, ...]] | None:
        """Output shapes for such inputs, or None where they depend on data."""
        if dtypes is None:
            dtypes = [dtype_code(array_dtype_name(a)) for a in inputs]
        return self._native.plan(inputs, dtypes)

    def tensor(self, name: str) -> np.ndarray:
        """A copy of a computed tensor by its name in the file (needs keep_intermediates)."""
        return self._native.tensor(name)

    def cancel(self) -> None:
        """Makes a run in another thread end soon, with Cancelled."""
        self._native.cancel()

    def profile(self) -> list[dict[str, Any]]:
        """The last run's nodes in order: node, op, kernel, sources, start_ns, duration_ns, thread."""
        return self._native.profile()

    def memory(self) -> dict[str, int]:
        """arena_bytes, lower_bound_bytes, without_reuse_bytes, packed_weight_bytes, plans."""
        return self._native.memory()

    @property
    def isa(self) -> str:
        return self._native.isa()


def isa_names() -> list[str]:
    """Instruction sets that this build and CPU have in common, the best one last."""
    return _native.isa_names()
