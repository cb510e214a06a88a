"""The build backend: scikit-build-core, and a C++ compiler from PyPI on machines that have none.

`pip install .` works without a compiler: the package `ziglang` then becomes a build requirement, and small
programs that call it stand in for c++, ar and ranlib. `python toolchains/build_backend.py` prints the extra
requirements of this machine, for builds without isolation.
"""
from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

COMPILERS = ("g++", "clang++", "c++")
ZIG = "ziglang>=0.11"
ZIG_TOOLS = Path(__file__).resolve().parent.parent / "build" / "zig-tools"


def system_compiler() -> str | None:
    """The compiler CMake would find by itself."""
    if os.environ.get("CXX"):
        return os.environ["CXX"]
    return next((path for name in COMPILERS if (path := shutil.which(name))), None)


def extra_requirements() -> list[str]:
    return [] if system_compiler() else [ZIG]


def zig_tools(folder: Path, target: str | None = None) -> dict[str, Path]:
    """Writes programs `c++`, `ar` and `ranlib` that call zig; returns their paths by name."""
    folder.mkdir(parents=True, exist_ok=True)
    # Without a target zig compiles for this very CPU; a wheel must run on others.
    extra = {"c++": ["-target", target] if target else ["-mcpu=baseline"]}
    tools = {}
    for name in ("c++", "ar", "ranlib"):
        words = " ".join(f'"{word}"' for word in [sys.executable, "-m", "ziglang", name, *extra.get(name, [])])
        if os.name == "nt":
            path = folder / f"zig-{name}.bat"
            path.write_text(f"@{words} %*\n")
        else:
            path = folder / f"zig-{name}"
            path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
            path.chmod(0o755)
        tools[name] = path
    return tools


def _prepare() -> None:
    if system_compiler():
        return
    tools = zig_tools(ZIG_TOOLS)
    os.environ["CXX"] = str(tools["c++"])
    args = os.environ.get("CMAKE_ARGS", "")
    os.environ["CMAKE_ARGS"] = f"{args} -DCMAKE_AR={tools['ar']} -DCMAKE_RANLIB={tools['ranlib']}".strip()
    print("no C++ compiler was found: building with the one of the PyPI package ziglang", file=sys.stderr)


def _core() -> Any:
    import scikit_build_core.build as core

    return core


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [*_core().get_requires_for_build_wheel(config_settings), *extra_requirements()]


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return [*_core().get_requires_for_build_editable(config_settings), *extra_requirements()]


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return _core().get_requires_for_build_sdist(config_settings)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    return _core().prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: Any = None) -> str:
    return _core().prepare_metadata_for_build_editable(metadata_directory, config_settings)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    return _core().build_sdist(sdist_directory, config_settings)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    _prepare()
    return _core().build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    _prepare()
    return _core().build_editable(wheel_directory, config_settings, metadata_directory)


if __name__ == "__main__":
    print(" ".join(extra_requirements()))
