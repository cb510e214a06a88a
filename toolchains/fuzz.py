"""Runs every fuzzer of a build folder for some seconds each: `python toolchains/fuzz.py BUILD SECONDS`."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main() -> int:
    build, seconds = Path(sys.argv[1]), int(sys.argv[2])
    fuzzers = sorted(p for p in (build / "tests" / "lite_runtime").glob("fuzz_*") if os.access(p, os.X_OK) and p.is_file())
    if not fuzzers:
        print("fuzz: no fuzzers were built", file=sys.stderr)
        return 1
    for fuzzer in fuzzers:
        corpus = build / "corpus" / fuzzer.name
        corpus.mkdir(parents=True, exist_ok=True)
        print(f"fuzz: {fuzzer.name} for {seconds} s", flush=True)
        seeds = Path("tests/lite_runtime/fuzz/seeds") / fuzzer.name
        command = [str(fuzzer), str(corpus), *([str(seeds)] if seeds.is_dir() else []), f"-max_total_time={seconds}",
                   "-rss_limit_mb=3000", "-timeout=20", "-print_final_stats=1",
                   f"-artifact_prefix={build}/crash-{fuzzer.name}-"]
        code = subprocess.run(command).returncode
        if code:
            print(f"fuzz: {fuzzer.name} found a fault; the input is {build}/crash-{fuzzer.name}-*", file=sys.stderr)
            return 1
    print(f"fuzz: {len(fuzzers)} fuzzers, {seconds} s each, no fault")
    return 0


if __name__ == "__main__":
    sys.exit(main())
