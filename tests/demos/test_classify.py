"""The classification demo with the network's real weights."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from demos.classify.__main__ import probabilities

_REPOSITORY = Path(__file__).resolve().parents[2]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "demos.classify", *arguments]
    return subprocess.run(command, cwd=_REPOSITORY, capture_output=True, text=True)


@pytest.mark.zoo
@pytest.mark.parametrize("engine", ["sampan", "onnxruntime"])
def test_a_cat_and_a_coffee_are_named(engine: str) -> None:
    if engine == "onnxruntime":
        pytest.importorskip("onnxruntime")
    done = _run("--json", "--top", "2", "--engine", engine)
    assert done.returncode == 0, done.stderr
    cat, coffee = json.loads(done.stdout)
    assert cat["classes"][0]["name"] == "Egyptian cat" and cat["classes"][0]["probability"] > 0.5
    assert coffee["classes"][0]["name"] == "espresso" and coffee["classes"][0]["probability"] > 0.5
    assert len(cat["classes"]) == 2


def test_shares_sum_to_one_even_for_large_scores() -> None:
    scores = np.array([[1000.0, 999.0, -1000.0]], np.float32)
    shares = probabilities(lambda feed: {"output": scores}, np.zeros((1, 3, 224, 224), np.float32))
    assert shares.sum() == pytest.approx(1) and shares[0] / shares[1] == pytest.approx(np.e)


@pytest.mark.parametrize("arguments", [("--top", "0"), ("--threads", "0"), ("--engine", "abacus")])
def test_wrong_arguments_are_refused(arguments: tuple[str, str]) -> None:
    done = _run(*arguments)
    assert done.returncode == 2 and arguments[0] in done.stderr
