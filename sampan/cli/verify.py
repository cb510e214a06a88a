"""sampan verify: is a file whole?"""
from __future__ import annotations

import os

import click

from .options import json_option, print_json


@click.command("verify")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@json_option
def command(model: str, as_json: bool) -> None:
    """Checks MODEL (.spn) wholly: structure, meaning and the checksums of structure and weights.

    Exit code 0 when all is well, 3 when the file is cut or altered, 4 when it needs what this version lacks.
    """
    from sampan.lite_runtime import load_model

    loaded = load_model(model, check="full")
    if as_json:
        print_json({"model": model, "ok": True, "bytes": os.path.getsize(model), "inputs": len(loaded.inputs),
                    "outputs": len(loaded.outputs)})
    else:
        click.echo(f"{model}: ok, {os.path.getsize(model):,} bytes")
