"""Running a model: numpy arrays in, numpy arrays out."""
from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from sampan.lite_runtime.dtypes import dtype_code, numpy_dtype
from sampan.lite_runtime.errors import InvalidArgument, SampanError
from sampan.lite_runtime.files import read_model
from sampan.lite_runtime.native_session import Model, NativeSession, ValueInfo, load_model

from .profile import Profile

MAGIC = b"SPN\x1a"
Source: TypeAlias = str | PathLike | bytes | Model


@dataclass(frozen=True)
class MemoryReport:
    """Bytes. lower_bound: the largest sum of tensors alive at one node. plans: how often memory was planned."""

    arena_bytes: int
    lower_bound_bytes: int
    without_reuse_bytes: int
    packed_weight_bytes: int
    plans: int


@dataclass(frozen=True)
class TensorInfo:
    """A tensor of the file. kind: computed, input, constant, state. node: the one that computes it, or "".

    source: the source model's tensor with the same numbers ("" when `name` is that tensor, too);
    source_permutation: the axes that turn that tensor into this one, None when they are equal.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None
    kind: str
    node: str
    source: str
    source_permutation: tuple[int, ...] | None


class Session:
    """Runs one model for one caller at a time; sessions that share a `Model` may run in parallel.

    source: path of a .spn file, its bytes, or a `Model`; an .onnx file is converted in memory (needs
    `sampan[convert]`).

    threads: threads of one run, counting the caller. isa: "portable", "avx2" or "avx512" instead of the best one
    (or of the environment variable SAMPAN_ISA). profile: measure every node; see `profile()`. keep_intermediates:
    every tensor can be read after a run. nan_watch: a run that makes NaN or infinity out of finite inputs fails and
    names the node. check: "full" also checks the weights' checksum. mapped: False reads the file into memory.
    max_memory: bytes; max_work: multiply-adds of a run; deadline_seconds: of a run (0: no limit).

    Raises BadModel, NewerVersion, Unsupported, IoError, InvalidArgument (all of them SampanError).
    """

    def __init__(self, source: Source, *, threads: int = 1, isa: str | None = None, profile: bool = False,
                 keep_intermediates: bool = False, nan_watch: bool = False, check: str = "structure",
                 mapped: bool = True, max_memory: int = 1 << 36, max_work: int = 0, deadline_seconds: float = 0.0):
        if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
            raise InvalidArgument(f"threads={threads!r}: expected a number from 1 to 1024")
        if not isinstance(isa, str | None):
            raise InvalidArgument(f"isa={isa!r}: expected a name or None")
        for name, number in (("max_memory", max_memory), ("max_work", max_work)):
            if not isinstance(number, int) or not 0 <= number < 1 << 63:
                raise InvalidArgument(f"{name}={number!r}: expected a number from 0 to 2**63 - 1")
        if not isinstance(deadline_seconds, int | float) or not 0 <= deadline_seconds < float("inf"):
            raise InvalidArgument(f"deadline_seconds={deadline_seconds!r}: expected a number of seconds")
        self._source = _convert_if_needed(source)
        self._label = _label(source)
        self.model = load_model(self._source, check=check, mapped=mapped)
        self._options: dict[str, Any] = {
            "threads": threads, "isa": isa, "profile": profile, "keep_intermediates": keep_intermediates,
            "nan_watch": nan_watch, "max_memory": max_memory, "max_work": max_work,
            "deadline_seconds": deadline_seconds}
        self._native = NativeSession(self.model, **self._options)
        self._profiled = profile
        self._keeps = keep_intermediates
        self._tensors: list[TensorInfo] | None = None
        self._dtypes = [dtype_code(v.dtype) for v in self.model.inputs]

    # ---- what the model is --------------------------------------------------------------------

    @property
    def inputs(self) -> tuple[ValueInfo, ...]:
        """name, dtype and shape (numbers and symbols) of each input."""
        return self.model.inputs

    @property
    def outputs(self) -> tuple[ValueInfo, ...]:
        """name, dtype and shape of each output; shape is None where even the rank depends on data."""
        return self.model.outputs

    @property
    def metadata(self) -> dict[str, str]:
        return self.model.metadata

    @property
    def isa(self) -> str:
        """The instruction set that the kernels were chosen for."""
        return self._native.isa

    @property
    def threads(self) -> int:
        return self._options["threads"]

    def __repr__(self) -> str:
        rows = [("input", v) for v in self.inputs] + [("output", v) for v in self.outputs]
        width = max((len(v.name) for _, v in rows), default=0)
        lines = [f"Session({self._label}, isa={self.isa}, threads={self.threads})"]
        for kind, v in rows:
            shape = "?" if v.shape is None else ", ".join(map(str, v.shape))
            lines.append(f"  {kind:6}  {v.name:{width}}  {v.dtype:8}  [{shape}]")
        return "\n".join(lines)

    # ---- running ------------------------------------------------------------------------------

    def run(self, inputs: Mapping[str, Any], out: Mapping[str, np.ndarray] | None = None, *,
            intermediates: bool = False) -> dict[str, np.ndarray]:
        """One inference.

        inputs: an array for every input by name. Its dtype must be the model's (byte order and memory layout don't
        matter; lists and Python numbers are converted), its shape any that fits the symbols. out: C-contiguous
        arrays that receive outputs, by name. intermediates: return every computed tensor, by its name in the file.

        Returns the outputs by name; arrays given in `out` are returned themselves, others are new. Raises
        InvalidArgument for wrong inputs, DataError for values out of range, and what else a run can meet.
        """
        if intermediates and not self._keeps:
            self._keeps = self._options["keep_intermediates"] = True
            self._native = NativeSession(self.model, **self._options)
        arrays = self._arrays(inputs)
        if out is None:
            results = self._native.run(arrays, None, self._dtypes)
        else:
            targets = self._targets(out, arrays)
            results = self._native.run(arrays, targets, self._dtypes)
        outputs = {v.name: array for v, array in zip(self.model.outputs, results)}
        return {**self.intermediates(), **outputs} if intermediates else outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Inputs by position, or by name. Returns the output, or a tuple when the model has several."""
        if len(args) > len(self.inputs):
            raise InvalidArgument(f"{len(args)} inputs were given, the model has {len(self.inputs)}")
        feed = dict(zip((v.name for v in self.inputs), args))
        twice = [name for name in kwargs if name in feed]
        if twice:
            raise InvalidArgument(f"input {twice[0]!r} was given twice: by position and by name")
        results = tuple(self.run({**feed, **kwargs}).values())
        return results[0] if len(results) == 1 else results

    def cancel(self) -> None:
        """Makes a run in another thread end soon; it raises Cancelled there."""
        self._native.cancel()

    # ---- looking inside -----------------------------------------------------------------------

    def tensors(self) -> list[TensorInfo]:
        """All tensors of the model's main graph, in the file's order."""
        if self._tensors is None:
            self._tensors = _tensor_infos(self._source)
        return self._tensors

    def intermediates(self) -> dict[str, np.ndarray]:
        """Every tensor that the last run computed, by its name in the file (needs keep_intermediates)."""
        if not self._keeps:
            raise InvalidArgument("intermediate tensors are not kept: make the session with keep_intermediates=True")
        found = {}
        for info in self.tensors():
            if info.kind == "computed":
                try:
                    found[info.name] = self._native.tensor(info.name)
                except SampanError:
                    continue  # not computed in this run: a branch not taken, an output nobody reads
        return found

    def profile(self) -> Profile:
        """Time of each node in the last run (needs profile=True)."""
        if not self._profiled:
            raise InvalidArgument("nothing was measured: make the session with profile=True")
        return Profile.from_native(self._native.profile(), model=self._label, isa=self.isa, threads=self.threads)

    def memory(self) -> MemoryReport:
        """Memory that the present plan needs; all zero before the first run."""
        return MemoryReport(**self._native.memory())

    # ---- inputs and outputs -------------------------------------------------------------------

    def _arrays(self, inputs: Mapping[str, Any]) -> list[np.ndarray]:
        if not isinstance(inputs, Mapping):
            raise InvalidArgument(f"inputs must be a dict of arrays by name, got {type(inputs).__name__}; "
                                  "call session(array, ...) to give them by position")
        if len(inputs) != len(self.inputs) or any(v.name not in inputs for v in self.inputs):
            self._refuse_names(list(inputs))
        arrays = [_input_array(v, inputs[v.name]) for v in self.inputs]
        symbols: dict[str, tuple[int, str]] = {}
        for info, array in zip(self.inputs, arrays):
            _check_shape(info, array, symbols)
        return arrays

    def _refuse_names(self, given: Sequence[Any]) -> None:
        names = [v.name for v in self.inputs]
        listing = ", ".join(map(repr, names)) or "none"
        for name in given:
            if name not in names:
                near = _near(str(name), names)
                hint = f"; did you mean {near!r}?" if near else "."
                raise InvalidArgument(f"the model has no input {name!r}{hint} Its inputs: {listing}")
        missing = [n for n in names if n not in given]
        raise InvalidArgument(f"input {missing[0]!r} is missing. The model's inputs: {listing}")

    def _targets(self, out: Mapping[str, np.ndarray], inputs: Sequence[np.ndarray]) -> list[np.ndarray | None]:
        if not isinstance(out, Mapping):
            raise InvalidArgument(f"out must be a dict of arrays by name, got {type(out).__name__}")
        names = [v.name for v in self.outputs]
        for name in out:
            if name not in names:
                raise InvalidArgument(f"the model has no output {name!r}. Its outputs: {', '.join(map(repr, names))}")
        targets = [out.get(v.name) for v in self.outputs]
        for i, (info, array) in enumerate(zip(self.outputs, targets)):
            if array is not None:
                _check_target(info, array)
                others = [a for a in (*inputs, *targets[:i]) if a is not None]
                if any(np.may_share_memory(array, other) for other in others):
                    raise InvalidArgument(f"out[{info.name!r}] shares memory with an input or another output")
        shapes = self._native.plan(inputs, self._dtypes)
        for i, (info, array) in enumerate(zip(self.outputs, targets)):
            if array is not None and shapes is not None and array.shape != shapes[i]:
                raise InvalidArgument(f"out[{info.name!r}] has shape {list(array.shape)}, this run's output has "
                                      f"{list(shapes[i])}")
        return targets


def _near(name: str, names: Sequence[str]) -> str | None:
    """The name that was probably meant."""
    folded = {n.lower(): n for n in names}
    near = difflib.get_close_matches(name.lower(), folded, 1, 0.5)
    return folded[near[0]] if near else None


def _label(source: Source) -> str:
    if isinstance(source, str | PathLike):
        return os.path.basename(os.fspath(source))
    return "model" if isinstance(source, Model) else f"{len(source):,} bytes"


def _convert_if_needed(source: Source) -> Source:
    """The source itself, or the .spn bytes of an ONNX model."""
    if isinstance(source, Model):
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        # An ONNX file begins with its IR version (field 1, a number).
        onnx = bytes(source[:4]) != MAGIC and bytes(source[:1]) == b"\x08"
    elif isinstance(source, str | PathLike):
        onnx = os.fsdecode(os.fspath(source)).lower().endswith(".onnx")
    else:
        raise InvalidArgument(f"a model is a path, bytes or a sampan.Model, got {type(source).__name__}")
    if not onnx:
        return source
    from .convert import convert

    data = convert(bytes(source) if isinstance(source, bytearray | memoryview) else source).data
    assert data is not None
    return data


def _input_array(info: ValueInfo, value: Any) -> np.ndarray:
    """A contiguous array of the input's dtype in native byte order, sharing memory where that is possible."""
    want = numpy_dtype(info.dtype)
    if isinstance(value, np.ndarray | np.generic) or hasattr(value, "__array__"):
        array = np.asarray(value)
        if array.dtype.newbyteorder("=") != want and not _is_bfloat16(info.dtype, array):
            raise InvalidArgument(_dtype_problem(info, array, want))
    else:
        array = _from_python(info, value, want)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not array.flags.c_contiguous or not array.flags.aligned:
        array = array.copy(order="C")
    return array


def _is_bfloat16(dtype: str, array: np.ndarray) -> bool:
    """Upper halves of float32 numbers are taken as bfloat16 even when numpy knows that type."""
    return dtype == "bfloat16" and array.dtype == np.uint16


def _dtype_problem(info: ValueInfo, array: np.ndarray, want: np.dtype) -> str:
    text = f"input {info.name!r} has dtype {info.dtype}, got an array of {array.dtype}"
    if array.dtype.kind in "OSUMmV":
        return text
    return f"{text}; convert it: array.astype({'np.' if info.dtype != 'bfloat16' else ''}{want.name})"


def _from_python(info: ValueInfo, value: Any, want: np.dtype) -> np.ndarray:
    """Lists and numbers, where no value changes its kind (no fraction is cut off)."""
    if value is None or isinstance(value, str | bytes | dict | set):
        raise InvalidArgument(f"input {info.name!r} must be an array or a list of numbers, got {type(value).__name__}")
    try:
        found = np.asarray(value)
        if found.dtype.kind in "OSU" or (found.size and not _same_kind(found.dtype, want)):
            raise InvalidArgument(f"input {info.name!r} has dtype {info.dtype}, got a list of {found.dtype}")
        array = found.astype(want)
        if want.kind in "iu" and found.size and not np.array_equal(found, array):
            raise InvalidArgument(f"input {info.name!r} has dtype {info.dtype}, which cannot hold all of the values given")
        return array
    except InvalidArgument:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidArgument(f"input {info.name!r} is no regular array of numbers: {error}") from None


def _same_kind(found: np.dtype, want: np.dtype) -> bool:
    """Whole numbers go everywhere but to bool, fractions to floats, booleans to bool."""
    if want.kind == "b" or found.kind == "b":
        return want.kind == found.kind
    return found.kind in "iu" or want.kind not in "iu"


def _check_shape(info: ValueInfo, array: np.ndarray, symbols: dict[str, tuple[int, str]]) -> None:
    """Compares with the declared shape; equal symbols must have equal values over all inputs."""
    shape = info.shape
    if shape is None:
        return
    declared = f"[{', '.join(map(str, shape))}]"
    if len(shape) != array.ndim:
        raise InvalidArgument(f"input {info.name!r} has shape {declared} ({len(shape)} dimensions), got an array of "
                              f"shape {list(array.shape)}{_rank_hint(shape, array)}")
    for axis, (want, got) in enumerate(zip(shape, array.shape)):
        if isinstance(want, int):
            if want != got:
                raise InvalidArgument(f"input {info.name!r} has shape {declared}, got {list(array.shape)}: dimension "
                                      f"{axis} must be {want}")
            continue
        bound = symbols.setdefault(want, (got, info.name))
        if bound[0] != got:
            raise InvalidArgument(f"input {info.name!r} has shape {declared}, got {list(array.shape)}: {want!r} is "
                                  f"{got} here and {bound[0]} in input {bound[1]!r}")


def _rank_hint(shape: tuple[int | str, ...], array: np.ndarray) -> str:
    if len(shape) == array.ndim + 1 and (not isinstance(shape[0], int) or shape[0] == 1):
        return "; add the batch dimension: array[None]"
    return ""


def _check_target(info: ValueInfo, array: Any) -> None:
    if not isinstance(array, np.ndarray):
        raise InvalidArgument(f"out[{info.name!r}] must be a numpy array, got {type(array).__name__}")
    want = numpy_dtype(info.dtype)
    if array.dtype != want and not _is_bfloat16(info.dtype, array):
        raise InvalidArgument(f"out[{info.name!r}] has dtype {array.dtype}, the output has {info.dtype} "
                              "in this machine's byte order")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise InvalidArgument(f"out[{info.name!r}] must be C-contiguous and writeable")


def _tensor_infos(source: Source) -> list[TensorInfo]:
    if isinstance(source, Model):
        if source.source is None:
            raise InvalidArgument("the tensors of this model can't be listed: its file is not known")
        source = source.source
    graph = read_model(source)["graphs"][0]
    producer = {index: node["name"] for node in graph["nodes"] for index in node["outputs"]}
    return [TensorInfo(t["name"], t["dtype"], t["shape"], t["kind"], producer.get(i, ""), t["source"],
                       t.get("source_permutation")) for i, t in enumerate(graph["tensors"])]
