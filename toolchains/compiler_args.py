"""Prints the CMake arguments that choose the compiler: none where the system has one, else zig's."""
from __future__ import annotations

from build_backend import ZIG_TOOLS, system_compiler, zig_tools

if not system_compiler():
    tools = zig_tools(ZIG_TOOLS)
    print(f"-DCMAKE_CXX_COMPILER={tools['c++']} -DCMAKE_AR={tools['ar']} -DCMAKE_RANLIB={tools['ranlib']}")
