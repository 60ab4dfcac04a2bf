"""Commands and options, by click: help by subject, and the options of all commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

import click

from lincore.cli._answer import Answer, write
from lincore.cli._terminal import never_fail, progress_and_warnings

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


class Reader(click.ParamType[Any, Any]):
    """The type of an option whose text is read by a function."""

    name = "text"

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of a text; defaults are values already."""
        try:
            return self._read(value) if isinstance(value, str) else value
        except (ValueError, TypeError) as error:
            self.fail(str(error), param, ctx)


class _Option(click.Option):
    """An option that the help lists under a heading."""

    def __init__(self, *arguments: Any, section: str = "Options", **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.section = section


def option(
    spelling: str, help: str, *, section: str = "Options", kind: Any = None, **details: Any
) -> Decorator:
    """Return a decorator that adds an option, written as in the help: "-o --output FILE"."""
    # A word before the dashes names the argument; an option without a metavar is a flag.
    *names, last = spelling.split()
    if last.startswith("-"):
        names, details = [*names, last], {"is_flag": True, **details}
    else:
        details["metavar"] = last
    if callable(kind) and not isinstance(kind, type | click.ParamType):
        kind = Reader(kind)
    return click.option(
        *names, cls=_Option, type=kind, help=help, section=section, show_default=True, **details
    )


class HelpfulCommand(click.Command):
    """A command whose help lists the arguments, and the options by subject."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx)
            if line is not None and not isinstance(parameter, click.Argument):
                sections.setdefault(getattr(parameter, "section", "Output"), []).append(line)
        sections["Output"] = sections.pop("Output")  # the last
        for title, lines in sections.items():
            with formatter.section(title):
                formatter.write_dl(lines, col_max=24)


def command(*examples: str) -> Callable[[Callable[..., Answer]], click.Command]:
    """Return a decorator that turns a function into a command, which writes its answer."""

    def decorate(function: Callable[..., Answer]) -> click.Command:
        @option("as_json --json", "Print JSON, for programs.", section="Output")
        @option("--quiet", "No progress on standard error.", section="Output")
        @wraps(function)
        def run(*, as_json: bool, quiet: bool, **values: Any) -> None:
            with progress_and_warnings(sys.stderr, quiet) as progress:
                answer = function(progress=progress, **values)
            never_fail(sys.stdout)
            write(answer, sys.stdout, sys.stderr, as_json=as_json)

        lines = "\n".join(["\b", "Examples:", *(f"  {example}" for example in examples)])
        return click.command(cls=HelpfulCommand, epilog=lines)(run)

    return decorate
