"""Runs cases in child processes: a crash or a hang costs that case only.

A child is `python -m tests.conformancener KIND DATA`; it reads case names and answers with one line of JSON each.
"""
from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASE_SECONDS = 20
STATES = ("passed", "wrong", "refused", "crashed")


@dataclass(frozen=True)
class Result:
    """state: one of STATES. reason: of anything but passed."""

    case: str
    state: str
    reason: str = ""
    seconds: float = 0.0


class _Child:
    """One process, used until it dies."""

    def __init__(self, kind: str, data: Path):
        self.command = [sys.executable, "-m", "tests.conformance.runner", kind, str(data)]
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, case: str, seconds: float) -> Result:
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, cwd=ROOT)
        assert self.process.stdin and self.process.stdout
        start = time.monotonic()
        try:
            self.process.stdin.write(case.encode() + b"\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], seconds)
            line = self.process.stdout.readline() if ready else b""
        except BrokenPipeError:
            ready, line = [1], b""
        if line:
            return Result(**json.loads(line))
        self.process.kill()
        code = self.process.wait()
        self.process = None
        return Result(case, "crashed", f"process ended with {code}" if ready else f"no answer in {seconds:.0f} s",
                      time.monotonic() - start)

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def run_cases(kind: str, data: Path, cases: Iterable[str], *, jobs: int | None = None, seconds: float = CASE_SECONDS,
              progress: Callable[[Result], None] | None = None) -> dict[str, Result]:
    """Results by case name. kind: "node" or "own", see `check_case`."""
    todo: queue.SimpleQueue[str] = queue.SimpleQueue()
    count = 0
    for case in cases:
        todo.put(case)
        count += 1
    results: dict[str, Result] = {}
    lock = threading.Lock()

    def work() -> None:
        child = _Child(kind, data)
        try:
            while True:
                try:
                    case = todo.get_nowait()
                except queue.Empty:
                    return
                result = child.run(case, seconds)
                with lock:
                    results[case] = result
                    if progress:
                        progress(result)
        finally:
            child.close()

    jobs = max(1, min(jobs or os.cpu_count() or 1, count))
    threads = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return dict(sorted(results.items()))


# ---- the child -----------------------------------------------------------------------------------

def check_case(kind: str, folder: Path) -> Result:
    """One case: convert, save, load, run with its inputs as run-time inputs, compare."""
    from sampan.lite_runtime.errors import SampanError, Unsupported

    from . import cases

    start = time.monotonic()
    try:
        reason = cases.CHECKS[kind](folder)
        state = "wrong" if reason else "passed"
    except Unsupported as error:
        nodes = [f"{n.op}: {n.reason}" for n in error.nodes]
        state, reason = "refused", "; ".join(dict.fromkeys(nodes)) or str(error)
    except SampanError as error:
        state, reason = "refused", f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001  a fault of ours, whatever it is
        state, reason = "crashed", f"{type(error).__name__}: {error}"
    return Result(folder.name, state, reason[:500], round(time.monotonic() - start, 3))


def _serve(kind: str, data: Path) -> None:
    reply = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints must not look like an answer
    for line in sys.stdin:
        result = check_case(kind, data / line.strip())
        reply.write(json.dumps(asdict(result)) + "\n")


if __name__ == "__main__":
    _serve(sys.argv[1], Path(sys.argv[2]))
