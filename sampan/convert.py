"""From a trained model's file to a .spn file."""
from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

from sampan.lite_runtime.errors import BadModel, InvalidArgument, Unsupported

if TYPE_CHECKING:
    from sampan.ir import Change, Graph

TARGETS = ("host",)


@dataclass
class Report:
    """What a conversion did.

    operators: nodes by operator in the file. source_nodes: nodes as read. changes: every rewrite with its reason.
    data: the file's bytes when no output path was given. seconds: of each step.
    """

    source: str
    output: str | None
    target: str
    source_nodes: int
    nodes: int
    operators: dict[str, int]
    changes: list[Change] = field(default_factory=list, repr=False)
    size: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    data: bytes | None = field(default=None, repr=False)

    def by_pass(self) -> dict[str, int]:
        """How many rewrites each pass made."""
        return dict(Counter(change.pass_name for change in self.changes))

    def to_json(self) -> dict[str, Any]:
        return {"source": self.source, "output": self.output, "target": self.target,
                "source_nodes": self.source_nodes, "nodes": self.nodes, "operators": self.operators,
                "passes": self.by_pass(), "size": self.size, "seconds": self.seconds,
                "changes": [{"pass": c.pass_name, "what": c.what, "reason": c.reason, "nodes": list(c.nodes)}
                            for c in self.changes]}

    def __str__(self) -> str:
        place = self.output or "memory"
        return (f"{self.source} -> {place}: {self.source_nodes} nodes became {self.nodes}, {self.size:,} bytes, "
                f"{sum(self.seconds.values()):.1f} s")


def convert(source: str | PathLike | bytes, output: str | PathLike | None = None, *, target: str = "host",
            inputs: Mapping[str, Sequence[int | str]] | None = None, optimize: bool = True,
            skip_passes: Iterable[str] = (), check: bool = False,
            metadata: Mapping[str, str] | None = None, progress: Callable[[str], None] | None = None) -> Report:
    """Converts an ONNX model, optimises it and writes it.

    source: path or bytes. output: path of the .spn file; without one the bytes are in `Report.data`. target: "host".
    inputs: shapes that replace the declared ones, by input name, as numbers or symbols: {"x": ("batch", 3, 224, 224)}.
    optimize: False writes the graph as it was read. skip_passes: names of passes to leave out. check: verify the
    graph after every pass. metadata: text entries for the file (labels, a description). progress: called with the
    name of each step as it begins.

    Raises Unsupported, whose `nodes` lists every node that cannot be converted, with reason and advice; BadModel
    when the file is cut or altered; InvalidArgument for wrong options.
    """
    if target not in TARGETS:
        raise InvalidArgument(f"target {target!r} is not known; there are: {', '.join(TARGETS)}")
    watch = _StopWatch(progress)
    with watch.step("read"):
        graph = read_graph(source, inputs=inputs)
    graph.metadata.update(metadata or {})
    source_nodes = len(graph.nodes)
    changes: list[Change] = []
    if optimize:
        with watch.step("optimise"):
            changes = _optimize(graph, skip_passes, check)
    with watch.step("write"):
        data, size = _write(graph, output)
    label = "bytes" if isinstance(source, bytes | bytearray | memoryview) else os.fsdecode(os.fspath(source))
    return Report(source=label, output=None if output is None else os.fsdecode(os.fspath(output)), target=target,
                  source_nodes=source_nodes, nodes=len(graph.nodes),
                  operators=dict(Counter(node.op for node in graph.nodes).most_common()), changes=changes, size=size,
                  seconds=watch.seconds, data=data)


class _StopWatch:
    """Seconds of each step, by name."""

    def __init__(self, progress: Callable[[str], None] | None):
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        if self._progress:
            self._progress(name)
        start = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - start, 3)


def read_graph(source: str | PathLike | bytes, *, inputs: Mapping[str, Sequence[int | str]] | None = None) -> Graph:
    """The source model as a graph, with the errors of `convert`."""
    try:
        from sampan.converter.errors import ConversionError, UnsupportedModel
        from sampan.converter.onnx import read
    except ImportError as error:
        if error.name and error.name.startswith("sampan"):
            raise
        raise ImportError(f"converting needs the package {error.name!r}: pip install 'sampan[convert]'",
                          name=error.name) from error
    try:
        return read(source, inputs=inputs)
    except UnsupportedModel as error:
        unsupported = Unsupported(str(error))
        unsupported.nodes = error.nodes
        raise unsupported from error
    except ConversionError as error:
        raise BadModel(str(error)) from error


def _optimize(graph: Graph, skip_passes: Iterable[str], check: bool) -> list[Change]:
    from sampan.opt import Options, optimize

    skip = frozenset(skip_passes)
    known = pass_names()
    unknown = sorted(skip - known)
    if unknown:
        raise InvalidArgument(f"there is no pass {unknown[0]!r}; there are: {', '.join(sorted(known))}")
    return optimize(graph, Options(skip=skip, check=check))


def pass_names() -> frozenset[str]:
    """All passes of this version."""
    import pkgutil

    import sampan.opt.passes as passes

    return frozenset(module.name for module in pkgutil.iter_modules(passes.__path__))


def _write(graph: Graph, output: str | PathLike | None) -> tuple[bytes | None, int]:
    from sampan.opt.write import to_bytes, write

    if output is None:
        data = to_bytes(graph)
        return data, len(data)
    write(graph, output)
    return None, os.path.getsize(output)
