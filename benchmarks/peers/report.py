"""docs/benchmarks.md and docs/benchmarks.json from measured rows."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.adapters import ALL
from benchmarks.peers.measure import TOLERANCE

Row = dict[str, Any]
_US = "sampan"


def machine() -> str:
    """Processor and number of cores, for the head of the report."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    sets = [name for name in ("avx2", "avx512f", "avx512_vnni", "amx_tile") if name in flags]
    cores = sum(line.startswith("processor") for line in lines)
    return f"{model}, {cores} cores, {', '.join(sets)}, {platform.system()} {platform.machine()}"


def merge(old: Sequence[Row], new: Sequence[Row]) -> list[Row]:
    """`old` with the rows of models and peers that were measured anew replaced."""
    fresh = {(r["model"], r["peer"], r["threads"]) for r in new}
    return [r for r in old if (r["model"], r["peer"], r["threads"]) not in fresh] + list(new)


def _correct(row: Row) -> bool:
    return not row["error"] and row["difference"] is not None and row["difference"] <= TOLERANCE


def fastest(rows: Iterable[Row], figure: Callable[[Row], float | None]) -> Row | None:
    """The best of the peers (not us) whose outputs are right."""
    candidates = [r for r in rows if r["peer"] != _US and _correct(r) and figure(r) is not None]
    return min(candidates, key=lambda r: figure(r) or 0.0) if candidates else None


def ratios(rows: Sequence[Row], threads: int, figure: Callable[[Row], float | None]) -> dict[str, float]:
    """Our figure divided by the fastest peer's, for every model where both exist."""
    result = {}
    for model in dict.fromkeys(r["model"] for r in rows):
        here = [r for r in rows if r["model"] == model and r["threads"] == threads]
        best = fastest(here, figure)
        ours = next((r for r in here if r["peer"] == _US and _correct(r)), None)
        if best is not None and ours is not None:
            mine, theirs = figure(ours), figure(best)
            if mine and theirs:
                result[model] = mine / theirs
    return result


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def _run(row: Row) -> float | None:
    return row["ms"]


def _start(row: Row) -> float | None:
    return None if row["load_ms"] is None else row["load_ms"] + row["first_ms"]


def _peak(row: Row) -> float | None:
    return row["peak_mb"]


def _table(rows: Sequence[Row], threads: int, figure: Callable[[Row], float | None], digits: int) -> list[str]:
    peers = [p for p in ALL if any(r["peer"] == p for r in rows)]
    lines = [
        f"| model | {' | '.join(peers)} | fastest peer | {_US} / fastest |",
        "| --- |" + " --- |" * (len(peers) + 2),
    ]
    shares = ratios(rows, threads, figure)
    for model in dict.fromkeys(r["model"] for r in rows):
        here = {r["peer"]: r for r in rows if r["model"] == model and r["threads"] == threads}
        if not here:
            continue
        cells = [_cell(here.get(p), figure, digits) for p in peers]
        best = fastest(here.values(), figure)
        share = f"{shares[model]:.2f}" if model in shares else "-"
        lines.append(f"| {model} | {' | '.join(cells)} | {best['peer'] if best else '-'} | {share} |")
    if shares:
        mean = geometric_mean(shares.values())
        lines.append(f"| **geometric mean** of {len(shares)} | {' | '.join('' for _ in peers)} | | **{mean:.2f}** |")
    return lines


def _cell(row: Row | None, figure: Callable[[Row], float | None], digits: int) -> str:
    if row is None or row["error"] or figure(row) is None:
        return "-"
    value = figure(row) or 0.0
    text = f"{value:.{digits}f}" if value >= 1 or digits == 0 else f"{value:.3f}"
    noisy = "" if figure is not _run or row["quiet_rounds"] >= 3 else "~"
    return f"{noisy}{text}" if _correct(row) else f"({noisy}{text}: wrong)"


def markdown(rows: Sequence[Row], head: dict[str, Any]) -> str:
    """The whole report; `head` holds date, machine, versions and the command."""
    threads = sorted({r["threads"] for r in rows})
    lines = [
        "# Side by side with other runtimes",
        "",
        f"Written by `{head['command']}` on {head['date']}; do not edit. Raw numbers: benchmarks.json.",
        "",
        f"- Machine: {head['machine']}.",
        f"- Versions: {', '.join(f'{k} {v}' for k, v in head['versions'].items())}.",
        f"- float32 everywhere. Each runtime has its own process; in {head['rounds']} rounds they take turns of"
        f" {head['seconds']} s while the others are stopped. A figure is the median over rounds of the median run:"
        " input copy, inference, outputs as numpy arrays.",
        f'- Outputs are compared with onnxruntime\'s; "wrong" is off by more than {TOLERANCE:g} of the largest value'
        " and not ranked.",
        '- "~" marks a figure with fewer than three rounds free of other load on the machine; do not judge by it.',
        "",
    ]
    for count in threads:
        lines += [f"## Latency in ms, {count} thread{'s' * (count > 1)}", "", *_table(rows, count, _run, 2), ""]
    lines += ["## Loading and first run in ms, 1 thread", "", *_table(rows, threads[0], _start, 1), ""]
    lines += ["## Peak memory of the process in MB, 1 thread", "", *_table(rows, threads[0], _peak, 0), ""]
    failures = {(r["model"], r["peer"]): r["error"] for r in rows if r["error"]}
    if failures:
        lines += ["## What did not run", "", "| model | peer | reason |", "| --- | --- | --- |"]
        lines += [f"| {m} | {p} | {e.replace('|', '/')[:160]} |" for (m, p), e in failures.items()] + [""]
    return "\n".join(lines)


def write(folder: Path, rows: Sequence[Row], head: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmarks.md").write_text(markdown(rows, head), encoding="utf-8")
    (folder / "benchmarks.json").write_text(json.dumps({**head, "rows": list(rows)}, indent=1) + "\n", encoding="utf-8")
