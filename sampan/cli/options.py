"""Options that several commands share, always under the same names."""
from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

Decorator = Callable[[Any], Any]

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
threads_option = click.option("--threads", type=click.IntRange(1, 1024), default=1, show_default=True,
                              help="Threads of one run.")
isa_option = click.option("--isa", type=click.Choice(["portable", "avx2", "avx512"]), default=None,
                          help="Instruction set; by default the best one.")


def model_options(function: Any) -> Any:
    """--threads and --isa."""
    return threads_option(isa_option(function))


def input_options(function: Any) -> Any:
    """--input, --inputs, --shape, --symbol and --seed: see inputs.make_inputs."""
    for option in (
        click.option("--seed", type=int, default=0, show_default=True, help="Seed of random inputs."),
        click.option("--symbol", "symbols", multiple=True, metavar="NAME=SIZE", help="Size of a named dimension."),
        click.option("--shape", "shapes", multiple=True, metavar="NAME=D,D,...", help="Shape of an input."),
        click.option("--inputs", "archive", type=click.Path(exists=True, dir_okay=False), metavar="FILE.npz",
                     help="All inputs by name."),
        click.option("--input", "files", multiple=True, metavar="NAME=FILE", help="An input from a .npy or .pb file."),
    ):
        function = option(function)
    return function


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, default=_plain))


def _plain(value: Any) -> Any:
    """numpy numbers and arrays as Python has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], right: Sequence[str] = (), *,
                to_stderr: bool = False) -> None:
    """A table with its title above. right: columns of numbers. As wide as it needs where the output is no terminal."""
    from rich.console import Console
    from rich.table import Table

    stream = sys.stderr if to_stderr else sys.stdout
    table = Table()
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    click.echo(title, err=to_stderr)
    # Names like [1, 3] must not be taken for rich's markup.
    Console(file=stream, width=None if stream.isatty() else 200, markup=False, emoji=False, highlight=False).print(table)


@contextmanager
def status(title: str) -> Iterator[Callable[[str], None]]:
    """Shows the present step on a terminal; nothing elsewhere. Yields the function that takes a step's name."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console

    with Console(stderr=True, markup=False).status(title) as shown:
        yield lambda step: shown.update(f"{title}: {step}")


def human_bytes(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024 or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError


def human_time(nanoseconds: float) -> str:
    if nanoseconds < 1e3:
        return f"{nanoseconds:.0f} ns"
    if nanoseconds < 1e6:
        return f"{nanoseconds / 1e3:.1f} us"
    if nanoseconds < 1e9:
        return f"{nanoseconds / 1e6:.2f} ms"
    return f"{nanoseconds / 1e9:.2f} s"
