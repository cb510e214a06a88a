"""Sampan: runs trained neural networks on small devices, and prepares them on a host.

    session = sampan.Session("model.spn")       # or an .onnx file, which is converted in memory
    outputs = session.run({"x": array})

    sampan.convert("model.onnx", "model.spn")

Names are imported when they are first used, so that `import sampan` costs nothing.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compare import Comparison, compare
    from .convert import Report, convert
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
    from .interpreter import Interpreter
    from .lite_runtime import Model, load_model
    from .session import Session

_MODULES = {
    "Comparison": "compare", "compare": "compare", "Report": "convert", "convert": "convert",
    "Interpreter": "interpreter", "Session": "session", "Model": "lite_runtime", "load_model": "lite_runtime",
}
_ERRORS = (
    "BadModel", "Busy", "Cancelled", "DataError", "InternalError", "InvalidArgument", "IoError", "LimitExceeded",
    "NeedsValues", "NewerVersion", "OutOfMemory", "SampanError", "Unsupported",
)
__version__ = "0.1.0"
__all__ = [
    "BadModel", "Busy", "Cancelled", "Comparison", "DataError", "InternalError", "Interpreter", "InvalidArgument",
    "IoError", "LimitExceeded", "Model", "NeedsValues", "NewerVersion", "OutOfMemory", "Report", "SampanError",
    "Session", "Unsupported", "compare", "convert", "load_model",
]


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name) or ("errors" if name in _ERRORS else None)
    if module is None:
        raise AttributeError(f"module 'sampan' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"sampan.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
