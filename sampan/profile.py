"""Where the time of a run went."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ProfileEntry:
    """One node of a run. Times in nanoseconds, start counted from the run's beginning."""

    node: str
    op: str
    kernel: str
    sources: str
    start_ns: int
    duration_ns: int
    thread: int


@dataclass(frozen=True)
class OperatorTime:
    """All nodes with the same operator and kernel."""

    op: str
    kernel: str
    count: int
    total_ns: int
    share: float


@dataclass(frozen=True)
class Profile:
    """A run's nodes in order of execution."""

    entries: tuple[ProfileEntry, ...]
    model: str = ""
    isa: str = ""
    threads: int = 1

    @classmethod
    def from_native(cls, entries: Sequence[dict[str, Any]], **info: Any) -> Profile:
        return cls(tuple(ProfileEntry(**e) for e in entries), **info)

    @property
    def total_ns(self) -> int:
        """The sum over all nodes."""
        return sum(e.duration_ns for e in self.entries)

    def by_operator(self) -> list[OperatorTime]:
        """Operators and their kernels, the most expensive first."""
        sums: dict[tuple[str, str], list[int]] = {}
        for e in self.entries:
            item = sums.setdefault((e.op, e.kernel), [0, 0])
            item[0] += 1
            item[1] += e.duration_ns
        total = self.total_ns or 1
        rows = [OperatorTime(op, kernel, count, time, time / total) for (op, kernel), (count, time) in sums.items()]
        return sorted(rows, key=lambda r: -r.total_ns)

    @property
    def portable_share(self) -> float:
        """Share of the time in portable kernels, those that use no vector instructions (0..1)."""
        portable = sum(e.duration_ns for e in self.entries if e.kernel.endswith("_portable"))
        return portable / (self.total_ns or 1)

    def chrome_trace(self) -> dict[str, Any]:
        """The run in the trace event format that chrome://tracing and Perfetto read."""
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": f"sampan {self.model} ({self.isa})"}}]
        events += [{"ph": "X", "pid": 1, "tid": e.thread, "name": e.op, "cat": e.kernel or "view",
                    "ts": e.start_ns / 1000, "dur": e.duration_ns / 1000,
                    "args": {"node": e.node, "kernel": e.kernel, "sources": e.sources}} for e in self.entries]
        return {"traceEvents": events, "displayTimeUnit": "ms"}
