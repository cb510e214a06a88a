"""The rules that keep the code in shape, as greps: who may use whom, what the runtime must not contain, sizes."""
from __future__ import annotations

import ast
import re
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "lite_runtime"
MAX_FILE_LINES, MAX_FUNCTION_LINES = 800, 80

# Import name -> what it may import of the project. `sampan` is the public API: session, conversion, comparison.
LAYERS = {
    "sampan.lite_runtime": {"sampan.lite_runtime"},
    "sampan.ir": {"sampan.lite_runtime", "sampan.ir"},
    "sampan.converter": {"sampan.lite_runtime", "sampan.ir", "sampan.converter"},
    "sampan.opt": {"sampan.lite_runtime", "sampan.ir", "sampan.opt"},
}
FOLDERS = {"sampan.lite_runtime": "lite_runtime", "sampan.ir": "sampan/ir", "sampan.converter": "converter",
           "sampan.opt": "opt"}
CPP_LAYERS = {  # folder -> folders it may include
    "include": {"include"},
    "kernels": {"kernels", "include"},
    "core": {"core", "kernels/isa.h", "include", "generated"},
    "ops": {"core", "kernels", "ops", "include"},
    "tools": {"core", "kernels", "ops", "tools", "include", "generated"},
    "bindings": {"core", "kernels", "bindings", "tools", "include", "generated"},
}
# Words of the runtime that would allocate or throw behind its back. ops and core only know Array, Box and Status.
FORBIDDEN = {
    r"\bstd::(vector|string|map|unordered_map|set|list|deque|function|shared_ptr|unique_ptr|ostream|thread|mutex|regex)\b":
        "an allocating or threading std type",
    r"#include <(vector|string|map|unordered_map|iostream|sstream|fstream|thread|mutex|functional|memory|future|regex)>":
        "a header of such types",
    r"\bthrow\b|\btry\s*\{|\bcatch\s*\(": "exceptions",
    r"\bdynamic_cast\b|\btypeid\b": "RTTI",
    r"\b(malloc|calloc|realloc|strdup)\s*\(": "memory outside the allocator hook",
    r"(?<!placement )\bnew\s+[A-Za-z_:]": "operator new outside the allocator hook",
    r"\bassert\s*\(|\babort\s*\(|\bexit\s*\(": "ending the host's process",
}
ALLOWED = {  # (file, what) with the reason
    ("core/memory.cc", "memory outside the allocator hook"),  # the hook itself
    ("core/op.cc", "ending the host's process"),  # reached in constant evaluation only, where it stops the compiler
}


@lru_cache(maxsize=1)
def tracked() -> list[Path]:
    """The repository's files, or all but build output where there is no git."""
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode == 0:
        return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]
    skip = {".venv", "build", ".git", ".cache"}
    return [p for p in ROOT.rglob("*") if p.is_file() and not skip & set(p.relative_to(ROOT).parts)]


def sources(folder: str, *suffixes: str) -> list[Path]:
    found = [p for p in tracked() if p.suffix in suffixes and p.is_relative_to(ROOT / folder)]
    assert found, f"no {suffixes} files in {folder}"
    return found


def without_comments(text: str) -> str:
    """C++ without comments and string contents; lines stay where they are."""
    def blank(match: re.Match[str]) -> str:
        token = match.group(0)
        if token[0] == '"':
            return '""'
        return "\n" * token.count("\n")

    return re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S)


def imported(path: Path, package: str) -> set[str]:
    """Modules of the project that a Python file imports, also inside functions, as absolute names."""
    base = FOLDERS[package]
    inside = ".".join(path.relative_to(ROOT / base).with_suffix("").parts)
    module = f"{package}.{inside}".removesuffix(".__init__") if inside else package
    parts = module.split(".") if path.name != "__init__.py" else [*module.split("."), "__init__"]
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            prefix = ".".join(parts[: len(parts) - node.level]) if node.level else ""
            full = ".".join(p for p in (prefix, node.module or "") if p)
            names.add(full)
            if full == "sampan":
                names |= {f"sampan.{a.name}" for a in node.names}
                names.discard("sampan")
    return {n for n in names if n == "sampan" or n.startswith("sampan.")}


@pytest.mark.parametrize("package", LAYERS)
def test_python_layers(package):
    wrong = []
    for path in sources(FOLDERS[package], ".py"):
        for name in imported(path, package):
            if not any(name == a or name.startswith(a + ".") for a in LAYERS[package]):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong, wrong


def test_readers_do_not_know_each_other():
    readers = [p for p in (ROOT / "converter").iterdir() if p.is_dir() and (p / "__init__.py").exists()]
    for reader in readers:
        for path in reader.rglob("*.py"):
            for name in imported(path, "sampan.converter"):
                others = {r.name for r in readers} - {reader.name}
                assert not any(name.startswith(f"sampan.converter.{o}") for o in others), (path, name)


@pytest.mark.parametrize("folder", CPP_LAYERS)
def test_cpp_layers(folder):
    wrong = []
    allowed = CPP_LAYERS[folder]
    for path in sources(f"lite_runtime/{folder}", ".h", ".cc"):
        for target in re.findall(r'#include "([^"]+)"', path.read_text()):
            target = target.removeprefix("lite_runtime/")
            top = "generated" if target.endswith("_generated.h") else "include" if target.startswith("sampan/") \
                else target.split("/")[0] if "/" in target else folder
            if top not in allowed and target not in allowed:
                wrong.append(f"{path.relative_to(ROOT)} includes {target}")
    assert not wrong, wrong


def test_runtime_words():
    wrong = []
    for path in sources("lite_runtime", ".h", ".cc"):
        relative = path.relative_to(RUNTIME)
        if relative.parts[0] in ("bindings", "tools"):
            continue
        text = without_comments(path.read_text())
        for pattern, what in FORBIDDEN.items():
            if (str(relative), what) in ALLOWED:
                continue
            for match in re.finditer(pattern, text):
                line = text.count("\n", 0, match.start()) + 1
                wrong.append(f"{relative}:{line}: {match.group(0)!r}: {what}")
    assert not wrong, wrong


def test_files_are_short():
    long = []
    for path in tracked():
        if path.suffix in (".py", ".cc", ".h", ".cmake", ".fbs") or path.name in ("Makefile", "CMakeLists.txt"):
            lines = path.read_text(errors="replace").count("\n")
            if lines > MAX_FILE_LINES:
                long.append(f"{path.relative_to(ROOT)}: {lines} lines")
    assert not long, long


def test_python_functions_are_short():
    long = []
    for path in tracked():
        if path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > MAX_FUNCTION_LINES:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.name} has {lines} lines")
    assert not long, long


def test_cpp_functions_are_short():
    """Bodies that begin at the left margin or inside a class; counted from the opening brace to its match."""
    long = []
    for path in sources("lite_runtime", ".h", ".cc"):
        scopes: list[tuple[str, int]] = []
        previous = ""
        for number, line in enumerate(without_comments(path.read_text()).split("\n"), 1):
            for char in line:
                if char == "{":
                    scopes.append((f"{previous} {line}", number))
                elif char == "}" and scopes:
                    opener, start = scopes.pop()
                    kind = re.search(r"\b(namespace|struct|class|enum|union|extern)\b", opener)
                    is_function = not kind and "(" in opener and not re.search(r"=\s*\{", opener)
                    if is_function and number - start + 1 > MAX_FUNCTION_LINES:
                        long.append(f"{path.relative_to(ROOT)}:{start}: {number - start + 1} lines")
            if line.strip():
                previous = line
    assert not long, long


def test_an_operator_is_one_folder():
    """Nothing outside an operator's folder names it to the build or the library: no list to edit."""
    name = "Mish"
    folder = next(p.parent for p in sources("lite_runtime/ops", ".cc") if f"SAMPAN_OPERATOR({name}," in p.read_text())
    mentions = [p for p in sources("lite_runtime", ".h", ".cc", ".fbs") + [ROOT / "CMakeLists.txt"]
                + [p for p in tracked() if p.suffix == ".cmake"]
                if re.search(rf"kOperator{name}\b|SAMPAN_OPERATOR\({name},", p.read_text())]
    assert [p.parent for p in mentions] == [folder]
    assert not [p for p in sources("sampan", ".py") if re.search(rf"['\"]{name}['\"]", p.read_text())]


def test_nothing_refers_to_places_outside():
    """The repository must build on a clean machine: no absolute paths of the one it was written on."""
    bad = []
    for path in tracked():
        if path.suffix in (".py", ".cc", ".h", ".cmake", ".md", ".toml", ".txt", ".sh", "") and path != Path(__file__):
            text = path.read_text(errors="replace")
            # Any absolute path below a folder where people work; the tests' own temporary files start with "sampan".
            for pattern in (r"(?<![\w.])/(tmp|work|root|home|Users)/(?!sampan_)\w", r"\.\./shared"):
                if re.search(pattern, text):
                    bad.append(f"{path.relative_to(ROOT)}: {pattern}")
    assert not bad, bad


def test_wheel_packages_are_folders():
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["wheel"]["packages"]
    for name, folder in packages.items():
        assert (ROOT / folder / "__init__.py").exists(), folder
        assert name.split("/")[-1] == folder.split("/")[-1]
