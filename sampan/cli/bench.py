"""sampan bench: how long a run takes, and where the time goes."""
from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click
import numpy as np

from .inputs import make_inputs
from .options import human_bytes, human_time, input_options, json_option, model_options, print_json, print_table

MIN_RUNS = 5


@click.command("bench")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@input_options
@click.option("--runs", type=click.IntRange(1), default=None, help="Number of runs; by default as many as fit --seconds.")
@click.option("--seconds", type=click.FloatRange(0.01), default=3.0, show_default=True, help="Time for all runs.")
@click.option("--warmup", type=click.IntRange(0), default=3, show_default=True, help="Runs before the measured ones.")
@click.option("--profile", is_flag=True, help="Adds a table of operators and kernels.")
@click.option("--trace", type=click.Path(dir_okay=False), metavar="FILE.json",
              help="Writes one run for chrome://tracing or Perfetto.")
@model_options
@json_option
def command(model: str, files: tuple[str, ...], archive: str | None, shapes: tuple[str, ...], symbols: tuple[str, ...],
            seed: int, runs: int | None, seconds: float, warmup: int, profile: bool, trace: str | None, threads: int,
            isa: str | None, as_json: bool) -> None:
    """Measures MODEL (.spn or ONNX): load, first run, median, p90 and fastest run, memory.

    The profile is taken in runs of their own, after the measured ones.
    """
    import sampan

    start = time.perf_counter_ns()
    session = sampan.Session(model, threads=threads, isa=isa)
    load = time.perf_counter_ns() - start
    feed = make_inputs(session.inputs, files=files, archive=archive, shapes=shapes, symbols=symbols, seed=seed)
    start = time.perf_counter_ns()
    session.run(feed)
    first = time.perf_counter_ns() - start
    times = measure(session, feed, runs, seconds, warmup)
    memory = session.memory()
    result: dict[str, Any] = {
        "model": model, "isa": session.isa, "threads": threads, "inputs": {n: list(a.shape) for n, a in feed.items()},
        "runs": len(times), "load_ms": load / 1e6, "first_run_ms": first / 1e6,
        "median_ms": float(np.median(times)) / 1e6, "p90_ms": float(np.percentile(times, 90)) / 1e6,
        "min_ms": min(times) / 1e6, "peak_memory_bytes": peak_memory(),
        "arena_bytes": memory.arena_bytes, "arena_lower_bound_bytes": memory.lower_bound_bytes,
        "packed_weight_bytes": memory.packed_weight_bytes, "plans": memory.plans}
    found = None
    if profile or trace:
        found = _profile(model, session, feed)
        result["portable_share"] = found.portable_share
        result["operators"] = [{"op": r.op, "kernel": r.kernel, "count": r.count, "total_ms": r.total_ns / 1e6,
                                "share": r.share} for r in found.by_operator()]
    if trace and found:
        Path(trace).write_text(json.dumps(found.chrome_trace()))
        result["trace"] = trace
    if as_json:
        print_json(result)
    else:
        _print(result, found if profile else None)


def measure(session: Any, feed: dict[str, np.ndarray], runs: int | None, seconds: float, warmup: int) -> list[int]:
    """Times of runs in nanoseconds; outputs are written to the same arrays every time where shapes allow it."""
    for _ in range(warmup):
        session.run(feed)
    times: list[int] = []
    end = time.perf_counter_ns() + int(seconds * 1e9)
    while len(times) < runs if runs else (len(times) < MIN_RUNS or time.perf_counter_ns() < end):
        start = time.perf_counter_ns()
        session.run(feed)
        times.append(time.perf_counter_ns() - start)
    return times


def _profile(model: str, session: Any, feed: dict[str, np.ndarray]) -> Any:
    """The profile of the fastest of a few runs."""
    import sampan

    watched = sampan.Session(session.model, threads=session.threads, isa=session.isa, profile=True)
    best = None
    for _ in range(4):
        watched.run(feed)
        found = watched.profile()
        if best is None or found.total_ns < best.total_ns:
            best = found
    return best


def peak_memory() -> int | None:
    """The process's largest resident memory in bytes, Python and numpy included."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _print(result: dict[str, Any], profile: Any) -> None:
    inputs = ", ".join(f"{n} {s}" for n, s in result["inputs"].items())
    click.echo(f"model     {result['model']}  ({inputs})")
    click.echo(f"run on    {result['isa']}, {result['threads']} thread(s)")
    click.echo(f"load      {result['load_ms']:.2f} ms, first run {result['first_run_ms']:.2f} ms")
    click.echo(f"run       median {result['median_ms']:.3f} ms, p90 {result['p90_ms']:.3f} ms, min {result['min_ms']:.3f} ms"
               f"  ({result['runs']} runs)")
    arena, bound = result["arena_bytes"], result["arena_lower_bound_bytes"]
    peak = result["peak_memory_bytes"]
    click.echo(f"memory    arena {human_bytes(arena)} (lower bound {human_bytes(bound)}), packed weights "
               f"{human_bytes(result['packed_weight_bytes'])}"
               + (f", process peak {human_bytes(peak)}" if peak else ""))
    if profile is None:
        return
    print_table(f"operators: {human_time(profile.total_ns)} in all, {100 * profile.portable_share:.1f} % in portable "
                "kernels", ("operator", "kernel", "nodes", "time", "share"),
                [(r.op, r.kernel or "-", r.count, human_time(r.total_ns), f"{100 * r.share:.1f} %")
                 for r in profile.by_operator()], right=("nodes", "time", "share"))
