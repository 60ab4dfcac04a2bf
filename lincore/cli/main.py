"""The command line: commands, errors in one line, exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click
from click.shell_completion import shell_complete

import lincore
from lincore import cli
from lincore.cli._terminal import never_fail, printable
from lincore.errors import DataError, error_summary

#: Exit codes: unusable file; invalid command; internal error; terminated from outside.
OK, DATA_ERROR, USAGE, FAULT, CLOSED, INTERRUPTED = 0, 1, 2, 70, 141, 130
#: If set, internal errors show their traceback.
TRACEBACK = "LINCORE_TRACEBACK"
#: Set by the shell when it asks for completions of a line.
COMPLETE = "_LINCORE_COMPLETE"
CODES = """\b
Exit codes:
  0 done, 1 the file cannot be used, 2 the command cannot be understood,
  70 internal error, 130 interrupted, 141 the reader of the output has closed it
"""
#: Purpose of each command; a command is imported when it is used.
COMMANDS = {
    "dashboard": "Open the dashboard in the browser.",
    "inspect": "Columns, roles, target and findings of a file.",
    "compare": "Compare methods on the same splits.",
    "balance": "What an imbalance costs, and what recovers it.",
    "predict": "Classes and probabilities of new rows.",
    "report": "All results as one HTML file.",
    "run": "Answer the question of a saved analysis.",
}


class _Commands(click.Group):
    """The commands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return their names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        return getattr(cli, cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, invoke_without_command=True, epilog=CODES)
@click.version_option(lincore.__version__, message="%(prog)s %(version)s")
@click.pass_context
def lincore_command(ctx: click.Context) -> None:
    """Compare linear classifiers and see their geometry.

    Without a command: the dashboard in the browser.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(cli.dashboard)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments after the program's name; default: those of the process. Without any, the
        dashboard opens.

    Returns
    -------
    int
        Exit code: 0 done, 1 the file cannot be used, 2 the command cannot be understood, 70 an
        internal error, 130 interrupted, 141 the reader of the output has closed it.

    Examples
    --------
    >>> main(["compare", "sample:iris", "--methods", "lda,qda", "--quiet"])
    iris: 150 rows of 4 features in 3 classes by species (setosa 50, versicolor 50, virginica 50)
    <BLANKLINE>
    No significant difference between LDA and QDA (accuracy 100.0 %); up to 5.9 points are not ...
    Best of 2 on these rows: LDA (tied with 1 other), accuracy 100.0 %; ...
    0
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if COMPLETE in os.environ:
            return shell_complete(lincore_command, {}, "lincore", COMPLETE, os.environ[COMPLETE])
        with lincore_command.make_context("lincore", words) as context:
            lincore_command.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as ended:  # help was shown
        return ended.exit_code
    except click.UsageError as error:
        name = error.ctx.command_path if error.ctx else "lincore"
        message = error_summary(ValueError(error.format_message()))
        end = "" if message.endswith((".", "?", ")")) else "."
        return _fail(f"{message}{end} See {name} --help.", USAGE, name)
    except DataError as error:
        return _fail(str(error), DATA_ERROR)
    except KeyboardInterrupt:
        return _fail("Interrupted.", INTERRUPTED)
    except BrokenPipeError:
        # What is left in the buffer would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except (ValueError, TypeError) as error:
        if os.environ.get(TRACEBACK):
            raise
        return _fail(error_summary(error), USAGE)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        fault = f"Internal error of lincore, {type(error).__name__}: {error_summary(error)}."
        return _fail(f"{fault} Please report it; {TRACEBACK}=1 shows where.", FAULT)
    return OK


def _fail(message: str, code: int, name: str = "lincore") -> int:
    never_fail(sys.stderr)
    sys.stderr.write(f"{name}: {printable(message)}\n")
    return code
