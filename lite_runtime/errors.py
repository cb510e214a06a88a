"""What goes wrong in the runtime, as exceptions. One class for each kind, all of them `SampanError`."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class SampanError(Exception):
    """Any error of Sampan. `node`: the source name and operator it belongs to, or "". `reason`: without the node."""

    code = "internal"

    def __init__(self, message: str, node: str = ""):
        super().__init__(f"{node}: {message}" if node else message)
        self.node = node
        self.reason = message


class InvalidArgument(SampanError, ValueError):
    """The caller passed something wrong: a name, dtype, shape or index."""

    code = "invalid_argument"


class BadModel(SampanError):
    """The file is cut, altered or inconsistent."""

    code = "bad_model"


class NewerVersion(BadModel):
    """The file needs a newer runtime."""

    code = "newer_version"


class Unsupported(SampanError):
    """A valid model asks for something that this build or version lacks.

    nodes: of a conversion, every node that cannot be converted (name, op, reason, advice).
    """

    code = "unsupported"
    nodes: Sequence[Any] = ()


class OutOfMemory(SampanError, MemoryError):
    """Memory ran out."""

    code = "out_of_memory"


class LimitExceeded(SampanError):
    """A limit given by the caller (file size, memory, work) would be passed."""

    code = "limit"


class Cancelled(SampanError):
    """The run was cancelled, or went past its deadline."""

    code = "cancelled"


class IoError(SampanError, OSError):
    """The operating system refused to read or write."""

    code = "io"


class Busy(SampanError):
    """The session is running in another thread."""

    code = "busy"


class DataError(SampanError, ValueError):
    """Values met at run time are out of range: an index, a repeat count, a NaN that was watched for."""

    code = "data_error"


class NeedsValues(SampanError):
    """A shape depends on the values of an input that are not known."""

    code = "needs_values"


class InternalError(SampanError):
    """A fault of Sampan itself."""

    code = "internal"


# In the order of Code in include/sampan/status.h; 0 is success.
BY_CODE: tuple[type[SampanError], ...] = (
    SampanError, InvalidArgument, BadModel, NewerVersion, Unsupported, OutOfMemory, LimitExceeded, Cancelled, IoError,
    Busy, DataError, NeedsValues, InternalError)


def make_error(code: int, message: str, node: str) -> SampanError:
    """The exception for a status of the C++ library."""
    kind = BY_CODE[code] if 0 < code < len(BY_CODE) else InternalError
    return kind(message, node)
