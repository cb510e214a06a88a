"""The whole reader on drawn pages and a photograph."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demos.assets import fetch
from demos.engines import Opened, open_onnxruntime, open_sampan
from demos.ocr.__main__ import load_photo
from demos.ocr.models import load_reader
from demos.ocr.pipeline import Reader
from tests.demos import render
from tests.demos.compare_ocr import edit_distance, errors_against_truth

pytestmark = pytest.mark.zoo
_REPOSITORY = Path(__file__).resolve().parents[2]


def _open(source: Path, engine: str) -> Opened:
    if engine == "sampan":
        return open_sampan(source, threads=2)
    pytest.importorskip("onnxruntime")
    return open_onnxruntime(source, threads=2)


@pytest.fixture(scope="module", params=["sampan", "onnxruntime"])
def reader(request: pytest.FixtureRequest) -> Reader:
    return load_reader(functools.partial(_open, engine=request.param))


def _page(name: str) -> render.Page:
    return next(page for page in render.PAGES if page.name == name)


@pytest.mark.parametrize("name", ["letter", "upside"])
def test_a_drawn_page_is_read_without_an_error(reader: Reader, name: str) -> None:
    page = _page(name)
    result = reader(np.asarray(render.draw(page)))
    assert sorted(line.text for line in result.lines) == sorted(page.truth)
    assert {line.direction for line in result.lines} == {180 if page.angle == 180 else 0}
    assert all(line.confidence > 0.9 for line in result.lines)
    assert result.timing.network.keys() == {"detection", "direction", "recognition"}


def test_boxes_lie_on_the_ink(reader: Reader) -> None:
    page = _page("poem")
    image = np.asarray(render.draw(page))
    lines = reader(image).lines
    assert len(lines) == len(page.rows)
    for line, row in zip(lines, page.rows):
        left, top = line.box.min(axis=0)
        right, bottom = line.box.max(axis=0)
        assert abs(left - row.x) < row.size / 2 and row.x + row.size * (len(row.text) - 1.5) < right
        assert row.y < top + row.size / 2 and bottom < row.y + 1.8 * row.size
        inside = image[int(top) : int(bottom) + 1, int(left) : int(right) + 1]
        assert (inside < 128).any()


def test_the_photographed_page_is_read(reader: Reader) -> None:
    texts = [line.text for line in reader(load_photo(fetch("photos") / "page.png")).lines]
    assert "Let us first determine markers of the coins and the" in texts


def test_the_program_prints_json_and_writes_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    page = _page("table")
    photo, out = tmp_path / "table.png", tmp_path / "read" / "table.png"
    render.draw(page).save(photo)
    command = [
        sys.executable,
        "-m",
        "demos.ocr",
        str(photo),
        "--out",
        str(out),
        "--json",
        "--engine",
        "onnxruntime",
    ]
    done = subprocess.run(command, cwd=_REPOSITORY, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert errors_against_truth(page.truth, [line["text"] for line in answer["lines"]]) <= 2
    assert Image.open(out).size == (2 * page.size[0], page.size[1])
    assert answer["milliseconds"]["total"] > 0


@pytest.mark.parametrize(("name", "content"), [("missing.png", None), ("broken.png", b"\x89PNG\r\n\x1a\nno")])
def test_the_program_refuses_what_is_not_a_picture(tmp_path: Path, name: str, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-m", "demos.ocr", str(tmp_path / name)]
    done = subprocess.run(command, cwd=_REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 2
    assert "cannot read the photograph" in done.stderr and name in done.stderr


def test_edit_distance() -> None:
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("", "abc") == 3 and edit_distance("abc", "abc") == 0


def test_errors_against_the_truth_do_not_depend_on_the_order_of_lines() -> None:
    assert errors_against_truth(["alpha", "beta"], ["beta", "alphq"]) == 1
    assert errors_against_truth(["alpha", "beta"], ["beta"]) == 5
    assert errors_against_truth(["beta"], ["beta", "xy"]) == 2
