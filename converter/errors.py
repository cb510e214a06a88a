"""What readers raise: always with every node that is in the way, never only the first."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class ConversionError(Exception):
    """The source file cannot be read: cut, altered, or not of the format it claims."""


@dataclass(frozen=True)
class UnsupportedNode:
    """A node of the source model that has no equivalent here, with the reason and what the user can do."""

    name: str
    op: str
    reason: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.op} {self.name!r}: {self.reason}" + (f" ({self.advice})" if self.advice else "")


class UnsupportedModel(Exception):
    """A valid model that uses what this version does not support. `nodes` lists all of it."""

    def __init__(self, nodes: Sequence[UnsupportedNode]):
        self.nodes = list(nodes)
        lines = [f"{len(self.nodes)} node(s) cannot be converted:"]
        lines += [f"  {node}" for node in self.nodes[:50]]
        if len(self.nodes) > 50:
            lines.append(f"  ... and {len(self.nodes) - 50} more")
        super().__init__("\n".join(lines))
