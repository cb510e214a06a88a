"""The peer benchmark's own logic: comparing outputs, ranking, taking turns. Nothing here measures speed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.peers import measure, report
from benchmarks.peers.adapters import ALL, PEERS, adapter
from benchmarks.peers.suite import SUITE
from tests.zoo import MODELS, make_inputs

onnx = pytest.importorskip("onnx")


def _row(
    model: str, peer: str, ms: float, threads: int = 1, difference: float | None = 0.0, **more: Any
) -> dict[str, Any]:
    row = {"model": model, "peer": peer, "threads": threads, "ms": ms, "difference": difference, "error": ""}
    return row | {"load_ms": 2.0, "first_ms": ms, "peak_mb": 50.0, "quiet_rounds": 5} | more


def test_difference_finds_renamed_and_channels_last_outputs() -> None:
    rng = np.random.default_rng(0)
    image, vector = rng.standard_normal((1, 3, 4, 5)), rng.standard_normal((1, 7))
    got = [vector[0], np.ascontiguousarray(image.transpose(0, 2, 3, 1))]
    assert measure.difference([image, vector], got) == 0
    got[0] = vector[0] + 0.01 * np.abs(vector).max()
    assert measure.difference([image, vector], got) == pytest.approx(0.01)


def test_difference_refuses_missing_and_non_finite_outputs() -> None:
    want = [np.ones((1, 4))]
    assert measure.difference(want, [np.ones(5)]) is None
    assert measure.difference(want, [np.full(4, np.nan)]) is None
    assert measure.difference(want, []) is None


def test_wrong_and_failed_peers_are_not_ranked() -> None:
    rows = [
        _row("a", "sampan", 3.0),
        _row("a", "onnxruntime", 2.0),
        _row("a", "mnn", 1.0, difference=0.3),
        _row("a", "ncnn", 0.5, difference=None),
        _row("a", "litert", 0.1, error="exit 1"),
        _row("a", "openvino", 0.2, threads=2),
    ]
    assert report.ratios(rows, 1, lambda r: r["ms"]) == {"a": 1.5}


def test_our_wrong_result_gives_no_ratio() -> None:
    rows = [_row("a", "sampan", 1.0, difference=0.5), _row("a", "onnxruntime", 2.0)]
    assert report.ratios(rows, 1, lambda r: r["ms"]) == {}


def test_geometric_mean() -> None:
    assert report.geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert np.isnan(report.geometric_mean([]))


def test_merge_replaces_only_what_was_measured_again() -> None:
    old = [_row("a", "mnn", 1.0), _row("a", "mnn", 1.0, threads=2), _row("b", "mnn", 1.0)]
    merged = report.merge(old, [_row("a", "mnn", 5.0)])
    assert sorted((r["model"], r["threads"], r["ms"]) for r in merged) == [("a", 1, 5.0), ("a", 2, 1.0), ("b", 1, 1.0)]


def test_report_shows_ratios_doubts_and_failures() -> None:
    rows = [
        _row("a", "sampan", 3.0),
        _row("a", "onnxruntime", 2.0, quiet_rounds=1),
        _row("a", "mnn", 1.0, difference=0.3),
        _row("a", "ncnn", 1.0, error="no layer | here"),
    ]
    head = {"command": "x", "date": "d", "machine": "m", "versions": {"sampan": "1"}, "rounds": 5, "seconds": 0.2}
    text = report.markdown(rows, head)
    assert "| a | 3.00 | ~2.00 | - | (1.00: wrong) | onnxruntime | 1.50 |" in text
    assert "**1.50**" in text
    assert "no layer / here" in text


@pytest.mark.parametrize("peer", ALL)
def test_adapters_have_what_the_benchmark_asks_for(peer: str) -> None:
    module = adapter(peer)
    assert module.SUFFIX.startswith(".")
    assert all(hasattr(module.Runner, name) for name in ("load", "prepare", "run"))
    assert module.SUFFIX == ".onnx" or callable(module.convert)
    assert (peer == "sampan") == (peer not in PEERS)


@pytest.mark.zoo
@pytest.mark.parametrize("name", SUITE)
def test_suite_names_models_and_sizes_of_the_zoo(name: str) -> None:
    model, *shapes = SUITE[name]
    assert model in MODELS
    assert all(make_inputs(model, **sizes) for sizes in shapes)


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model y = x + x, which two adapters' workers run in this Python with onnxruntime."""
    pytest.importorskip("onnxruntime")
    helper = onnx.helper
    values = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [1, 4]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"])], "g", values[:1], values[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "m.onnx")
    for number in range(2):
        np.savez(tmp_path / f"m.{number}.npz", x=np.full((1, 4), number, np.float32))
    (tmp_path / "broken.onnx").write_bytes(b"not a model")

    def converted(name: str, peer: str) -> tuple[Path | None, str]:
        if peer == "mnn":
            return None, "no converter"
        return tmp_path / ("broken.onnx" if name == "broken" else "m.onnx"), ""

    monkeypatch.setattr(measure, "converted", converted)
    monkeypatch.setattr(measure, "inputs_paths", lambda name: sorted(tmp_path.glob("m.*.npz")))
    monkeypatch.setattr(measure, "python_of", lambda name: Path(sys.executable))


@pytest.mark.skipif(sys.platform != "linux", reason="stops processes and reads /proc")
def test_measure_takes_turns_and_checks_outputs(tiny: None) -> None:
    plan = measure.Plan(("onnxruntime", "mnn"), (1, 2), rounds=2, seconds=0.001, least=1, loads=2, retries=0)
    rows = {(r.peer, r.threads): r for r in measure.measure("tiny", plan)}
    for threads in (1, 2):
        row = rows["onnxruntime", threads]
        assert row.correct
        assert row.difference == 0
        assert len(row.rounds) == 2
        assert row.ms is not None
        assert row.load_ms is not None
        assert rows["mnn", threads].error == "no converter"
        assert not rows["mnn", threads].correct


@pytest.mark.skipif(sys.platform != "linux", reason="stops processes and reads /proc")
def test_a_worker_that_fails_is_reported_not_raised(tiny: None) -> None:
    plan = measure.Plan(("onnxruntime",), (1,), rounds=1, seconds=0.001, least=1, loads=1)
    (row,) = measure.measure("broken", plan)
    assert row.error.startswith("exit 1: ")
    assert "broken.onnx" in row.error
