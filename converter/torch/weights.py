"""Read weight files, PyTorch's or safetensors', with numpy alone.

A PyTorch checkpoint is a pickle, and unpickling can run any code. The unpickler here knows the handful
of names that a state dict needs and refuses every other one, so a file can hold tensors and nothing else.
"""

from __future__ import annotations

import io
import json
import math
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
_BFLOAT16 = "bfloat16"  # numpy has none: widened to float32, which keeps every value
_STORAGE_TYPES = {
    "DoubleStorage": "<f8",
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "BFloat16Storage": _BFLOAT16,
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "|i1",
    "ByteStorage": "|u1",
    "BoolStorage": "|b1",
}
_SAFETENSORS_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": _BFLOAT16,
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}
_MAX_SAFETENSORS_HEADER = 100 << 20


class WeightsError(ValueError):
    """The file is damaged, or holds something other than named tensors."""


def read_state_dict(path: str | Path) -> dict[str, Array]:
    """All tensors of a weight file by name, as contiguous numpy arrays that own their memory.

    Takes what `torch.save(model.state_dict())` writes (zip files, and the older format before PyTorch
    1.6), the same wrapped as {"state_dict": ...}, and safetensors files; the content decides, not the
    file's name. bfloat16 becomes float32. Raises WeightsError for a damaged file, for Python objects
    other than tensors in containers, and for tensor types numpy does not have.
    """
    path = Path(path)
    with open(path, "rb") as file:
        head = file.read(9)
        file.seek(0)
        try:
            if head[:4] == b"PK\x03\x04":
                return _state_dict(_read_zip(file), path)
            if head[:1] == b"\x80":
                return _state_dict(_read_legacy(file), path)
            if len(head) == 9 and head[8:] == b"{":
                return _read_safetensors(file)
        except WeightsError as error:
            raise WeightsError(f"{path}: {error}") from None
    raise WeightsError(f"{path}: neither a PyTorch checkpoint nor a safetensors file")


@dataclass(frozen=True)
class _Storage:
    """One flat buffer of the checkpoint; `dtype` is a numpy type string or bfloat16."""

    key: str
    dtype: str
    size: int  # elements


@dataclass(frozen=True)
class _View:
    """A tensor: a strided window on a storage, offsets and strides counted in elements."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def array(self, data: dict[str, Array]) -> Array:
        base = data[self.storage.key]
        last = self.offset + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))
        if 0 in self.shape:
            return np.zeros(self.shape, base.dtype)
        if self.offset < 0 or min(self.strides, default=0) < 0 or last >= base.size:
            raise WeightsError(
                f"a tensor of shape {self.shape} reaches past its storage of {base.size} elements"
            )
        strides = tuple(s * base.itemsize for s in self.strides)
        window = np.lib.stride_tricks.as_strided(base[self.offset :], self.shape, strides)
        return np.array(window, order="C")


def _rebuild_tensor(storage: Any, offset: Any, shape: Any, strides: Any, *_: Any) -> _View:
    if not isinstance(storage, _Storage):
        raise WeightsError("a tensor is built from something that is not a storage")
    shape, strides = tuple(shape), tuple(strides)
    if len(shape) != len(strides) or not all(type(n) is int and n >= 0 for n in (*shape, *strides, offset)):
        raise WeightsError(f"a tensor has shape {shape}, strides {strides} and offset {offset}")
    return _View(storage, offset, shape, strides)


def _rebuild_parameter(tensor: Any, *_: Any) -> Any:
    return tensor


_ALLOWED: dict[tuple[str, str], Callable[..., Any]] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
}


class _StorageType(str):
    """Stands for torch.FloatStorage and its like; holds the numpy type."""


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, encoding="utf-8")
        self.storages: dict[str, _Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ALLOWED:
            return _ALLOWED[module, name]
        if module == "torch" and name in _STORAGE_TYPES:
            return _StorageType(_STORAGE_TYPES[name])
        raise WeightsError(
            f"holds a Python object {module}.{name}; only a state dict of plain tensors is read. "
            f"Save it again with torch.save(model.state_dict(), ...)"
        )

    def persistent_load(self, pid: Any) -> _Storage:
        if not (isinstance(pid, tuple) and len(pid) >= 5 and pid[0] == "storage"):
            raise WeightsError(f"holds an unknown kind of reference {pid!r:.80}")
        dtype, key, size = pid[1], pid[2], pid[4]
        if not (isinstance(dtype, _StorageType) and isinstance(key, str) and type(size) is int and size >= 0):
            raise WeightsError(f"holds a storage reference it should not: {pid!r:.80}")
        if len(pid) > 5 and pid[5] is not None:
            raise WeightsError("uses views of storages, which PyTorch stopped writing in version 0.4")
        return self.storages.setdefault(key, _Storage(key, str(dtype), size))


def _unpickle(unpickler: pickle.Unpickler) -> Any:
    try:
        return unpickler.load()
    except WeightsError:
        raise
    except Exception as error:  # noqa: BLE001  a damaged pickle may raise almost anything
        raise WeightsError(
            f"the pickle in it cannot be read ({type(error).__name__}: {error!s:.120})"
        ) from None


def _buffer(raw: bytes, storage: _Storage) -> Array:
    itemsize = 2 if storage.dtype == _BFLOAT16 else np.dtype(storage.dtype).itemsize
    if len(raw) < storage.size * itemsize:
        raise WeightsError(
            f"storage {storage.key} should have {storage.size * itemsize} bytes, has {len(raw)}"
        )
    return _decode(raw[: storage.size * itemsize], storage.dtype)


def _decode(raw: bytes, dtype: str) -> Array:
    if dtype == _BFLOAT16:
        return (np.frombuffer(raw, "<u2").astype("<u4") << 16).view(np.float32)
    array = np.frombuffer(raw, dtype)
    return array.astype(array.dtype.newbyteorder("="))


def _read_zip(file: BinaryIO) -> Any:
    try:
        archive = zipfile.ZipFile(file)
        names = archive.namelist()
        index = next((n for n in names if n == "data.pkl" or n.endswith("/data.pkl")), None)
        if index is None:
            raise WeightsError("a zip file without the data.pkl of a PyTorch checkpoint")
        root = index[: -len("data.pkl")]
        if f"{root}byteorder" in names and archive.read(f"{root}byteorder") != b"little":
            raise WeightsError("written on a big-endian machine, which is not supported")
        if any(n.startswith(f"{root}code/") for n in names):
            raise WeightsError("a TorchScript program, not a state dict")
        unpickler = _Unpickler(io.BytesIO(archive.read(index)))
        tree = _unpickle(unpickler)
        data = {k: _buffer(archive.read(f"{root}data/{k}"), s) for k, s in unpickler.storages.items()}
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        raise WeightsError(f"the zip file is damaged ({error})") from None
    return _resolve(tree, data)


def _read_legacy(file: BinaryIO) -> Any:
    """The format before PyTorch 1.6: five pickles in a row, then the storages."""
    magic = _unpickle(_Unpickler(file))
    if magic != _LEGACY_MAGIC:
        raise WeightsError("a pickle, but not a PyTorch checkpoint")
    protocol = _unpickle(_Unpickler(file))
    system = _unpickle(_Unpickler(file))
    if protocol != 1001 or not isinstance(system, dict) or not system.get("little_endian", False):
        raise WeightsError(
            f"expected a little-endian checkpoint of protocol 1001, got {protocol}, {system!r:.80}"
        )
    unpickler = _Unpickler(file)
    tree = _unpickle(unpickler)
    keys = _unpickle(_Unpickler(file))
    if not isinstance(keys, list) or set(keys) != set(unpickler.storages):
        raise WeightsError("its list of storages does not match the tensors")
    data = {}
    for key in keys:
        storage = unpickler.storages[key]
        head = file.read(8)
        if len(head) < 8 or struct.unpack("<q", head)[0] != storage.size:
            raise WeightsError(
                f"storage {key} should start with its size, {storage.size}: the file is damaged"
            )
        itemsize = 2 if storage.dtype == _BFLOAT16 else np.dtype(storage.dtype).itemsize
        data[key] = _buffer(file.read(storage.size * itemsize), storage)
    return _resolve(tree, data)


def _resolve(tree: Any, data: dict[str, Array]) -> Any:
    if isinstance(tree, _View):
        return tree.array(data)
    if isinstance(tree, dict):
        return {key: _resolve(value, data) for key, value in tree.items()}
    return tree


def _state_dict(tree: Any, path: Path) -> dict[str, Array]:
    if isinstance(tree, dict) and isinstance(tree.get("state_dict"), dict):
        tree = tree["state_dict"]
    if not isinstance(tree, dict):
        raise WeightsError(f"expected a dictionary of tensors, got {type(tree).__name__}")
    wrong = [
        key for key, value in tree.items() if not (isinstance(key, str) and isinstance(value, np.ndarray))
    ]
    if wrong:
        raise WeightsError(f"expected only tensors by name; {wrong[0]!r} is {type(tree[wrong[0]]).__name__}")
    return dict(tree)


def _read_safetensors(file: BinaryIO) -> dict[str, Array]:
    """8 bytes with the header's length, a JSON header, then the data; offsets count from the data's start."""
    (length,) = struct.unpack("<Q", file.read(8))
    if length > _MAX_SAFETENSORS_HEADER:
        raise WeightsError(f"its header claims {length} bytes, over the limit of {_MAX_SAFETENSORS_HEADER}")
    try:
        header = json.loads(file.read(length).decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise WeightsError(f"its safetensors header is damaged ({error!s:.120})") from None
    if not isinstance(header, dict):
        raise WeightsError("its safetensors header is not a dictionary")
    start = 8 + length
    size = file.seek(0, io.SEEK_END) - start
    result = {}
    for name, entry in header.items():
        if name != "__metadata__":
            result[name] = _read_safetensor(file, start, size, name, entry)
    return result


def _read_safetensor(file: BinaryIO, start: int, size: int, name: str, entry: Any) -> Array:
    try:
        dtype, shape, (begin, end) = _SAFETENSORS_TYPES[entry["dtype"]], entry["shape"], entry["data_offsets"]
        if not all(type(n) is int and n >= 0 for n in (*shape, begin, end)):
            raise ValueError("negative or fractional number")
    except (KeyError, TypeError, ValueError):
        raise WeightsError(
            f"tensor {name!r} has a description that is not understood: {entry!r:.120}"
        ) from None
    bytes_needed = math.prod(shape) * (2 if dtype == _BFLOAT16 else np.dtype(dtype).itemsize)
    if end - begin != bytes_needed or end > size:
        raise WeightsError(
            f"tensor {name!r} of shape {shape} needs {bytes_needed} bytes; "
            f"the header gives it {begin} to {end} of {size}"
        )
    file.seek(start + begin)
    return _decode(file.read(bytes_needed), dtype).reshape(shape)
