"""Cases that passed once must pass for ever. `python -m tests.conformance` runs all of them."""
from __future__ import annotations

from pathlib import Path

import pytest

from .run import LISTS, OWN_DATA, node_data, passing
from .runner import run_cases


def _data(kind: str) -> Path:
    if kind == "own":
        return OWN_DATA
    from demos.assets import FetchError

    try:
        return node_data()
    except FetchError as error:
        pytest.skip(f"the ONNX node tests cannot be fetched: {error}")


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(LISTS))
def test_passing_cases_still_pass(kind: str) -> None:
    names = passing(kind)
    assert len(names) >= {"node": 1000, "own": 40}[kind], "the list of passing cases has shrunk"
    results = run_cases(kind, _data(kind), names)
    lost = [f"{r.case}: {r.state}: {r.reason}" for r in results.values() if r.state != "passed"]
    assert not lost, f"{len(lost)} of {len(names)} cases no longer pass:\n" + "\n".join(lost[:30])


@pytest.mark.slow
def test_no_own_case_is_wrong_or_crashes() -> None:
    names = sorted(p.name for p in OWN_DATA.iterdir() if p.is_dir())
    results = run_cases("own", OWN_DATA, names)
    bad = [f"{r.case}: {r.state}: {r.reason}" for r in results.values() if r.state in ("wrong", "crashed")]
    assert not bad, "\n".join(bad)


def test_a_wrong_result_is_seen() -> None:
    """The judge itself: type, shape, values, NaN."""
    import numpy as np

    from .judge import difference

    x = np.array([1.0, np.nan, np.inf], np.float32)
    assert difference(x, x) == ""
    assert "dtype" in difference(x.astype(np.float64), x)
    assert "shape" in difference(x[:2], x)
    assert "largest error" in difference(np.array([1.01], np.float32), np.array([1.0], np.float32))
    assert "NaN" in difference(np.array([np.nan], np.float32), np.array([1.0], np.float32))
    assert difference(np.array([3], np.int8), np.array([4], np.int8), step=1) == ""
    assert "off by" in difference(np.array([3], np.int32), np.array([4], np.int32), step=1)
    assert "differ" in difference(np.array([2**62 + 1]), np.array([2**62]))
