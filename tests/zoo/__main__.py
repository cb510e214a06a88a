"""`python -m tests.zoo [MODEL ...]`: build or fetch models of the zoo."""

from __future__ import annotations

import argparse
import sys
import time

from tests.zoo.build import MODELS, model_path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.zoo", description="Build or fetch models.")
    parser.add_argument("names", nargs="*", metavar="MODEL", help=f"any of {', '.join(MODELS)}; default: all")
    names = parser.parse_args().names or MODELS
    for number, name in enumerate(names, 1):
        start = time.monotonic()
        try:
            path = model_path(name)
        except KeyError as error:
            parser.error(error.args[0])
        seconds = time.monotonic() - start
        print(f"[{number}/{len(names)}] {name:24} {path.stat().st_size:>11,} bytes  {seconds:5.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
