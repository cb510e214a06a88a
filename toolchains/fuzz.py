"""Runs every fuzzer of a build folder for some seconds each: `python toolchains/fuzz.py BUILD SECONDS`."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write_seeds(name: str, corpus: Path) -> None:
    """Good inputs to begin with: small models for fuzz_model, expressions for fuzz_dims."""
    if name == "fuzz_dims":
        for i, text in enumerate(("h", "(h - 1)//2 + 1", "2*a*b - 3", "min(a, max(b, 7))", "?3 + 1")):
            (corpus / f"seed{i}").write_text(text)
    if name == "fuzz_model":
        sys.path.insert(0, str(ROOT))
        from tests.sampan import models

        made = (models.affine(), models.two_inputs(), models.square("int8"), models.square("float16"), models.nonzero(),
                models.division(), models.network())
        for i, data in enumerate(made):
            (corpus / f"seed{i}").write_bytes(bytes([i]) + data)


def main() -> int:
    build, seconds = Path(sys.argv[1]), int(sys.argv[2])
    found = (build / "tests" / "lite_runtime").glob("fuzz_*")
    fuzzers = sorted(p for p in found if os.access(p, os.X_OK) and p.is_file())
    if not fuzzers:
        print("fuzz: no fuzzers were built", file=sys.stderr)
        return 1
    for fuzzer in fuzzers:
        corpus = build / "corpus" / fuzzer.name
        corpus.mkdir(parents=True, exist_ok=True)
        print(f"fuzz: {fuzzer.name} for {seconds} s", flush=True)
        write_seeds(fuzzer.name, corpus)
        command = [str(fuzzer), str(corpus), f"-max_total_time={seconds}", "-rss_limit_mb=3000", "-timeout=20",
                   "-max_len=65536", "-print_final_stats=1", "-verbosity=0",
                   f"-artifact_prefix={build}/crash-{fuzzer.name}-"]
        code = subprocess.run(command).returncode
        if code:
            print(f"fuzz: {fuzzer.name} found a fault; the input is {build}/crash-{fuzzer.name}-*", file=sys.stderr)
            return 1
    print(f"fuzz: {len(fuzzers)} fuzzers, {seconds} s each, no fault")
    return 0


if __name__ == "__main__":
    sys.exit(main())
