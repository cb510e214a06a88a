"""Writing and reading .spn files."""
from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from .dtypes import dtype_code, native_array
from .inference import PackedConstant
from .operators import decode_attrs, native_attrs, operators

FORMAT_VERSION: int = _native.FORMAT_VERSION
_HEADER = struct.Struct("<4sIQQQQQQQ")


def write_model(spec: Mapping[str, Any], path: str | PathLike | None = None) -> bytes | None:
    """Writes a model; returns its bytes when no path is given.

    spec: nested dicts with the field names of lite_runtime/tools/model_writer.h. Exceptions to that: dtypes are
    names, tensor kinds are "computed", "input", "constant" or "state", a node's attributes are a dict by name, a
    constant's `data` is an array or a PackedConstant, and a tensor without `dims` has an unknown rank. The same spec
    gives the same bytes. An existing file is replaced only when the new one is complete.
    """
    model = dict(spec)
    model["graphs"] = [_graph(g) for g in spec["graphs"]]
    provenance = dict(spec.get("provenance", {}))
    provenance.setdefault("tool_version", _native.version())
    model["provenance"] = provenance
    return _native.write_model(model, None if path is None else os.fsdecode(fspath(path)))


def _graph(graph: Mapping[str, Any]) -> dict[str, Any]:
    nodes = []
    for node in graph["nodes"]:
        nodes.append({**node, "attrs": native_attrs(node["op"], node.get("attrs", {}))})
    return {**graph, "tensors": [_tensor(t) for t in graph["tensors"]], "nodes": nodes}


def _tensor(tensor: Mapping[str, Any]) -> dict[str, Any]:
    result = {**tensor, "dtype": dtype_code(tensor["dtype"])}
    data = tensor.get("data")
    if isinstance(data, PackedConstant):
        result["data"] = data.data
        result["packed"] = (data.groups, data.k, data.n)
        result["dims"] = list(data.shape)
    elif data is not None:
        result["data"] = native_array(data)
        result.setdefault("dims", list(result["data"].shape))
    return result


def read_model(source: str | PathLike | bytes, *, data: bool = False) -> dict[str, Any]:
    """The contents of a file as nested dicts, after the runtime's own verification.

    Nodes have `attrs` by name, tensors `shape` with symbols. With `data` each plain constant has its array in
    `data`. `sizes` gives the bytes of the structure, of the data section and of the file. Raises BadModel and its
    kin as loading does.
    """
    from .native_session import load_model

    load_model(source)
    if isinstance(source, bytes | bytearray | memoryview):
        head, total = bytes(source[:64]), len(source)
    else:
        total = Path(source).stat().st_size
        with open(source, "rb") as file:
            head = file.read(64)
    _, _, structure_size, data_offset, data_size, *_ = _HEADER.unpack(head)
    model = _native.read_structure(_section(source, 64, structure_size))
    model["sizes"] = {"file": total, "structure": structure_size, "data": data_size}
    known = operators()
    for graph in model["graphs"]:
        for node in graph["nodes"]:
            if node["op"] in known:
                node["attrs"] = decode_attrs(node["op"], node["attrs"])
        if data:
            for tensor in graph["tensors"]:
                if tensor["kind"] == "constant" and not tensor["packing"]:
                    raw = _section(source, data_offset + tensor["offset"], tensor["size"])
                    tensor["data"] = _array(raw, tensor)
    return model


def _section(source: str | PathLike | bytes, offset: int, size: int) -> bytes:
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source[offset:offset + size])
    with open(source, "rb") as file:
        file.seek(offset)
        return file.read(size)


def _array(raw: bytes, tensor: Mapping[str, Any]) -> np.ndarray:
    from .dtypes import numpy_dtype

    return np.frombuffer(raw, numpy_dtype(tensor["dtype"])).reshape(tensor["shape"])


def hash64(data: Any) -> int:
    """XXH64 with seed 0 of contiguous memory: the checksum that files use."""
    return _native.hash64(data)
