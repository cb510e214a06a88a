"""The command; see `python -m benchmarks.peers --help`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.peers import report
from benchmarks.peers.adapters import ALL, adapter
from benchmarks.peers.convert import ROOT, converted
from benchmarks.peers.environment import python_of
from benchmarks.peers.measure import Plan, Row, measure
from benchmarks.peers.suite import SUITE

_DISTRIBUTIONS = {"litert": "ai-edge-litert", "mnn": "MNN"}


def _versions(peers: list[str]) -> dict[str, str]:
    code = (
        "import importlib.metadata as m, json, sys\n"
        "def version(n):\n"
        "    try: return m.version(n)\n"
        "    except m.PackageNotFoundError: return 'not installed'\n"
        "print(json.dumps([version(n) for n in sys.argv[1:]]))"
    )
    result = {}
    for environment in dict.fromkeys(adapter(p).ENVIRONMENT for p in peers):
        here = [p for p in peers if environment == adapter(p).ENVIRONMENT]
        names = [_DISTRIBUTIONS.get(p, p) for p in here]
        command = [str(python_of(environment)), "-c", code, *names]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        result |= dict(zip(here, json.loads(output), strict=True))
    return result


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description="Measure Sampan and other runtimes in turns; write docs/benchmarks.md and .json.",
        epilog="SAMPAN_PEERS_VENV and SAMPAN_PEERS_TENSORFLOW_VENV name existing environments to use.",
    )
    parser.add_argument("--models", nargs="+", choices=SUITE, default=list(SUITE), metavar="MODEL")
    parser.add_argument("--peers", nargs="+", choices=ALL, default=list(ALL), metavar="PEER")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="length of one turn")
    parser.add_argument("--loads", type=int, default=3, help="processes that are started to measure loading")
    parser.add_argument("--retries", type=int, default=3, help="repetitions of a turn that other load disturbed")
    parser.add_argument("--out", type=Path, default=ROOT / "docs", help="folder of the report")
    parser.add_argument("--fresh", action="store_true", help="forget rows measured earlier")
    parser.add_argument("--convert-only", action="store_true", help="make the peers' files, measure nothing")
    parser.add_argument("--skip-litert-conversion", action="store_true", help="spare a download of TensorFlow")
    return parser.parse_args()


def main() -> int:
    args = _arguments()
    if sys.platform != "linux":
        print("error: stopping processes and counting foreign load need Linux", file=sys.stderr)
        return 2
    peers = [p for p in args.peers if not (p == "litert" and args.skip_litert_conversion)]
    if args.convert_only:
        for name in args.models:
            for peer in peers:
                converted(name, peer)
        return 0
    plan = Plan(tuple(peers), tuple(args.threads), args.rounds, args.seconds, loads=args.loads, retries=args.retries)
    head = {
        "command": "python -m benchmarks.peers",
        "date": time.strftime("%Y-%m-%d"),
        "machine": report.machine(),
        "versions": _versions(peers),
        "rounds": args.rounds,
        "seconds": args.seconds,
    }
    rows = _earlier(args.out, fresh=args.fresh)
    for number, name in enumerate(args.models, 1):
        start = time.monotonic()
        new = [dataclasses.asdict(row) for row in measure(name, plan)]
        rows = report.merge(rows, new)
        rows.sort(key=lambda r: (list(SUITE).index(r["model"]), ALL.index(r["peer"]), r["threads"]))
        report.write(args.out, rows, head)
        print(f"[{number}/{len(args.models)}] {name}  {time.monotonic() - start:.0f} s")
        _print_rows(new)
    for threads in args.threads:
        shares = report.ratios(rows, threads, lambda r: r["ms"])
        if shares:
            mean = report.geometric_mean(shares.values())
            print(f"{threads} threads: sampan / fastest peer = {mean:.2f} (geometric mean of {len(shares)} models)")
    print(f"written: {args.out / 'benchmarks.md'}")
    return 0


def _earlier(folder: Path, *, fresh: bool) -> list[dict[str, Any]]:
    file = folder / "benchmarks.json"
    if fresh or not file.is_file():
        return []
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return [r for r in rows if r["model"] in SUITE and r["peer"] in ALL]


def _print_rows(rows: list[dict[str, Any]]) -> None:
    for values in rows:
        row = Row(**values)
        where = f"  {row.peer:12} {row.threads} thread{'s' * (row.threads > 1)}"
        if row.error or row.ms is None or row.load_ms is None or row.first_ms is None:
            print(f"{where:26} {row.error}")
            continue
        start = f"load {row.load_ms:.0f} + first {row.first_ms:.0f} ms"
        exact = "no counterpart" if row.difference is None else f"{row.difference:.0e}"
        print(
            f"{where:26} {row.ms:9.3f} ms, best {row.best_ms:.3f}, {start},"
            f" peak {row.peak_mb:.0f} MB, difference {exact}{'' if row.correct else ' WRONG'},"
            f" {row.quiet_rounds}/{len(row.rounds)} rounds undisturbed",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
