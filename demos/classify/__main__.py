"""``python -m demos.classify [PHOTO ...]``: what is in these photographs?"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import UnidentifiedImageError

from demos.assets import FetchError, fetch
from demos.assets.imagenet import labels, prepare
from demos.engines import Engine, opened


def probabilities(engine: Engine, picture: NDArray[np.float32]) -> NDArray[np.float64]:
    """Softmax over the 1000 classes for a prepared picture (1, 3, 224, 224)."""
    (scores,) = engine({"input": picture}).values()
    shifted = scores[0].astype(np.float64)
    shifted = np.exp(shifted - shifted.max())
    return shifted / shifted.sum()


def best(shares: NDArray[np.float64], count: int) -> list[tuple[str, float]]:
    """The ``count`` likeliest class names with their probabilities, the likeliest first."""
    names = labels()
    return [(names[i], float(shares[i])) for i in np.argsort(-shares, kind="stable")[:count]]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m demos.classify", description="Name what is in photographs with EfficientNet-Lite0."
    )
    parser.add_argument(
        "photos", nargs="*", type=Path, metavar="PHOTO", help="default: a cat and a cup of coffee"
    )
    parser.add_argument("--top", type=int, default=5, metavar="N", help="how many names (default 5)")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="threads of the runtime (default 1)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--reconvert", action="store_true", help="convert the model again")
    parser.add_argument(
        "--engine",
        choices=("sampan", "onnxruntime"),
        default="sampan",
        help="what runs the network; onnxruntime, if installed, is for comparing",
    )
    arguments = parser.parse_args()
    for name, most in (("top", 1000), ("threads", 1024)):
        if not 1 <= getattr(arguments, name) <= most:
            parser.error(f"--{name} must be from 1 to {most}, got {getattr(arguments, name)}")
    return arguments


def _model() -> Path:
    # Only the weights are published; the graph around them is written by the test models' builder.
    from tests.zoo import model_path

    return model_path("efficientnet_lite0")


def main() -> int:
    arguments = _arguments()
    try:
        photos = arguments.photos or [fetch("photos") / f"{name}.png" for name in ("chelsea", "coffee")]
        network = opened(_model(), arguments.engine, arguments.threads, again=arguments.reconvert)
    except FetchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    answers = []
    for photo in photos:
        try:
            picture = prepare(photo)
        except (OSError, UnidentifiedImageError) as error:
            print(f"error: cannot read the photograph: {error}", file=sys.stderr)
            return 2
        start = time.perf_counter()
        shares = probabilities(network.run, picture)
        elapsed = (time.perf_counter() - start) * 1e3
        found = best(shares, arguments.top)
        answers.append(
            {
                "photo": str(photo),
                "milliseconds": round(elapsed, 3),
                "classes": [{"name": name, "probability": round(share, 6)} for name, share in found],
            }
        )
        if not arguments.json:
            print(f"{photo.name}  ({elapsed:.1f} ms)")
            for name, share in found:
                print(f"  {share:6.1%}  {name}")
    if arguments.json:
        print(json.dumps(answers, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
