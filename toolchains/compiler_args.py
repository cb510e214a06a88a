"""Prints the CMake arguments that choose the compiler: none where the system has one, else zig's."""
from __future__ import annotations

import sys
from pathlib import Path

from build_backend import system_compiler, zig_tools

if not system_compiler():
    tools = zig_tools(Path(sys.prefix) / "zig-tools")
    print(f"-DCMAKE_CXX_COMPILER={tools['c++']} -DCMAKE_AR={tools['ar']} -DCMAKE_RANLIB={tools['ranlib']}")
