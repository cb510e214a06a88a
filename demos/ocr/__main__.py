"""``python -m demos.ocr [PHOTO]``: read the text in a photograph."""

from __future__ import annotations

import argparse
import functools
import json
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from demos.assets import FetchError, cache_dir, fetch
from demos.engines import opened
from demos.ocr import report
from demos.ocr.annotate import annotate
from demos.ocr.engine import U8
from demos.ocr.models import load_reader


def load_photo(path: Path) -> U8:
    """An RGB picture (h, w, 3) uint8, upright by its EXIF tag, transparent parts white, 16-bit greys scaled."""
    with Image.open(path) as file:
        image = ImageOps.exif_transpose(file)
        if image.mode == "I" or image.mode.startswith("I;16"):
            image = Image.fromarray((np.asarray(image).clip(0, 0xFFFF) >> 8).astype(np.uint8))
        if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
            layer = image.convert("RGBA")
            image = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer)
        return np.asarray(image.convert("RGB"))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m demos.ocr",
        description="Read the text in a photograph with PP-OCRv4: print it and write an annotated picture.",
    )
    parser.add_argument(
        "photo", nargs="?", type=Path, metavar="PHOTO", help="default: a photographed page of a book"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="annotated picture (default: ocr-PHOTO.png in the cache)"
    )
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="threads of the runtime (default 1)"
    )
    parser.add_argument(
        "--repeat", type=int, default=1, metavar="N", help="read N times and print the fastest (default 1)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--reconvert", action="store_true", help="convert the models again")
    parser.add_argument(
        "--engine",
        choices=("sampan", "onnxruntime"),
        default="sampan",
        help="what runs the networks; onnxruntime, if installed, is for comparing",
    )
    arguments = parser.parse_args()
    for name in ("threads", "repeat"):
        if getattr(arguments, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(arguments, name)}")
    return arguments


def main() -> int:
    arguments = _arguments()
    start = time.perf_counter()
    try:
        path = arguments.photo or fetch("photos") / "page.png"
        photo = load_photo(path)
    except (FetchError, OSError, UnidentifiedImageError) as error:
        print(f"error: cannot read the photograph: {error}", file=sys.stderr)
        return 2
    opener = functools.partial(
        opened, engine=arguments.engine, threads=arguments.threads, again=arguments.reconvert
    )
    try:
        reader = load_reader(opener)
    except FetchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    loaded = time.perf_counter() - start
    result = min((reader(photo) for _ in range(arguments.repeat)), key=lambda r: r.timing.total)

    out = arguments.out or cache_dir() / f"ocr-{path.stem}.png"
    picture = annotate(Image.fromarray(photo), result.lines, progress=not arguments.json)
    out.parent.mkdir(parents=True, exist_ok=True)
    picture.save(out)
    if arguments.json:
        summary = {"photo": str(path), "annotated": str(out), "load_milliseconds": round(loaded * 1e3, 3)}
        print(json.dumps({**summary, **report.as_json(result)}, ensure_ascii=False, indent=2))
        return 0
    report.print_lines(result.lines)
    print()
    report.print_timing(result.timing)
    print(f"\nready to read after {loaded * 1e3:.0f} ms (photograph, models); annotated picture: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
