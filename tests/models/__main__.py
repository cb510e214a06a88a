"""Writes docs/models.md: what each model's outputs and intermediates differ from onnxruntime's.

    python -m tests.models [--out docs/models.md] [NAME ...]
"""
from __future__ import annotations

import argparse
from pathlib import Path

import onnxruntime

from tests.zoo import model_path

from .cases import CASES, TOLERANCE, check, converted

HEAD = """# Models

Each model is converted, run on a photograph, sound or text, and compared with onnxruntime {version} (without its graph
optimisations): every output, and every intermediate tensor that survives optimisation. A difference is the largest
absolute one, as a part of the largest value of that tensor; {tolerance:g} is allowed. Tensors counted as badly conditioned
differ by more than that, but are no further from an evaluation in float64 than four times what onnxruntime is. Written by
`python -m tests.models`.

| model | source | .spn | shapes | tensors compared | badly conditioned | outputs differ by | worst other tensor | |
|---|---|---|---|---|---|---|---|---|
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CASES)}")
    parser.add_argument("--out", type=Path, default=Path("docs/models.md"))
    args = parser.parse_args()
    unknown = set(args.names) - set(CASES)
    if unknown:
        parser.error(f"unknown model {sorted(unknown)}")
    lines, bad = [], 0
    for name in args.names or CASES:
        for sizes in CASES[name]:
            comparison = check(name, sizes).comparison
            outputs = max(row.relative for row in comparison.outputs)
            shape = ", ".join(f"{k} {v}" for k, v in sizes.items()) or "usual"
            verdict = "ok" if comparison.ok else f"**{comparison.first_bad.name}: {comparison.first_bad.problem or 'differs'}**"
            bad += not comparison.ok
            lines.append(f"| {name} | {model_path(name).stat().st_size / 1e6:.1f} MB | "
                         f"{converted(name).stat().st_size / 1e6:.1f} MB | {shape} | {len(comparison.rows)} | "
                         f"{comparison.badly_conditioned} | "
                         f"{outputs:.1e} | {comparison.worst:.1e} | {verdict} |")
            print(lines[-1], flush=True)
    if not args.names:
        args.out.write_text(HEAD.format(version=onnxruntime.__version__, tolerance=TOLERANCE) + "\n".join(lines) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
