"""sampan opt: convert, optimise, write."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .inputs import parse_dims, parse_pairs
from .options import human_bytes, json_option, print_json, print_table, status


@click.command("opt")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="File to write; by default MODEL's name with .spn.")
@click.option("--target", default="host", show_default=True, help="What the file is for.")
@click.option("--shape", "shapes", multiple=True, metavar="NAME=D,D,...",
              help="Replaces the declared shape of an input; a name leaves that size open.")
@click.option("--metadata", multiple=True, metavar="KEY=TEXT", help="An entry for the file.")
@click.option("--skip-pass", "skip", multiple=True, metavar="PASS", help="Leaves a pass out.")
@click.option("--no-optimize", is_flag=True, help="Writes the graph as it was read.")
@click.option("--debug", is_flag=True, help="Verifies the graph after every pass.")
@click.option("--log", "show_log", is_flag=True, help="Prints every rewrite with its reason.")
@json_option
def command(model: str, output: str | None, target: str, shapes: tuple[str, ...], metadata: tuple[str, ...],
            skip: tuple[str, ...], no_optimize: bool, debug: bool, show_log: bool, as_json: bool) -> None:
    """Converts MODEL (ONNX), optimises it and writes a .spn file.

    When nodes cannot be converted all of them are listed, and nothing is written (exit code 4).
    """
    from sampan.convert import convert

    path = output or str(Path(model).with_suffix(".spn"))
    dims = {name: parse_dims(text, "--shape") for name, text in parse_pairs(shapes, "--shape").items()}
    with status(f"converting {model}") as show:
        report = convert(model, path, target=target, inputs=dims or None, optimize=not no_optimize, skip_passes=skip,
                         check=debug, metadata=parse_pairs(metadata, "--metadata"), progress=show)
    if as_json:
        print_json(report.to_json())
        return
    _print(report, show_log)


def _print(report: Any, show_log: bool) -> None:
    if show_log:
        for change in report.changes:
            click.echo(str(change))
    print_table(f"{report.source} -> {report.output}", ("operator", "nodes"), report.operators.items(), right=("nodes",))
    passes = ", ".join(f"{name} {count}" for name, count in report.by_pass().items())
    click.echo(f"passes   {passes or 'none'}")
    times = ", ".join(f"{step} {value:.2f} s" for step, value in report.seconds.items())
    click.echo(f"nodes    {report.source_nodes} read, {report.nodes} written")
    click.echo(f"size     {human_bytes(report.size)}")
    click.echo(f"time     {times}")
