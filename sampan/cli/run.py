"""sampan run: one inference."""
from __future__ import annotations

from typing import Any

import click
import numpy as np

from .inputs import make_inputs
from .options import input_options, json_option, model_options, print_json, print_table


@click.command("run")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@input_options
@click.option("-o", "--output", type=click.Path(dir_okay=False), metavar="FILE.npz", help="Writes the outputs.")
@click.option("--intermediates", is_flag=True, help="Writes and lists every computed tensor, too.")
@click.option("--nan-watch", is_flag=True, help="Fails at the node that makes a NaN or infinity.")
@model_options
@json_option
def command(model: str, files: tuple[str, ...], archive: str | None, shapes: tuple[str, ...], symbols: tuple[str, ...],
            seed: int, output: str | None, intermediates: bool, nan_watch: bool, threads: int, isa: str | None,
            as_json: bool) -> None:
    """Runs MODEL (.spn or ONNX) once and prints its outputs.

    Inputs without a file are random. The hash of an output is the same on every machine.
    """
    import sampan

    session = sampan.Session(model, threads=threads, isa=isa, nan_watch=nan_watch, keep_intermediates=intermediates)
    feed = make_inputs(session.inputs, files=files, archive=archive, shapes=shapes, symbols=symbols, seed=seed)
    results = session.run(feed, intermediates=intermediates)
    rows = [describe(name, array) for name, array in results.items()]
    if output:
        np.savez(output, **results)  # type: ignore[arg-type]
    if as_json:
        print_json({"model": model, "isa": session.isa, "threads": threads,
                    "inputs": {n: list(a.shape) for n, a in feed.items()}, "outputs": rows, "written": output})
        return
    title = f"{model} on {session.isa}, inputs " + ", ".join(f"{n} {list(a.shape)}" for n, a in feed.items())
    print_table(title, ("output", "dtype", "shape", "min", "max", "mean", "hash"),
                [(r["name"], r["dtype"], r["shape"], *(_number(r[k]) for k in ("min", "max", "mean")), r["hash"])
                 for r in rows], right=("min", "max", "mean"))
    if output:
        click.echo(f"written to {output}")


def describe(name: str, array: np.ndarray) -> dict[str, Any]:
    """An output in numbers."""
    from sampan.lite_runtime import hash64

    row: dict[str, Any] = {"name": name, "dtype": str(array.dtype), "shape": list(array.shape), "min": None, "max": None,
                           "mean": None, "hash": f"{hash64(array):016x}"}
    if array.size:
        values = array.astype(np.float64)
        row.update(min=float(values.min()), max=float(values.max()), mean=float(values.mean()))
    return row


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"
