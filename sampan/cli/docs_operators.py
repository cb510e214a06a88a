"""sampan docs-operators: the operator reference, from the library's own definitions."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import json_option, print_json

GROUPS = (
    ("floats", ("float32", "float16", "bfloat16", "float64")),
    ("signed integers", ("int8", "int16", "int32", "int64")),
    ("unsigned integers", ("uint8", "uint16", "uint32", "uint64")),
)


@click.command("docs-operators")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="File to write; by default standard output.")
@json_option
def command(output: str | None, as_json: bool) -> None:
    """Prints the operator reference of this build as Markdown (or its definitions with --json)."""
    from dataclasses import asdict

    from sampan.lite_runtime import operators

    if as_json:
        print_json([asdict(info) for info in operators().values()])
        return
    text = markdown(list(operators().values()))
    if output:
        Path(output).write_text(text)
        click.echo(f"{len(operators())} operators written to {output}")
    else:
        click.echo(text)


def markdown(infos: list[Any]) -> str:
    """The reference of all operators."""
    lines = ["# Operators", "", "Made by `make docs` from the definitions in `lite_runtime/ops`. Do not edit.", "",
             f"{len(infos)} operators: " + ", ".join(f"[{i.name}](#{i.name.lower()})" for i in infos), ""]
    for info in infos:
        lines += _operator(info)
    return "\n".join(lines)


def _operator(info: Any) -> list[str]:
    lines = [f"## {info.name}", "", " ".join(info.doc.split()), ""]
    notes = [f"version {info.version}"]
    if info.view:
        notes.append("no copy: the output has the input's bytes")
    if info.dynamic_output:
        notes.append("the output's shape depends on data")
    if info.in_place is not None:
        notes.append(f"may work in place of `{info.inputs[info.in_place].name}`")
    lines += [f"*{'; '.join(notes)}*", "", "| | name | types | |", "|---|---|---|---|"]
    for i in info.inputs:
        flags = [f for f, on in (("optional", i.optional), ("one or more", i.variadic), ("only its shape counts", i.shape_only),
                                 ("constants can be stored in panels", i.packable)) if on]
        types = type_text(i.dtypes) if i.same_type_as is None else f"as `{info.inputs[i.same_type_as].name}`"
        lines.append(f"| input | `{i.name}` | {types} | {', '.join(flags)} |")
    for o in info.outputs:
        flags = [f for f, on in (("optional", o.optional), ("one or more", o.variadic)) if on]
        lines.append(f"| output | `{o.name}` | | {', '.join(flags)} |")
    lines.append("")
    if info.attrs:
        lines += ["| attribute | type | default | allowed | |", "|---|---|---|---|---|"]
        lines += [f"| `{a.name}` | {a.type} | {_default(a)} | {_allowed(a)} | {' '.join(a.doc.split())} |" for a in info.attrs]
        lines.append("")
    return lines


def type_text(dtypes: tuple[str, ...]) -> str:
    """Types by family where all of a family are there."""
    rest = list(dtypes)
    parts = []
    for name, members in GROUPS:
        if all(m in rest for m in members):
            parts.append(name)
            rest = [d for d in rest if d not in members]
    return ", ".join(parts + rest)


def _default(attr: Any) -> str:
    if attr.type in ("ints", "floats"):
        return "empty"
    return f"{attr.default:g}" if attr.type == "float" else str(attr.default)


def _allowed(attr: Any) -> str:
    if attr.choices:
        return ", ".join(attr.choices)
    if attr.min is None and attr.max is None:
        return ""
    low = "" if attr.min is None else f"{attr.min}"
    high = "" if attr.max is None else f"{attr.max}"
    return f"{low}..{high}"
