"""sampan inspect: what is in a file."""
from __future__ import annotations

from collections import Counter
from typing import Any

import click

from .options import human_bytes, json_option, print_json, print_table


@click.command("inspect")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option("--nodes", is_flag=True, help="Lists every node.")
@click.option("--tensors", is_flag=True, help="Lists every tensor.")
@json_option
def command(model: str, nodes: bool, tensors: bool, as_json: bool) -> None:
    """Shows inputs, outputs, operators, sizes and provenance of MODEL (.spn; ONNX is converted in memory)."""
    from sampan.lite_runtime import read_model
    from sampan.session import _convert_if_needed

    content = read_model(_convert_if_needed(model))
    if as_json:
        print_json(content)
        return
    graph = content["graphs"][0]
    _print_summary(model, content, graph)
    if nodes:
        _print_nodes(graph)
    if tensors:
        _print_tensors(graph)


def shape_text(tensor: dict[str, Any]) -> str:
    return "[?]" if tensor["shape"] is None else f"[{', '.join(map(str, tensor['shape']))}]"


def _print_summary(model: str, content: dict[str, Any], graph: dict[str, Any]) -> None:
    sizes, provenance = content["sizes"], content["provenance"]
    click.echo(f"{model}: format {content['format_version']}, needs runtime format {content['minimum_runtime']} or newer")
    click.echo(f"sizes       file {human_bytes(sizes['file'])}, structure {human_bytes(sizes['structure'])}, "
               f"data {human_bytes(sizes['data'])}")
    click.echo(f"graph       {graph['name']}: {len(graph['nodes'])} nodes, {len(graph['tensors'])} tensors"
               + (f", and {len(content['graphs']) - 1} subgraphs" if len(content["graphs"]) > 1 else ""))
    if provenance:
        click.echo(f"made by     sampan {provenance['tool_version']} from {provenance['source_format'] or '?'}"
                   + (f" (SHA-256 {provenance['source_hash'][:16]}...)" if provenance["source_hash"] else ""))
        click.echo(f"passes      {', '.join(provenance['passes']) or 'none'}")
    for key, value in content["metadata"].items():
        click.echo(f"metadata    {key} = {value if len(value) <= 100 else value[:97] + '...'}")
    print_table("inputs and outputs", ("", "name", "dtype", "shape"),
                [(kind[:-1], t["name"], t["dtype"], shape_text(t)) for kind in ("inputs", "outputs")
                 for t in (graph["tensors"][index] for index in graph[kind])])
    print_table("operators", ("operator", "nodes"), Counter(n["op"] for n in graph["nodes"]).most_common(),
                right=("nodes",))


def _print_nodes(graph: dict[str, Any]) -> None:
    names = [t["name"] for t in graph["tensors"]]

    def joined(indices: list[int]) -> str:
        return ", ".join("-" if i < 0 else names[i] for i in indices)

    def attributes(attrs: Any) -> str:
        return ", ".join(f"{k}={v}" for k, v in attrs.items()) if isinstance(attrs, dict) else str(attrs)

    print_table("nodes", ("node", "operator", "attributes", "inputs", "outputs", "made from"),
                [(n["name"], n["op"], attributes(n["attrs"]), joined(n["inputs"]), joined(n["outputs"]),
                  ", ".join(n["sources"])) for n in graph["nodes"]])


def _print_tensors(graph: dict[str, Any]) -> None:
    print_table("tensors", ("tensor", "kind", "dtype", "shape", "bytes", "source"),
                [(t["name"], t["kind"] + (" (panels)" if t["packing"] else ""), t["dtype"], shape_text(t),
                  f"{t['size']:,}" if t["kind"] == "constant" else "", t["source"]) for t in graph["tensors"]],
                right=("bytes",))
