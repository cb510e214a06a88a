"""ONNX file -> Graph.

Way of a model: parse, inline local functions, then node by node in order: an importer adds our operators; a node
without an importer is expanded by its ONNX function body if it has one; what is left is collected and refused in
one error. Shapes are inferred while reading, so importers can look at them.
"""
from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.inliner
from onnx import AttributeProto, TensorProto, numpy_helper

from sampan import lite_runtime
from sampan.ir import Graph, Value

from ..errors import ConversionError, UnsupportedModel, UnsupportedNode
from .registry import NodeContext, Refusal, find_importer

MIN_OPSET, MAX_OPSET = 7, 27
MAX_FUNCTION_DEPTH = 8
_DTYPES = {
    TensorProto.FLOAT: "float32", TensorProto.FLOAT16: "float16", TensorProto.BFLOAT16: "bfloat16",
    TensorProto.DOUBLE: "float64", TensorProto.INT8: "int8", TensorProto.UINT8: "uint8",
    TensorProto.INT16: "int16", TensorProto.UINT16: "uint16", TensorProto.INT32: "int32",
    TensorProto.UINT32: "uint32", TensorProto.INT64: "int64", TensorProto.UINT64: "uint64",
    TensorProto.BOOL: "bool",
}


def dtype_name(onnx_type: int) -> str | None:
    """Our name of an ONNX element type, or None when there is none (strings, complex, 4-bit, 8-bit floats)."""
    return _DTYPES.get(onnx_type)


def read(source: str | PathLike | bytes | onnx.ModelProto, *,
         inputs: Mapping[str, Sequence[int | str]] | None = None) -> Graph:
    """Reads an ONNX model.

    source: path, the file's bytes, or a ModelProto. inputs: shapes that replace the declared ones, by input name.
    Raises ConversionError when the file is broken, UnsupportedModel with all nodes that cannot be converted.
    """
    proto, digest = _load(source)
    reader = Reader(proto, dict(inputs or {}))
    graph = reader.run()
    graph.source_hash = digest
    return graph


def _load(source: Any) -> tuple[onnx.ModelProto, str]:
    if isinstance(source, onnx.ModelProto):
        return source, hashlib.sha256(source.SerializeToString(deterministic=True)).hexdigest()
    try:
        if isinstance(source, bytes | bytearray | memoryview):
            data = bytes(source)
            proto = onnx.load_model_from_string(data)
        else:
            path = Path(source)
            if not path.is_file():
                raise ConversionError(f"{path}: no such file")
            data = path.read_bytes()
            proto = onnx.load_model(str(path))  # checks that external data stay inside the model's folder
    except ConversionError:
        raise
    except Exception as error:
        raise ConversionError(f"{_label(source)} is not a readable ONNX model: {error}") from error
    if not proto.graph.node and not proto.graph.output:
        raise ConversionError(f"{_label(source)} holds no ONNX graph: is it an ONNX file?")
    return proto, hashlib.sha256(data).hexdigest()


def _label(source: Any) -> str:
    return "the given bytes" if isinstance(source, bytes | bytearray | memoryview) else str(source)


class Reader:
    """Reads one model; see `read`."""

    def __init__(self, proto: onnx.ModelProto, input_shapes: dict[str, Sequence[int | str]]):
        self.proto = proto
        self.input_shapes = input_shapes
        self.graph = Graph(name=proto.graph.name or "main", source_format="onnx")
        self.values: dict[str, Value] = {}
        self.refused: list[UnsupportedNode] = []
        self.opsets: dict[str, int] = {}

    def run(self) -> Graph:
        self._check_versions()
        if self.proto.functions:
            try:
                self.proto = onnx.inliner.inline_local_functions(self.proto)
            except Exception as error:
                raise ConversionError(f"the model's local functions cannot be inlined: {error}") from error
        graph = self.graph
        graph.metadata = {p.key: p.value for p in self.proto.metadata_props}
        if self.proto.producer_name:
            graph.metadata.setdefault("producer", f"{self.proto.producer_name} {self.proto.producer_version}".strip())
        self._read_inputs()
        for index, node in enumerate(self.proto.graph.node):
            self._import(node, node.name or f"{node.op_type}_{index}", self.values, self.opsets, 0)
        self._read_outputs()
        if self.refused:
            raise UnsupportedModel(self.refused)
        return graph

    # ---- header, inputs, outputs -----------------------------------------------------------

    def _check_versions(self) -> None:
        for entry in self.proto.opset_import:
            domain = "" if entry.domain == "ai.onnx" else entry.domain
            self.opsets[domain] = entry.version
        opset = self.opsets.setdefault("", 1)
        if self.opsets.get("") and not MIN_OPSET <= opset <= MAX_OPSET:
            raise UnsupportedModel([UnsupportedNode(
                self.graph.name, "opset", f"the model uses ONNX opset {opset}; {MIN_OPSET} to {MAX_OPSET} are "
                "supported", "convert it with onnx.version_converter")])

    def _read_inputs(self) -> None:
        initializers = {}
        for tensor in self.proto.graph.initializer:
            initializers[tensor.name] = tensor
        if self.proto.graph.sparse_initializer:
            for sparse in self.proto.graph.sparse_initializer:
                self.refused.append(UnsupportedNode(sparse.values.name, "initializer", "sparse initializers"))
        declared = {v.name for v in self.proto.graph.input}
        for unknown in set(self.input_shapes) - declared:
            raise ConversionError(f"there is no input {unknown!r}; the inputs are {sorted(declared - set(initializers))}")
        for info in self.proto.graph.input:
            if info.name not in initializers:  # IR version 3 lists weights among the inputs
                self._read_input(info)
        for name, tensor in initializers.items():
            array = self._array(tensor, name, "initializer")
            if array is not None:
                self.values[name] = self.graph.add_constant(array, name, source=name)

    def _read_input(self, info: onnx.ValueInfoProto) -> None:
        kind = info.type.WhichOneof("value")
        dtype = dtype_name(info.type.tensor_type.elem_type) if kind == "tensor_type" else None
        if dtype is None:
            what = kind.removesuffix("_type") if kind and kind != "tensor_type" else \
                TensorProto.DataType.Name(info.type.tensor_type.elem_type).lower()
            self.refused.append(UnsupportedNode(info.name, "input", f"inputs of type {what} are not supported"))
            return
        if info.name in self.input_shapes:
            shape = list(self.input_shapes[info.name])
        elif not info.type.tensor_type.HasField("shape"):
            self.refused.append(UnsupportedNode(info.name, "input", "the model declares no rank for this input",
                                                f"give its shape: inputs={{{info.name!r}: [...]}}"))
            return
        else:
            shape = [self._dim(d, info.name, i) for i, d in enumerate(info.type.tensor_type.shape.dim)]
        self.values[info.name] = self.graph.add_input(info.name, dtype, shape)

    def _dim(self, dim: Any, name: str, axis: int) -> int | str:
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            return dim.dim_value
        symbol = re.sub(r"\W", "_", dim.dim_param, flags=re.ASCII)
        if not symbol or symbol.isdigit() or set(symbol) == {"_"}:
            symbol = re.sub(r"\W", "_", f"{name}_dim{axis}", flags=re.ASCII)
        return f"_{symbol}" if symbol[0].isdigit() else symbol

    def _read_outputs(self) -> None:
        for info in self.proto.graph.output:
            value = self.values.get(info.name)
            if value is None:
                if not self.refused:
                    raise ConversionError(f"graph output {info.name!r} is computed by no node")
                continue
            if value.producer is None or any(value is o for o in self.graph.outputs):
                # Every output is computed, and by one name only: passes and the file rely on it.
                node = self.graph.add_node("Identity", [value], name=f"{info.name}/output", output_names=[info.name])
                value = node.output
                value.source = info.name
            self.graph.outputs.append(value)
            self.graph.output_names.append(info.name)

    # ---- nodes -----------------------------------------------------------------------------

    def _import(self, proto: onnx.NodeProto, label: str, values: dict[str, Value], opsets: dict[str, int],
                depth: int) -> None:
        """Adds one node's operators; its outputs go to `values`, or to `refused` with the reason."""
        domain = "" if proto.domain == "ai.onnx" else proto.domain
        opset = opsets.get(domain, 1)
        op = f"{domain}.{proto.op_type}" if domain else proto.op_type
        missing = [n for n in proto.input if n and n not in values]
        if missing:
            if not self.refused:  # otherwise a consequence of a node refused before
                raise ConversionError(f"node {label!r} ({op}) reads {missing[0]!r}, which no node before it computes")
            if find_importer(domain, proto.op_type, opset) is None and not _has_function_body(proto, domain, opset):
                self.refused.append(UnsupportedNode(label, op, _no_importer(domain)))  # whatever its inputs are
            return
        inputs = [values[n] if n else None for n in proto.input]
        context = NodeContext(self, proto, inputs, opset, label)
        mark = len(self.graph.nodes)
        try:
            found = find_importer(domain, proto.op_type, opset)
            if found is None:
                if not self._expand_function(proto, label, values, domain, opset, depth):
                    raise Refusal(_no_importer(domain))
                return
            results = found(context)
        except Refusal as refusal:
            self._drop_nodes(mark)
            self.refused.append(UnsupportedNode(label, op, refusal.reason, refusal.advice))
            return
        except lite_runtime.SampanError as error:
            self._drop_nodes(mark)
            self.refused.append(UnsupportedNode(label, op, str(error)))
            return
        self._bind_outputs(proto, [results] if isinstance(results, Value) else list(results), values)

    def _bind_outputs(self, proto: onnx.NodeProto, results: list[Value | None], values: dict[str, Value]) -> None:
        for name, value in zip(proto.output, results):
            if not name:
                continue
            if value is None:
                raise AssertionError(f"the importer of {proto.op_type} made no output {name!r}")
            if value.source is None:
                value.source = name
                if value.producer is not None and name not in self.graph._names:
                    self.graph._names.discard(value.name)
                    value.name = self.graph.unique_name(name)
            values[name] = value

    def _drop_nodes(self, mark: int) -> None:
        """Takes back what a refused importer had added."""
        for node in reversed(self.graph.nodes[mark:]):
            for value in node.inputs:
                if value is not None:
                    value.users.remove(node)
            node.inputs = []
        del self.graph.nodes[mark:]

    def _expand_function(self, proto: onnx.NodeProto, label: str, values: dict[str, Value], domain: str, opset: int,
                         depth: int) -> bool:
        """Imports a node through the function body of its ONNX definition. False when it has none."""
        if depth >= MAX_FUNCTION_DEPTH:
            raise Refusal(f"functions are nested more than {MAX_FUNCTION_DEPTH} deep")
        body = _function_body(proto, domain, opset, [values[n] if n else None for n in proto.input])
        if body is None:
            return False
        inner: dict[str, Value] = {}
        for formal, actual in zip(body.input, proto.input):
            if actual:
                inner[formal] = values[actual]
        given = {a.name: a for a in proto.attribute}
        given = {**_default_attributes(proto, domain, opset), **{a.name: a for a in body.attribute_proto}, **given}
        opsets = {("" if e.domain == "ai.onnx" else e.domain): e.version for e in body.opset_import} or {domain: opset}
        before = len(self.refused)
        for index, node in enumerate(body.node):
            node = _bind_attributes(node, given)
            # Formal inputs that the node leaves out stay absent.
            for i, name in enumerate(node.input):
                if name and name not in inner and name in body.input:
                    node.input[i] = ""
            self._import(node, f"{label}/{node.name or f'{node.op_type}_{index}'}", inner, opsets, depth + 1)
        if len(self.refused) > before:
            return True  # the reasons are recorded already
        for formal, actual in zip(body.output, proto.output):
            if actual:
                values[actual] = inner[formal]
                if values[actual].source is None or values[actual].producer is not None:
                    values[actual].source = actual
        return True

    # ---- data ------------------------------------------------------------------------------

    def _array(self, tensor: TensorProto, label: str, op: str) -> np.ndarray | None:
        if dtype_name(tensor.data_type) is None:
            kind = TensorProto.DataType.Name(tensor.data_type).lower()
            self.refused.append(UnsupportedNode(label, op, f"tensors of type {kind} are not supported"))
            return None
        try:
            array = numpy_helper.to_array(tensor)
        except Exception as error:
            raise ConversionError(f"{op} {label!r} cannot be read: {error}") from error
        if tuple(array.shape) != tuple(tensor.dims):
            raise ConversionError(f"{op} {label!r} declares shape {list(tensor.dims)}, its data give {list(array.shape)}")
        return array

    def attribute(self, proto: AttributeProto) -> Any:
        """An attribute as a Python value."""
        kind = proto.type
        if kind == AttributeProto.TENSOR:
            array = self._array(proto.t, proto.name, "attribute")
            if array is None:
                self.refused.pop()
                raise Refusal(f"attribute {proto.name!r} has an element type that is not supported")
            return array
        if kind == AttributeProto.STRING:
            return proto.s.decode("utf-8", "replace")
        if kind == AttributeProto.STRINGS:
            return [s.decode("utf-8", "replace") for s in proto.strings]
        if kind == AttributeProto.GRAPH:
            return proto.g
        if kind in (AttributeProto.INT, AttributeProto.FLOAT):
            return proto.i if kind == AttributeProto.INT else proto.f
        if kind in (AttributeProto.INTS, AttributeProto.FLOATS):
            return list(proto.ints if kind == AttributeProto.INTS else proto.floats)
        raise Refusal(f"attribute {proto.name!r} has the unsupported type {AttributeProto.AttributeType.Name(kind)}")


def _bind_attributes(node: onnx.NodeProto, given: dict[str, AttributeProto]) -> onnx.NodeProto:
    """A copy of a function's node whose references to the function's attributes are replaced by their values."""
    bound = onnx.NodeProto()
    bound.CopyFrom(node)
    del bound.attribute[:]
    for attr in node.attribute:
        if not attr.ref_attr_name:
            bound.attribute.append(attr)
        elif attr.ref_attr_name in given:
            copy = bound.attribute.add()
            copy.CopyFrom(given[attr.ref_attr_name])
            copy.name = attr.name
    return bound


def _default_attributes(proto: onnx.NodeProto, domain: str, opset: int) -> dict[str, AttributeProto]:
    """What the definition of the operator says of attributes that the node leaves out."""
    try:
        schema = onnx.defs.get_schema(proto.op_type, opset, domain)
    except onnx.defs.SchemaError:
        return {}
    return {name: a.default_value for name, a in schema.attributes.items() if a.default_value.name}


def _no_importer(domain: str) -> str:
    return "no such operator here" if domain else "this operator is not supported yet"


def _has_function_body(proto: onnx.NodeProto, domain: str, opset: int) -> bool:
    """Whether ONNX defines the operator by others at this opset."""
    try:
        schema = onnx.defs.get_schema(proto.op_type, opset, domain)
    except onnx.defs.SchemaError:
        return False
    return schema.has_function or schema.has_context_dependent_function


def _function_body(proto: onnx.NodeProto, domain: str, opset: int,
                   inputs: list[Value | None]) -> onnx.FunctionProto | None:
    """The function body that ONNX defines for this node at this opset, or None."""
    try:
        schema = onnx.defs.get_schema(proto.op_type, opset, domain)
    except onnx.defs.SchemaError:
        return None
    if schema.has_function:
        body = schema.function_body
        if body is not None and body.node:
            return body
    if schema.has_context_dependent_function:
        types = []
        for value in inputs:
            kind = onnx.TypeProto()
            if value is not None:
                kind.tensor_type.elem_type = next(k for k, v in _DTYPES.items() if v == value.dtype)
                if value.shape is not None:
                    for d in value.shape:
                        dim = kind.tensor_type.shape.dim.add()
                        if isinstance(d, int):
                            dim.dim_value = d
            types.append(kind.SerializeToString())
        versions = [v for v in schema.context_dependent_function_opset_versions if v <= opset]
        if not versions:
            return None
        try:
            data = schema.get_context_dependent_function_with_opset_version(
                max(versions), proto.SerializeToString(), types)
        except Exception:  # the body needs what is not known here: the caller refuses the node
            return None
        return onnx.FunctionProto.FromString(data) if data else None
    return None
