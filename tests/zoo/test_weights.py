"""The PyTorch and safetensors reader against files written here byte by byte, whole and damaged."""

from __future__ import annotations

import contextlib
import io
import json
import os
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from converter.torch.weights import WeightsError, read_state_dict

_TYPES = {
    "FloatStorage": "<f4",
    "DoubleStorage": "<f8",
    "HalfStorage": "<f2",
    "LongStorage": "<i8",
    "ByteStorage": "|u1",
}


def _text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def _number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def _tuple(values: tuple[int, ...]) -> bytes:
    return b"(" + b"".join(map(_number, values)) + b"t"


def _tensor(
    key: str, kind: str, size: int, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0
) -> bytes:
    storage = (
        b"(" + _text("storage") + f"ctorch\n{kind}\n".encode() + _text(key) + _text("cpu") + _number(size)
    )
    hooks = b"ccollections\nOrderedDict\n)R"
    arguments = (
        b"(" + storage + b"tQ" + _number(offset) + _tuple(shape) + _tuple(strides) + b"\x89" + hooks + b"t"
    )
    return b"ctorch._utils\n_rebuild_tensor_v2\n" + arguments + b"R"


def _pickle(entries: dict[str, bytes]) -> bytes:
    body = b"".join(_text(name) + value for name, value in entries.items())
    return b"\x80\x02ccollections\nOrderedDict\n)R(" + body + b"u."


def _zip(entries: dict[str, bytes], data: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("model/data.pkl", _pickle(entries))
        archive.writestr("model/byteorder", "little")
        for key, raw in data.items():
            archive.writestr(f"model/data/{key}", raw)
    return out.getvalue()


def _legacy(entries: dict[str, bytes], data: dict[str, tuple[int, bytes]]) -> bytes:
    head = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19." + b"\x80\x02M\xe9\x03."
    head += b"\x80\x02}(" + _text("protocol_version") + b"M\xe9\x03" + _text("little_endian") + b"\x88u."
    keys = b"\x80\x02](" + b"".join(map(_text, data)) + b"e."
    storages = b"".join(struct.pack("<q", size) + raw for size, raw in data.values())
    return head + _pickle(entries) + keys + storages


def _safetensors(arrays: dict[str, np.ndarray]) -> bytes:
    names = {"float32": "F32", "float16": "F16", "int64": "I64", "uint8": "U8", "bool": "BOOL"}
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, array in arrays.items():
        offsets = [len(body), len(body) + array.nbytes]
        header[name] = {"dtype": names[str(array.dtype)], "shape": list(array.shape), "data_offsets": offsets}
        body += array.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def _checkpoint(form: str, seed: int) -> tuple[bytes, dict[str, np.ndarray]]:
    """A file with a few tensors, transposed ones and ones that share a storage among them."""
    rng = np.random.default_rng(seed)
    entries, data, expected = {}, {}, {}
    for key, (kind, dtype) in enumerate(_TYPES.items()):
        rows, columns = (int(n) for n in rng.integers(1, 6, 2))
        flat = rng.integers(0, 100, rows * columns + 3).astype(dtype)
        matrix = flat[3:].reshape(rows, columns)
        strides = (columns, 1)
        entries[f"{kind}.plain"] = _tensor(str(key), kind, flat.size, (rows, columns), strides, 3)
        entries[f"{kind}.turned"] = _tensor(str(key), kind, flat.size, (columns, rows), strides[::-1], 3)
        entries[f"{kind}.scalar"] = _tensor(str(key), kind, flat.size, (), (), 1)
        entries[f"{kind}.empty"] = _tensor(str(key), kind, flat.size, (0, rows), (rows, 1))
        expected |= {f"{kind}.plain": matrix, f"{kind}.turned": matrix.T, f"{kind}.scalar": flat[1]}
        expected[f"{kind}.empty"] = np.zeros((0, rows), dtype)
        data[str(key)] = (flat.size, flat.tobytes())
    if form == "zip":
        return _zip(entries, {k: raw for k, (_, raw) in data.items()}), expected
    return _legacy(entries, data), expected


@pytest.mark.parametrize("form", ["zip", "legacy"])
@pytest.mark.parametrize("seed", range(5))
def test_reads_what_was_written(tmp_path: Path, form: str, seed: int) -> None:
    raw, expected = _checkpoint(form, seed)
    (tmp_path / "w.pth").write_bytes(raw)
    state = read_state_dict(tmp_path / "w.pth")
    assert list(state) == list(expected)
    for name, array in state.items():
        assert array.dtype == expected[name].dtype, name
        assert array.flags.c_contiguous
        assert array.flags.writeable
        np.testing.assert_array_equal(array, expected[name], err_msg=name)


def test_bfloat16_is_widened(tmp_path: Path) -> None:
    values = np.array([1.0, -2.5, 3.140625], np.float32)
    raw = (values.view(np.uint32) >> 16).astype("<u2").tobytes()
    (tmp_path / "w.pth").write_bytes(_zip({"x": _tensor("0", "BFloat16Storage", 3, (3,), (1,))}, {"0": raw}))
    x = read_state_dict(tmp_path / "w.pth")["x"]
    assert x.dtype == np.float32
    np.testing.assert_array_equal(x, values)


def test_nested_state_dict_is_unwrapped(tmp_path: Path) -> None:
    inner = _pickle({"x": _tensor("0", "FloatStorage", 1, (1,), (1,))})[2:-1]
    raw = _zip({"state_dict": inner}, {"0": np.float32(7).tobytes()})
    (tmp_path / "w.pth").write_bytes(raw)
    np.testing.assert_array_equal(read_state_dict(tmp_path / "w.pth")["x"], [7])


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (b"cos\nsystem\n(" + _text("touch owned") + b"tR", "os.system"),
        (b"cbuiltins\neval\n(" + _text("1") + b"tR", "builtins.eval"),
        (b"ctorch\nload\n)R", "torch.load"),
        (_number(3), "is int"),
        (_tensor("0", "FloatStorage", 4, (5,), (1,)), "past its storage"),
        (_tensor("0", "FloatStorage", 4, (2,), (1,), 3), "past its storage"),
        (_tensor("0", "FloatStorage", 4, (2,), (-1,), 3), "strides"),
        (_tensor("0", "FloatStorage", 4, (2, 2), (1,)), "strides"),
        (_tensor("0", "FloatStorage", 400, (2,), (1,)), "should have 1600 bytes, has 16"),
    ],
)
def test_refuses_what_is_not_tensors(tmp_path: Path, entry: bytes, message: str) -> None:
    (tmp_path / "w.pth").write_bytes(_zip({"x": entry}, {"0": bytes(16)}))
    os.chdir(tmp_path)
    with pytest.raises(WeightsError, match=message):
        read_state_dict(tmp_path / "w.pth")
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("form", ["zip", "legacy", "safetensors"])
def test_damaged_files_raise_only_weights_errors(tmp_path: Path, form: str) -> None:
    raw, _ = _checkpoint(form, 1) if form != "safetensors" else (b"", {})
    if form == "safetensors":
        raw = _safetensors({"a": np.arange(6, dtype=np.float32), "b": np.ones((2, 3), np.int64)})
    rng = np.random.default_rng(0)
    path = tmp_path / "w"
    for length in range(0, len(raw), max(1, len(raw) // 200)):
        path.write_bytes(raw[:length])
        with pytest.raises(WeightsError):
            read_state_dict(path)
    for _ in range(300):
        bent = bytearray(raw)
        bent[int(rng.integers(len(raw)))] ^= int(rng.integers(1, 256))
        path.write_bytes(bent)
        with contextlib.suppress(WeightsError):
            read_state_dict(path)


def test_safetensors_round_trip(tmp_path: Path) -> None:
    arrays = {
        "a.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.array([1, -2], np.int64),
        "c": np.array(2.5, np.float16),
        "d": np.zeros((0, 4), np.uint8),
        "e": np.array([True, False]),
    }
    (tmp_path / "w").write_bytes(_safetensors(arrays))
    state = read_state_dict(tmp_path / "w")
    assert set(state) == set(arrays)
    for name, array in state.items():
        assert array.dtype == arrays[name].dtype
        np.testing.assert_array_equal(array, arrays[name])


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}, "needs 12 bytes"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}, "4 to 12 of 8"),
        ({"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}, "not understood"),
        ({"dtype": "F31", "shape": [2], "data_offsets": [0, 8]}, "not understood"),
        ({"dtype": "F32"}, "not understood"),
    ],
)
def test_safetensors_descriptions_are_checked(tmp_path: Path, description: object, message: str) -> None:
    text = json.dumps({"x": description}).encode()
    (tmp_path / "w").write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))
    with pytest.raises(WeightsError, match=message):
        read_state_dict(tmp_path / "w")


def test_other_files_are_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(b"hello, world: not weights")
    with pytest.raises(WeightsError, match="neither a PyTorch checkpoint nor a safetensors file"):
        read_state_dict(tmp_path / "w")
