"""This project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENVIRONMENT = "project"
CONVERTER = "project"
SUFFIX = ".spn"
MODULE = "sampan.session"  # sampan itself imports lazily; importing is not part of loading


class Runner:
    def load(self, path: Path, threads: int) -> None:
        import sampan

        self.session = sampan.Session(str(path), threads=threads)

    def prepare(self, inputs: dict[str, Any]) -> Any:
        return inputs

    def run(self, feed: Any) -> list[Any]:
        return list(self.session.run(feed).values())


def convert(source: Path, target: Path) -> None:
    import sampan

    sampan.convert(str(source), str(target))
