"""sampan compare: a converted model against its source, tensor by tensor."""
from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from .inputs import make_inputs
from .main import EXIT_DIFFERS
from .options import input_options, json_option, model_options, print_json, print_table


@click.command("compare")
@click.argument("source", type=click.Path(exists=True, dir_okay=False))
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@input_options
@click.option("--tolerance", type=click.FloatRange(0.0), default=1e-4, show_default=True,
              help="Largest difference, relative to the largest value of a tensor.")
@click.option("--reference", type=click.Choice(["auto", "onnxruntime", "unoptimised"]), default="auto",
              show_default=True, help="What computes the right values.")
@click.option("--all", "show_all", is_flag=True, help="Lists all tensors, not only the wrong ones.")
@model_options
@json_option
@click.pass_context
def command(ctx: click.Context, source: str, model: str, files: tuple[str, ...], archive: str | None,
            shapes: tuple[str, ...], symbols: tuple[str, ...], seed: int, tolerance: float, reference: str,
            show_all: bool, threads: int, isa: str | None, as_json: bool) -> None:
    """Compares MODEL (.spn) with its SOURCE (ONNX) on the same inputs.

    Every tensor that both compute is compared in the order of computation; the first one over the tolerance points
    at the fault. Exit code 1 when any differs.
    """
    import sampan
    from sampan.compare import compare

    infos = sampan.load_model(model).inputs
    feed = make_inputs(infos, files=files, archive=archive, shapes=shapes, symbols=symbols, seed=seed)
    result = compare(source, model, feed, tolerance=tolerance, reference=reference, threads=threads, isa=isa)
    if as_json:
        print_json({"source": source, "model": model, "reference": result.reference, "tolerance": tolerance,
                    "ok": result.ok, "compared": len(result.rows), "unmatched": result.unmatched,
                    "worst": result.worst, "first_bad": asdict(result.first_bad) if result.first_bad else None,
                    "outputs": [asdict(r) for r in result.outputs],
                    "tensors": [asdict(r) for r in result.rows] if show_all else None})
    else:
        _print(result, show_all)
    if not result.ok:
        ctx.exit(EXIT_DIFFERS)


def _print(result: Any, show_all: bool) -> None:
    rows = result.rows + result.outputs
    shown = rows if show_all else [r for r in rows if not r.ok][:20] + [r for r in result.outputs if r.ok]
    print_table(f"against {result.reference}, tolerance {result.tolerance:g}",
                ("", "tensor", "computed by", "shape", "difference", "relative", "problem"),
                [("ok" if r.ok else "WRONG", r.name, r.node, list(r.shape), f"{r.difference:.3g}", f"{r.relative:.3g}",
                  r.problem) for r in shown], right=("difference", "relative"))
    wrong = sum(not r.ok for r in rows)
    click.echo(f"{len(result.rows)} tensors and {len(result.outputs)} outputs compared, {result.unmatched} of the source's "
               f"tensors are no longer computed; largest relative difference {result.worst:.3g}")
    bad = result.first_bad
    if bad:
        click.echo(f"{wrong} differ. The first in the order of computation: {bad.name} (source tensor {bad.source}), "
                   f"computed by {bad.node}")
