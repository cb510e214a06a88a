"""Runs the conformance cases and counts, per operator, what passed, was wrong, refused or crashed.

    python -m tests.conformance [--own] [--data DIR] [--filter GLOB] [--json OUT] [--update]

Without --data the ONNX node tests are fetched (11 MB, once). --own runs tests/cases instead. --update rewrites the
list of passing cases, which may not shrink. Exit code 0: nothing wrong or crashed, and all of the list passed.
"""
from __future__ import annotations

import argparse
import collections
import fnmatch
import json
import sys
from dataclasses import asdict
from pathlib import Path

from . import cases
from .runner import ROOT, STATES, Result, run_cases

HERE = Path(__file__).parent
LISTS = {"node": HERE / "passing.txt", "own": HERE / "passing_own.txt"}
OWN_DATA = ROOT / "tests" / "cases"


def node_data() -> Path:
    """The folder of the ONNX node tests, fetched if need be."""
    from demos.assets import fetch

    root = Path(fetch("onnx_node_tests"))
    return next((p.parent.parent for p in sorted(root.rglob("test_abs/model.onnx"))), root)


def case_names(data: Path, pattern: str = "*") -> list[str]:
    return sorted(p.name for p in data.iterdir() if p.is_dir() and fnmatch.fnmatch(p.name, pattern)
                  and (any(p.glob("model.*"))))


def passing(kind: str) -> list[str]:
    """The cases that must pass."""
    path = LISTS[kind]
    return [line for line in path.read_text().split("\n") if line] if path.exists() else []


def table(data: Path, results: dict[str, Result]) -> str:
    """One line for each operator that has a case that did not pass, then the sums."""
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for name, result in results.items():
        ops = cases.operators(data / name)
        counts[ops[0] if len(ops) == 1 else "(several)"][result.state] += 1
    width = max(map(len, counts), default=8)
    lines = [f"{'operator':{width}} " + " ".join(f"{s:>8}" for s in STATES)]
    lines += [f"{op:{width}} " + " ".join(f"{c[s] or '-':>8}" for s in STATES) for op, c in sorted(counts.items())]
    total: collections.Counter[str] = collections.Counter(r.state for r in results.values())
    lines.append(f"{'total':{width}} " + " ".join(f"{total[s]:>8}" for s in STATES) + f"  of {len(results)}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--own", action="store_true", help="the cases of tests/cases")
    parser.add_argument("--data", type=Path, help="folder of the cases")
    parser.add_argument("--filter", default="*", metavar="GLOB", help="names of the cases to run")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all results")
    parser.add_argument("--update", action="store_true", help="rewrite the list of passing cases")
    parser.add_argument("--jobs", type=int, help="processes (default: one for each core)")
    args = parser.parse_args(argv)
    kind = "own" if args.own else "node"
    data = args.data or (OWN_DATA if args.own else node_data())
    names = case_names(data, args.filter)
    done = 0

    def progress(result: Result) -> None:
        nonlocal done
        done += 1
        if result.state in ("wrong", "crashed"):
            print(f"{result.case}: {result.state}: {result.reason}", flush=True)
        elif done % 100 == 0:
            print(f"{done} of {len(names)}", flush=True)

    results = run_cases(kind, data, names, jobs=args.jobs, progress=progress)
    print(table(data, results))
    if args.json:
        report = {"data": data.name, "results": [asdict(r) for r in results.values()]}
        args.json.write_text(json.dumps(report, indent=1))
    passed = {name for name, r in results.items() if r.state == "passed"}
    lost = [name for name in passing(kind) if name in results and name not in passed]
    for name in lost:
        print(f"{name}: passed before, now {results[name].state}: {results[name].reason}")
    if args.update:
        kept = [name for name in passing(kind) if name not in results]
        LISTS[kind].write_text("".join(f"{name}\n" for name in sorted({*kept, *passed})))
    bad = [r for r in results.values() if r.state in ("wrong", "crashed")]
    return 1 if bad or (lost and not args.update) else 0


if __name__ == "__main__":
    sys.exit(main())
