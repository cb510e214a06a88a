"""Real networks: right against onnxruntime, tensor by tensor, and the same bits whatever kernels and threads run."""
from __future__ import annotations

import pytest

from sampan.lite_runtime import isa_names

from .cases import CASES, check, output_hash

pytestmark = pytest.mark.zoo
PAIRS = [pytest.param(name, sizes, id=f"{name}-{'-'.join(f'{k}{v}' for k, v in sizes.items()) or 'usual'}")
         for name, shapes in CASES.items() for sizes in shapes]


@pytest.mark.parametrize("name, sizes", PAIRS)
def test_agrees_with_onnxruntime(name, sizes):
    pytest.importorskip("onnxruntime")
    comparison = check(name, sizes).comparison
    assert comparison.ok, comparison.first_bad
    assert comparison.outputs and len(comparison.rows) >= 3


@pytest.mark.parametrize("name, sizes", [p for p in PAIRS if not (p.values[0] == "ppocr4_det" and not p.values[1])])
def test_same_bits_on_every_instruction_set_and_thread_count(name, sizes):
    want = output_hash(name, sizes)
    for isa in isa_names():
        for threads in (1, 2):
            assert output_hash(name, sizes, isa=isa, threads=threads) == want, f"{isa}, {threads} threads"
