"""`sampan`: finds its sub-commands by file name and turns errors into exit codes.

Exit codes: 0 ok, 1 results differ or a budget is passed, 2 wrong usage, 3 bad model, 4 unsupported.
"""
from __future__ import annotations

import importlib
import json
import sys
from typing import Any

EXIT_DIFFERS, EXIT_USAGE, EXIT_BAD_MODEL, EXIT_UNSUPPORTED = 1, 2, 3, 4

# Name of the command -> module in this folder that has a click command `command`.
COMMANDS = {
    "opt": "opt", "run": "run", "bench": "bench", "inspect": "inspect", "compare": "compare", "verify": "verify",
    "docs-operators": "docs_operators",
}


def _click() -> Any:
    try:
        import click
        import rich  # noqa: F401
    except ImportError as error:
        print(f"sampan: the command line needs the package {error.name!r}: pip install 'sampan[convert]'",
              file=sys.stderr)
        raise SystemExit(EXIT_USAGE) from None
    return click


def build() -> Any:
    """The click group. Sub-commands are imported when they are called."""
    click = _click()

    class Group(click.Group):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(COMMANDS)

        def get_command(self, ctx: Any, name: str) -> Any:
            module = COMMANDS.get(name)
            return importlib.import_module(f"sampan.cli.{module}").command if module else None

    @click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
    @click.version_option(package_name="sampan", prog_name="sampan")
    def sampan() -> None:
        """Prepares neural networks for small devices, and runs them."""

    return sampan


def exit_code(error: BaseException) -> int:
    """The exit code of an exception that ended a command."""
    from sampan.errors import BadModel, InvalidArgument, IoError, Unsupported

    if isinstance(error, Unsupported):
        return EXIT_UNSUPPORTED
    if isinstance(error, BadModel):
        return EXIT_BAD_MODEL
    if isinstance(error, InvalidArgument | IoError | ImportError | OSError):
        return EXIT_USAGE
    return EXIT_DIFFERS


def main(args: list[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    click = _click()
    words = sys.argv[1:] if args is None else args
    from sampan.errors import SampanError

    try:
        result = build().main(args=words, prog_name="sampan", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Abort:
        print("sampan: interrupted", file=sys.stderr)
        return EXIT_DIFFERS
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except (SampanError, OSError, ImportError) as error:
        report_error(error, as_json="--json" in words)
        return exit_code(error)


def report_error(error: BaseException, *, as_json: bool) -> None:
    """Prints what went wrong: for people on stderr, with --json as an object on stdout."""
    nodes = getattr(error, "nodes", ())
    if as_json:
        print(json.dumps({
            "error": type(error).__name__, "message": str(error), "node": getattr(error, "node", ""),
            "unsupported": [{"name": n.name, "op": n.op, "reason": n.reason, "advice": n.advice} for n in nodes]}))
        return
    if not nodes:
        print(f"sampan: {type(error).__name__}: {error}", file=sys.stderr)
        return
    from .options import print_table

    print_table(f"sampan: {len(nodes)} node(s) cannot be converted", ("operator", "node", "reason", "what to do"),
                [(n.op, n.name, n.reason, n.advice) for n in nodes], to_stderr=True)
