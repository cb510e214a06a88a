"""Graph -> .spn file.

The file is laid out by the library (`lite_runtime.write_model`); here the graph is only put in its terms. The same
graph gives the same bytes.
"""
from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from sampan import lite_runtime
from sampan.ir import Graph, Value


def to_bytes(graph: Graph) -> bytes:
    """The file's bytes. Raises ValueError when the graph is not valid."""
    return lite_runtime.write_model(model_spec(graph))


def write(graph: Graph, path: str | PathLike) -> None:
    """Writes the file; an existing one is replaced only when the new one is complete."""
    lite_runtime.write_model(model_spec(graph), fspath(path))


def model_spec(graph: Graph) -> dict[str, Any]:
    """The graph as nested dicts with the field names of `lite_runtime/tools/model_writer.h`.

    Attributes stay a dict by name, which the library orders by the operator's definition; constants are arrays.
    """
    tensors: list[dict[str, Any]] = []
    index: dict[int, int] = {}
    output_name = {id(v): n for v, n in zip(graph.outputs, graph.output_names)}
    taken = set(graph.output_names)
    for value in graph.values():
        index[id(value)] = len(tensors)
        tensors.append(_tensor(value, value in graph.inputs, output_name.get(id(value)), taken))
    nodes = [{"op": node.op, "name": node.name, "sources": node.sources, "attrs": node.attrs,
              "inputs": [-1 if v is None else index[id(v)] for v in node.inputs],
              "outputs": [index[id(v)] for v in node.outputs]} for node in graph.nodes]
    inputs = [index[id(v)] for v in graph.inputs]
    outputs = [index[id(v)] for v in graph.outputs]
    return {
        "graphs": [{"name": graph.name, "tensors": tensors, "nodes": nodes, "inputs": inputs, "outputs": outputs}],
        "signatures": [{"name": "infer", "graph": 0, "input_names": [v.name for v in graph.inputs],
                        "output_names": list(graph.output_names)}],
        "metadata": [{"key": k, "value": v} for k, v in sorted(graph.metadata.items())],
        "provenance": {"source_format": graph.source_format, "source_hash": graph.source_hash,
                       "passes": graph.passes},
    }


def _tensor(value: Value, is_input: bool, output_name: str | None, taken: set[str]) -> dict[str, Any]:
    # Outputs carry the name that users see; a computed value that happens to have such a name gives way.
    name = output_name or (f"{value.name}'" if value.name in taken and not is_input else value.name)
    spec: dict[str, Any] = {"name": name, "dtype": value.dtype, "kind": "computed"}
    if value.shape is not None:
        spec["dims"] = [-1 if isinstance(d, str) else d for d in value.shape]
        if not value.is_static:
            spec["symbols"] = [d if isinstance(d, str) else "" for d in value.shape]
    if is_input:
        spec["kind"] = "input"
    elif value.is_constant:
        spec["kind"] = "constant"
        spec["data"] = value.data if value.packed is None else value.packed
    if value.source is not None and value.source != name:
        spec["source"] = value.source
    if value.source_permutation is not None:
        spec["source_permutation"] = list(value.source_permutation)
    if value.quantization is not None:
        q = value.quantization
        spec["quantization"] = {"scale": list(q.scale), "zero_point": list(q.zero_point), "axis": q.axis}
    return spec
