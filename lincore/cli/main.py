"""The command line: arguments, progress, errors in one line, exit codes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from lincore.cli._output import printable, write
from lincore.cli._parser import build_parser
from lincore.cli._progress import ProgressLine
from lincore.errors import DataError, error_summary

#: Exit codes: unusable file; invalid command; internal error; terminated from outside.
OK, DATA_ERROR, USAGE, FAULT, CLOSED, INTERRUPTED = 0, 1, 2, 70, 141, 130
#: If set, internal errors show their traceback.
TRACEBACK = "LINCORE_TRACEBACK"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those behind the program's name; of the process when not given. None at all open the
        dashboard.

    Returns
    -------
    int
        Exit code: 0 done, 1 the file cannot be used, 2 the command cannot be understood, 70 a
        internal error, 130 interrupted, 141 the reader of the output has closed it.

    Examples
    --------
    >>> main(["compare", "sample:iris", "--methods", "lda,qda", "--quiet"])
    iris: 150 rows of 4 features; 3 classes by species (setosa 50, versicolor 50, virginica 50)
    <BLANKLINE>
    No significant difference between LDA and QDA (accuracy 100.0 %); up to 5.9 points are not ...
    Best of 2 on these rows: LDA, accuracy 100.0 %; ...
    0
    """
    try:
        options = build_parser().parse_args(sys.argv[1:] if arguments is None else list(arguments))
    except SystemExit as ended:  # help was shown, or the arguments were refused
        return int(ended.code or 0)
    progress = ProgressLine(sys.stderr, options.quiet)
    try:
        with _warnings_in_one_line(sys.stderr, progress):
            answer = options.run(options, progress)
        progress.clear()
        _never_fail(sys.stdout)
        _never_fail(sys.stderr)
        write(answer, sys.stdout, sys.stderr, as_json=options.json)
        sys.stdout.flush()
    except DataError as error:
        return _fail(str(error), DATA_ERROR, progress)
    except KeyboardInterrupt:
        return _fail("Interrupted.", INTERRUPTED, progress)
    except BrokenPipeError:
        # What is left in the buffer would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except (ValueError, TypeError) as error:
        if os.environ.get(TRACEBACK):
            raise
        return _fail(error_summary(error), USAGE, progress)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        what = f"Internal error of lincore, {type(error).__name__}: {error_summary(error)}."
        return _fail(f"{what} Please report it; {TRACEBACK}=1 shows where.", FAULT, progress)
    return OK


def _fail(message: str, code: int, progress: ProgressLine) -> int:
    progress.clear()
    _never_fail(sys.stderr)
    sys.stderr.write(f"lincore: {printable(message)}\n")
    return code


def _never_fail(stream: TextIO) -> None:
    """Write what the encoding of a terminal lacks as a question mark, instead of failing."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


@contextmanager
def _warnings_in_one_line(stream: TextIO, progress: ProgressLine) -> Iterator[None]:
    """Write each warning once, without the place in the code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            progress.clear()
            # Methods that fail are named among the notes of the answer.
            shown = [w for w in caught if w.category.__name__ != "FitFailedWarning"]
            for message in dict.fromkeys(str(warning.message) for warning in shown):
                stream.write(f"lincore: warning: {printable(message)}\n")
