"""One runtime in one process, told what to do by lines of JSON on standard input.

    python -m benchmarks.peers.worker PEER MODEL THREADS OUTPUTS.npz INPUTS.npz...

It loads and runs once, reports, and then answers {"do": "time", "seconds": s, "least": n} and
{"do": "memory"}, each with one line of JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.adapters import adapter


def _milliseconds(start: float) -> float:
    return (time.perf_counter() - start) * 1e3


def _memory_mb(key: str) -> float:
    """VmRSS (now) or VmHWM (peak). getrusage would count what the parent had before the exec."""
    status = Path("/proc/self/status").read_text()
    line = next(text for text in status.splitlines() if text.startswith(f"{key}:"))
    return int(line.split()[1]) * 1024 / 1e6


def _time(runner: Any, feeds: list[Any], seconds: float, least: int) -> dict[str, float]:
    """Figures of one run, an average over the feeds."""
    for feed in feeds * 2:  # caches and clock speed after the pause
        runner.run(feed)
    cpu, start, times = time.process_time(), time.perf_counter(), []
    while len(times) < least or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        for feed in feeds:
            runner.run(feed)
        times.append(_milliseconds(begin) / len(feeds))
    # CPU time between two clock reads says how many cores this process had itself.
    return {
        "ms": statistics.median(times),
        "best_ms": min(times),
        "runs": len(times),
        "cpu_ms": (time.process_time() - cpu) * 1e3 / (len(times) * len(feeds)),
        "cores": (time.process_time() - cpu) / (time.perf_counter() - start),
    }


def main() -> None:
    peer, model, threads, outputs, *inputs = sys.argv[1:]
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a native library prints must not mix with the replies

    def reply(**values: Any) -> None:
        replies.write(json.dumps(values) + "\n")

    module = adapter(peer)
    start = time.perf_counter()
    importlib.import_module(module.MODULE)
    import_ms = _milliseconds(start)
    before = _memory_mb("VmRSS")
    arrays = []
    for file in inputs:
        with np.load(file) as archive:
            arrays.append({name: archive[name] for name in archive.files})
    runner = module.Runner()
    start = time.perf_counter()
    runner.load(Path(model), int(threads))
    load_ms = _milliseconds(start)
    feeds = [runner.prepare(each) for each in arrays]
    start = time.perf_counter()
    runner.run(feeds[0])
    first_ms = _milliseconds(start)
    results = {}
    for number, feed in enumerate(feeds):
        for position, result in enumerate(runner.run(feed)):
            results[f"{number}.{position}"] = np.array(result)
    np.savez(outputs, **results)
    reply(import_ms=import_ms, load_ms=load_ms, first_ms=first_ms, base_mb=before)

    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "time":
            reply(**_time(runner, feeds, request["seconds"], request["least"]))
        else:
            reply(peak_mb=_memory_mb("VmHWM"))


if __name__ == "__main__":
    main()
