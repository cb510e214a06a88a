"""``python -m tests.demos.compare_ocr``: the OCR demo against rapidocr-onnxruntime, picture by picture.

The reference runs in an environment of its own below the cache. Exit code 1 when the demo's character error against
it is over the limit, or its error against the true text of the drawn pictures is greater than the reference's.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from demos.assets import cache_dir, fetch
from demos.engines import open_onnxruntime, open_sampan
from demos.ocr.__main__ import load_photo
from demos.ocr.models import load_reader
from tests.demos import render

_REPOSITORY = Path(__file__).resolve().parents[2]
_OPENCV = "4.11.0.86"  # the OpenCV of rapidocr 1.4.4's day; 5.0 interpolates crops differently
_NEEDS = ("numpy", "onnxruntime", "pillow", "pyclipper", "pyyaml", "shapely", "six", "tqdm")
_LIMIT = 0.005  # character error against the reference


@dataclasses.dataclass
class Line:
    """A line as either reader reports it."""

    text: str
    confidence: float
    box: list[list[float]]


@dataclasses.dataclass
class Score:
    """Sums over pictures."""

    lines: int = 0
    equal: int = 0
    characters: int = 0
    errors: int = 0
    true_characters: int = 0
    our_errors: int = 0
    their_errors: int = 0
    box_distance: float = 0.0
    confidence_distance: float = 0.0

    def add(self, other: Score) -> None:
        for field in dataclasses.fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            worst = field.name.endswith("distance")
            setattr(self, field.name, max(mine, theirs) if worst else mine + theirs)

    @property
    def against_reference(self) -> float:
        return self.errors / max(1, self.characters)


def edit_distance(a: str, b: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def errors_against_truth(truth: Sequence[str], read: Sequence[str]) -> int:
    """Edit distance of all lines in any order: the closest pairs are matched first, what is left is all wrong."""
    pairs = sorted((edit_distance(a, b), i, j) for i, a in enumerate(truth) for j, b in enumerate(read))
    missing, surplus = set(range(len(truth))), set(range(len(read)))
    errors = 0
    for distance, i, j in pairs:
        if i in missing and j in surplus and distance < max(len(truth[i]), len(read[j])):
            errors += distance
            missing.remove(i)
            surplus.remove(j)
    return errors + sum(len(truth[i]) for i in missing) + sum(len(read[j]) for j in surplus)


def environment(opencv: str) -> Path:
    """The Python of the reference's environment, made on first use."""
    folder = cache_dir() / f"rapidocr-venv-{opencv}"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = folder / "ready"
    if not ready.is_file():
        print(f"setting up rapidocr-onnxruntime 1.4.4 with OpenCV {opencv} in {folder} ...", file=sys.stderr)
        venv.EnvBuilder(with_pip=True, clear=True).create(folder)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--no-warn-conflicts"]
        # Its metadata names the Pythons of its day only, and an OpenCV that needs the libraries of a display.
        subprocess.run(
            [*pip, "--no-deps", "--ignore-requires-python", "rapidocr-onnxruntime==1.4.4"], check=True
        )
        subprocess.run([*pip, *_NEEDS, f"opencv-python-headless=={opencv}"], check=True)
        ready.touch()
    return python


def reference_lines(paths: Sequence[Path], opencv: str) -> Iterator[list[Line]]:
    """What rapidocr-onnxruntime reads in each picture."""
    script = Path(__file__).with_name("rapidocr_lines.py")
    command = [str(part) for part in (environment(opencv), script, *paths)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for row in process.stdout:
            yield [Line(**line) for line in json.loads(row)["lines"]]
    if process.returncode:
        raise SystemExit(f"rapidocr-onnxruntime ended with exit code {process.returncode}")


def demo_lines(paths: Sequence[Path], engine: str, opencv: str) -> Iterator[list[Line]]:
    """What the demo reads in each picture; ``onnxruntime`` is the one of the reference's environment."""
    if engine == "onnxruntime":
        module = ["-m", "tests.demos.compare_ocr", "--read-only", *paths]
        command = [str(part) for part in (environment(opencv), *module)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_REPOSITORY) as process:
            assert process.stdout is not None
            for row in process.stdout:
                yield [Line(**line) for line in json.loads(row)]
        if process.returncode:
            raise SystemExit(f"the demo on onnxruntime ended with exit code {process.returncode}")
        return
    reader = load_reader(functools.partial(open_sampan, threads=2))
    for path in paths:
        lines = reader(load_photo(path)).lines
        yield [Line(line.text, line.confidence, line.box.tolist()) for line in lines]


def _read_only(paths: Sequence[Path]) -> None:
    reader = load_reader(functools.partial(open_onnxruntime, threads=2))
    for path in paths:
        lines = reader(load_photo(path)).lines
        found = [dataclasses.asdict(Line(line.text, line.confidence, line.box.tolist())) for line in lines]
        print(json.dumps(found), flush=True)


def score(ours: Sequence[Line], theirs: Sequence[Line], truth: Sequence[str] | None) -> Score:
    """One picture: both lists are in reading order, so they are compared line by line."""
    result = Score(lines=max(len(ours), len(theirs)))
    result.characters = sum(len(line.text) for line in theirs)
    for a, b in zip(ours, theirs):
        result.equal += a.text == b.text
        result.box_distance = max(result.box_distance, float(np.abs(np.array(a.box) - np.array(b.box)).max()))
        result.confidence_distance = max(result.confidence_distance, abs(a.confidence - b.confidence))
    result.errors = edit_distance("\n".join(x.text for x in ours), "\n".join(x.text for x in theirs))
    if truth is not None:
        result.true_characters = sum(map(len, truth))
        result.our_errors = errors_against_truth(truth, [line.text for line in ours])
        result.their_errors = errors_against_truth(truth, [line.text for line in theirs])
    return result


def _row(name: str, result: Score) -> str:
    def rate(errors: int) -> str:
        return f"{100 * errors / result.true_characters:7.2f}%" if result.true_characters else "       -"

    return (
        f"{name:>12} {result.equal:4}/{result.lines:<4} {100 * result.against_reference:8.2f}% "
        f"{rate(result.our_errors)} {rate(result.their_errors)} "
        f"{result.box_distance:9.2f} {result.confidence_distance:10.6f}"
    )


def compare(engine: str, opencv: str, show: bool) -> Score:
    """Print a row per picture and return the sums."""
    truths: dict[Path, list[str] | None] = {
        fetch("photos") / f"{name}.png": None for name in ("page", "text")
    }
    truths.update(render.draw_all())
    paths = list(truths)
    print(f"the demo on {engine} against rapidocr-onnxruntime 1.4.4 with OpenCV {opencv}")
    print("equal lines; character error rate against it, ours and its against the truth; largest differences")
    columns = (12, "picture"), (9, "equal"), (9, "CER"), (8, "CER true"), (8, "its true"), (9, "boxes px")
    print(" ".join(f"{name:>{width}}" for width, name in columns), "confidence")
    total = Score()
    both = zip(paths, demo_lines(paths, engine, opencv), reference_lines(paths, opencv), strict=True)
    for path, ours, theirs in both:
        result = score(ours, theirs, truths[path])
        total.add(result)
        print(_row(path.stem, result), flush=True)
        for a, b in zip(ours, theirs):
            if show and a.text != b.text:
                print(f"    demo      {a.text}\n    rapidocr  {b.text}")
    print(_row("all", total))
    return total


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.demos.compare_ocr", description=__doc__)
    parser.add_argument("--engine", choices=("sampan", "onnxruntime"), default="sampan")
    parser.add_argument(
        "--opencv", default=_OPENCV, metavar="VERSION", help=f"of the reference (default {_OPENCV})"
    )
    parser.add_argument("--read-only", nargs="+", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    options: Any = parser.parse_args(arguments)
    if options.read_only:
        _read_only(options.read_only)
        return 0
    total = compare(options.engine, options.opencv, show=True)
    close = total.against_reference <= _LIMIT
    no_worse = total.our_errors <= total.their_errors
    print(f"character error against the reference at most {_LIMIT:.1%}: {'yes' if close else 'NO'}")
    print(f"against the truth no worse than the reference: {'yes' if no_worse else 'NO'}")
    return 0 if close and no_worse else 1


if __name__ == "__main__":
    sys.exit(main())
