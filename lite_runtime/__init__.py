"""The C++ runtime and its operator library, seen from Python.

This is the layer the host tools are built on. Programs that only run models use `sampan.Session`.
"""
from __future__ import annotations

from . import _native  # type: ignore[attr-defined]
from .errors import (
    BadModel,
    Busy,
    Cancelled,
    DataError,
    InternalError,
    InvalidArgument,
    IoError,
    LimitExceeded,
    NeedsValues,
    NewerVersion,
    OutOfMemory,
    SampanError,
    Unsupported,
)
from .files import FORMAT_VERSION, hash64, read_model, write_model
from .inference import (
    InferredOutput,
    PackedConstant,
    TensorSpec,
    evaluate,
    evaluate_dim,
    infer,
    pack_constant,
    simplify_dim,
)
from .native_session import Model, NativeSession, ValueInfo, isa_names, load_model
from .operators import AttrInfo, InputInfo, OperatorInfo, OutputInfo, operator, operators

__all__ = [
    "AttrInfo", "BadModel", "Busy", "Cancelled", "DataError", "FORMAT_VERSION", "InferredOutput", "InputInfo",
    "InternalError", "InvalidArgument", "IoError", "LimitExceeded", "Model", "NativeSession", "NeedsValues",
    "NewerVersion", "OperatorInfo", "OutOfMemory", "OutputInfo", "PackedConstant", "SampanError", "TensorSpec",
    "Unsupported", "ValueInfo", "evaluate", "evaluate_dim", "hash64", "infer", "isa_names", "load_model", "operator",
    "operators", "pack_constant", "read_model", "simplify_dim", "version", "write_model",
]


def version() -> str:
    """The runtime's version, "0.1.0"."""
    return _native.version()
