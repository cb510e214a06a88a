"""Take turns: one worker runs while all others are stopped; check every worker's outputs."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.adapters import ALL, adapter
from benchmarks.peers.convert import ROOT, converted, inputs_paths
from benchmarks.peers.environment import python_of

TOLERANCE = 1e-3  # of the largest value, against onnxruntime
_TIMEOUT = 300.0


@dataclass
class Plan:
    """How long and how often. A turn in which other programs used over `foreign` cores is repeated."""

    peers: tuple[str, ...] = ALL
    threads: tuple[int, ...] = (1, 2)
    rounds: int = 5
    seconds: float = 0.2
    least: int = 3
    loads: int = 3
    foreign: float = 0.15
    retries: int = 3


class Failed(RuntimeError):
    """A worker ended, or did not answer in time."""


class Worker:
    """One runtime in its own process, stopped except while it is asked something."""

    def __init__(self, peer: str, model: Path, inputs: list[Path], threads: int, folder: Path) -> None:
        self.outputs = folder / f"{peer}-{threads}.npz"
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115  lives as long as the process
        names = [peer, str(model), str(threads), str(self.outputs), *map(str, inputs)]
        search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        settings = os.environ | {"PYTHONPATH": search, "OMP_NUM_THREADS": str(threads)}
        self._process = subprocess.Popen(
            [str(python_of(adapter(peer).ENVIRONMENT)), "-m", "benchmarks.peers.worker", *names],
            cwd=ROOT,
            env=settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self.start = self._answer()

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.send_signal(signal.SIGCONT)
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # _answer says why it ended
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        """The next line; the process is stopped afterwards, so that idle threads of it cannot spin."""
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], _TIMEOUT)
        line = self._process.stdout.readline() if ready else ""
        if line:
            self._process.send_signal(signal.SIGSTOP)
            return dict(json.loads(line))
        if ready:  # the end of its output: it is about to end by itself, with an exit code that tells why
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(10)
        self.close()
        self._log.seek(0)
        last = (self._log.read().strip().splitlines() or ["no message"])[-1]
        raise Failed(f"exit {self._process.returncode}: {last[:200]}" if ready else f"no answer in {_TIMEOUT:.0f} s")

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


@dataclass
class Row:
    """Everything known about one peer on one model with one number of threads."""

    model: str
    peer: str
    threads: int
    ms: float | None = None  # median over the rounds of the median run
    best_ms: float | None = None
    cpu_ms: float | None = None
    load_ms: float | None = None  # loading, median over processes
    first_ms: float | None = None
    peak_mb: float | None = None
    base_mb: float | None = None  # after import, before loading
    file_bytes: int = 0
    difference: float | None = None  # largest, as a share of the largest value
    quiet_rounds: int = 0
    rounds: list[dict[str, float]] = field(default_factory=list)
    error: str = ""

    @property
    def correct(self) -> bool:
        return not self.error and self.difference is not None and self.difference <= TOLERANCE


def measure(name: str, plan: Plan) -> list[Row]:
    """All rows of one model of the suite."""
    rows, workers = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            for peer in plan.peers:
                path, reason = converted(name, peer)
                for threads in plan.threads:
                    row = Row(name, peer, threads, error=reason)
                    rows.append(row)
                    if path is None:
                        continue
                    row.file_bytes = path.stat().st_size
                    row.file_bytes += path.with_suffix(".bin").stat().st_size if peer == "ncnn" else 0
                    try:
                        worker = Worker(peer, path, inputs_paths(name), threads, folder)
                        workers.append((row, worker, path, [worker.start]))
                    except Failed as failure:
                        row.error = str(failure)
            _more_loads(workers, name, plan, folder)
            _take_turns(workers, plan)
            _summarise(workers, plan)
            _check([(row, worker.outputs) for row, worker, _, _ in workers])
        finally:
            for _, worker, _, _ in workers:
                worker.close()
    return rows


def _more_loads(workers: list[Any], name: str, plan: Plan, folder: Path) -> None:
    """Loading happens once in a process, so it takes new processes to see it again; in rounds, like runs."""
    for _ in range(plan.loads - 1):
        for row, _, path, starts in workers:
            extra = folder / "again"
            extra.mkdir(exist_ok=True)
            try:
                again = Worker(row.peer, path, inputs_paths(name), row.threads, extra)
                starts.append(again.start)
                again.close()
            except Failed as failure:
                row.error = str(failure)


def _take_turns(workers: list[Any], plan: Plan) -> None:
    for _ in range(plan.rounds):
        for row, worker, _, _ in workers:
            if not row.error:
                try:
                    row.rounds.append(_turn(worker, plan))
                except Failed as failure:
                    row.error = str(failure)


def _turn(worker: Worker, plan: Plan) -> dict[str, float]:
    tries: list[dict[str, float]] = []
    for attempt in range(plan.retries + 1):
        if attempt:
            time.sleep(0.3)
        before, start = _busy_seconds(), time.perf_counter()
        answer = worker.ask(do="time", seconds=plan.seconds, least=plan.least)
        wall = time.perf_counter() - start
        answer["foreign"] = max(0.0, (_busy_seconds() - before) / wall - answer.pop("cores"))
        tries.append(answer)
        if answer["foreign"] <= plan.foreign:
            break
    return min(tries, key=lambda t: t["foreign"])


def _busy_seconds() -> float:
    """CPU seconds spent on this machine by everyone, including what a hypervisor took."""
    numbers = [int(x) for x in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = numbers[3] + numbers[4]
    return (sum(numbers) - idle) / os.sysconf("SC_CLK_TCK")


def _summarise(workers: list[Any], plan: Plan) -> None:
    for row, worker, _, starts in workers:
        row.load_ms = statistics.median(s["load_ms"] for s in starts)
        row.first_ms = statistics.median(s["first_ms"] for s in starts)
        row.base_mb = worker.start["base_mb"]
        if row.error:
            continue
        quiet = [r for r in row.rounds if r["foreign"] <= plan.foreign]
        used = quiet if len(quiet) >= 3 else row.rounds
        row.quiet_rounds = len(quiet)
        row.ms = statistics.median(r["ms"] for r in used)
        row.cpu_ms = statistics.median(r["cpu_ms"] for r in used)
        row.best_ms = min(r["best_ms"] for r in row.rounds)
        row.peak_mb = worker.ask(do="memory")["peak_mb"]


def _check(results: list[tuple[Row, Path]]) -> None:
    reference = next((path for row, path in results if row.peer == "onnxruntime" and not row.error), None)
    for row, path in results:
        if reference is None or row.error:
            continue
        expected, got = _outputs(reference), _outputs(path)
        each = [difference(expected[number], got.get(number, [])) for number in expected]
        row.difference = None if None in each else max(d for d in each if d is not None)


def _outputs(path: Path) -> dict[str, list[Any]]:
    """Number of the feed -> its outputs."""
    outputs: dict[str, list[Any]] = {}
    with np.load(path) as archive:
        for key in archive.files:
            outputs.setdefault(key.split(".")[0], []).append(archive[key])
    return outputs


def difference(expected: list[Any], got: list[Any]) -> float | None:
    """Largest difference as a share of the output's largest value; None if an output has no counterpart.

    Peers rename and reorder outputs, drop the batch axis and move channels last, so a counterpart is an
    output of the same size, in whichever of the two layouts is closer.
    """
    worst = 0.0
    for want in expected:
        closest = None
        for have in got:
            for form in _layouts(have, want.shape):
                distance = float(np.max(np.abs(form.astype(np.float64) - want), initial=0.0))
                closest = distance if closest is None or distance < closest else closest
        if closest is None:
            return None
        worst = max(worst, closest / max(float(np.max(np.abs(want), initial=0.0)), 1e-30))
    return worst


def _layouts(array: Any, shape: tuple[int, ...]) -> list[Any]:
    if array.size != int(np.prod(shape)) or not np.isfinite(array).all():
        return []
    forms = [array.reshape(shape)]
    if len(shape) > 2:
        last = (shape[0], *shape[2:], shape[1])
        forms.append(np.moveaxis(array.reshape(last), -1, 1))
    return forms
