"""Exceptions: `SampanError` and one subclass for each kind of failure."""
from __future__ import annotations

from sampan.lite_runtime.errors import (
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

__all__ = [
    "BadModel",
    "Busy",
    "Cancelled",
    "DataError",
    "InternalError",
    "InvalidArgument",
    "IoError",
    "LimitExceeded",
    "NeedsValues",
    "NewerVersion",
    "OutOfMemory",
    "SampanError",
    "Unsupported",
]
