"""sampan inspect: what is in a file."""
from __future__ import annotations

from collections import Counter
from typing import Any

import click

from .options import console, human_bytes, json_option, print_json


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
    from rich.table import Table

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
    table = Table(title="inputs and outputs", title_justify="left")
    for column in ("", "name", "dtype", "shape"):
        table.add_column(column)
    for kind in ("inputs", "outputs"):
        for index in graph[kind]:
            tensor = graph["tensors"][index]
            table.add_row(kind[:-1], tensor["name"], tensor["dtype"], shape_text(tensor))
    console().print(table)
    table = Table(title="operators", title_justify="left")
    table.add_column("operator")
    table.add_column("nodes", justify="right")
    for op, count in Counter(n["op"] for n in graph["nodes"]).most_common():
        table.add_row(op, str(count))
    console().print(table)


def _print_nodes(graph: dict[str, Any]) -> None:
    from rich.table import Table

    names = [t["name"] for t in graph["tensors"]]
    table = Table(title="nodes", title_justify="left")
    for column in ("node", "operator", "attributes", "inputs", "outputs", "made from"):
        table.add_column(column, overflow="fold")
    for node in graph["nodes"]:
        attrs = node["attrs"]
        text = ", ".join(f"{k}={v}" for k, v in attrs.items()) if isinstance(attrs, dict) else str(attrs)
        table.add_row(node["name"], node["op"], text, ", ".join("-" if i < 0 else names[i] for i in node["inputs"]),
                      ", ".join("-" if i < 0 else names[i] for i in node["outputs"]), ", ".join(node["sources"]))
    console().print(table)


def _print_tensors(graph: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(title="tensors", title_justify="left")
    for column in ("tensor", "kind", "dtype", "shape", "bytes", "source"):
        table.add_column(column, overflow="fold", justify="right" if column == "bytes" else "left")
    for t in graph["tensors"]:
        kind = t["kind"] + (" (panels)" if t["packing"] else "")
        table.add_row(t["name"], kind, t["dtype"], shape_text(t), f"{t['size']:,}" if t["kind"] == "constant" else "",
                      t["source"])
    console().print(table)
