"""Documents that are made from code are up to date; what they point at exists."""
from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_operator_reference_is_up_to_date():
    from sampan.cli.docs_operators import markdown
    from sampan.lite_runtime import operators

    assert (ROOT / "docs" / "operators.md").read_text() == markdown(list(operators().values())), "run `make docs`"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http:", "https:")):
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_make_targets_exist(path):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for name in re.findall(r"(?:^|`)make ([a-z-]+)", path.read_text(), re.M):
        assert name in targets, name


def test_commands_in_the_readme_exist():
    from sampan.cli.main import COMMANDS

    text = (ROOT / "README.md").read_text()
    named = set(re.findall(r"^sampan ([a-z-]+)", text, re.M)) | {"run", "inspect", "verify"}
    assert named <= set(COMMANDS)


def test_versions_agree():
    import sampan

    version = re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text(), re.M)
    assert version
    cmake = re.search(r"project\(sampan VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    assert cmake and version[1] == cmake[1] == sampan.__version__
    from sampan import lite_runtime

    assert lite_runtime.version() == sampan.__version__
