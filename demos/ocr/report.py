"""What the demo prints: the lines, and where the time went."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

from demos.ocr.pipeline import Line, Result, Timing


def as_json(result: Result) -> dict[str, Any]:
    """Plain data for ``--json``: boxes in pixels, times in milliseconds."""
    return {
        "lines": [
            {
                "text": line.text,
                "confidence": round(line.confidence, 6),
                "box": line.box.tolist(),
                "direction": line.direction,
            }
            for line in result.lines
        ],
        "boxes_found": result.boxes,
        "milliseconds": {
            "networks": _milliseconds(result.timing.network),
            "around": _milliseconds(result.timing.around),
            "total": round(result.timing.total * 1e3, 3),
        },
    }


def _milliseconds(seconds: dict[str, float]) -> dict[str, float]:
    return {name: round(value * 1e3, 3) for name, value in seconds.items()}


def print_lines(lines: Sequence[Line]) -> None:
    """Text, confidence and corners, one line of text a row."""
    rows = [
        [str(number), line.text, f"{line.confidence:.3f}", " ".join(f"{x:.0f},{y:.0f}" for x, y in line.box)]
        for number, line in enumerate(lines, 1)
    ]
    _print_table("", ["", "text", "confidence", "corners x,y"], rows, right={0, 2})


def print_timing(timing: Timing, title: str = "time in ms") -> None:
    """Milliseconds per stage: the network, and the code around it."""
    rows = []
    for name, around in timing.around.items():
        network = timing.network.get(name, 0.0)
        rows.append([name, *(f"{value * 1e3:.1f}" for value in (network, around, network + around))])
    sums = sum(timing.network.values()), sum(timing.around.values()), timing.total
    rows.append(["total", *(f"{value * 1e3:.1f}" for value in sums)])
    _print_table(title, ["stage", "network", "around it", "both"], rows, right={1, 2, 3})


def _print_table(title: str, header: list[str], rows: list[list[str]], right: set[int]) -> None:
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        _print_plain(title, header, rows, right)
        return
    if not sys.stdout.isatty():  # a pipe or a file gets whole lines, however long
        _print_plain(title, header, rows, right)
        return
    table = Table(title=title or None, title_justify="left")
    for column, name in enumerate(header):
        table.add_column(name, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(cell.replace("[", r"\[") for cell in row))
    Console().print(table)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _print_plain(title: str, header: list[str], rows: list[list[str]], right: set[int]) -> None:
    widths = [max(_width(row[i]) for row in [header, *rows]) for i in range(len(header))]
    if title:
        print(title)
    for row in [header, *rows]:
        cells = []
        for column, cell in enumerate(row):
            space = " " * (widths[column] - _width(cell))
            cells.append(space + cell if column in right else cell + space)
        print("  ".join(cells).rstrip())
