"""The parser of the command line, put together from the commands."""

from __future__ import annotations

import argparse
from typing import NoReturn

import lincore
from lincore.cli import (
    _balance,
    _compare,
    _dashboard,
    _inspect,
    _predict,
    _report,
    _run,
)

CODES = """exit codes:
  0 done, 1 the file cannot be used, 2 the command cannot be understood,
  70 internal error, 130 interrupted, 141 the reader of the output has closed it
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line: the cause, and where help is."""

    def error(self, message: str) -> NoReturn:
        """Write the line and end with code 2."""
        end = "" if message.endswith(".") else "."
        self.exit(2, f"{self.prog}: {message}{end} See {self.prog} --help.\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; what it parses has `run(options, progress)`."""
    parser = Parser(
        prog="lincore",
        description="Linear classifiers and their geometry, compared. Without a command: the "
        "dashboard in the browser.",
        epilog=CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lincore {lincore.__version__}")
    parser.set_defaults(**_dashboard.DEFAULTS)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in (_dashboard, _inspect, _compare, _balance, _predict, _report, _run):
        command.add_command(commands)
    for name, each in commands.choices.items():
        if name == _dashboard.NAME:
            continue
        output = each.add_argument_group("output")
        output.add_argument("--json", action="store_true", help="for programs")
        output.add_argument("--quiet", action="store_true", help="no progress on standard error")
    return parser
