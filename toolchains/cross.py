"""Cross-compiles the runtime library with zig: `python toolchains/cross.py TARGET ...`.

Targets are zig's names (x86_64-windows-gnu, aarch64-macos). Nothing is run; it shows that the code builds there.
"""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from build_backend import zig_tools

SYSTEMS = {"windows": "Windows", "macos": "Darwin", "linux": "Linux"}


def build(target: str) -> bool:
    processor, system, *_ = target.split("-")
    folder = Path("build") / f"cross-{target}"
    tools = zig_tools((folder / "tools").resolve(), target)
    configure = ["cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", f"-DCMAKE_SYSTEM_NAME={SYSTEMS[system]}",
                 f"-DCMAKE_SYSTEM_PROCESSOR={processor}", f"-DCMAKE_CXX_COMPILER={tools['c++']}",
                 f"-DCMAKE_AR={tools['ar']}", f"-DCMAKE_RANLIB={tools['ranlib']}",
                 "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY", f"-DPython_EXECUTABLE={sys.executable}"]
    if system == "macos":
        configure.append("-DCMAKE_OSX_SYSROOT=")
    for command in (configure, ["cmake", "--build", str(folder), "--target", "sampan_runtime", "-j2"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print((done.stdout + done.stderr)[-6000:])
            print(f"cross: {target}: failed")
            return False
    size = sum(p.stat().st_size for p in folder.glob("*sampan_runtime.*"))
    print(f"cross: {target}: ok, the library has {size:,} bytes", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(0 if all([build(target) for target in sys.argv[1:]]) else 1)
