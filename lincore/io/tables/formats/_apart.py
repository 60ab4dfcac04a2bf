"""A separate process for parsers in which a small file may use any amount of memory or time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lincore.errors import DataError

# The parser of a file of the maximum size needs half of that.
_MEMORY_BYTES = 1_500_000_000
_SECONDS = 60
_LONGEST = 200


class ParsedFile(NamedTuple):
    """Kind and name of the parsed file, and remedies for some errors, for messages."""

    kind: str
    name: str
    remedies: Mapping[str, str] = {}


def run_apart(script: Path, arguments: Sequence[str], raw: bytes, parsed: ParsedFile) -> bytes:
    """Return the output of a script; its last arguments are a file and a memory limit."""
    try:
        done = subprocess.run(  # noqa: S603  our own files, without a shell
            [sys.executable, "-I", str(script), *arguments, str(_MEMORY_BYTES)],
            input=raw,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _unreadable("it takes too long", parsed) from error
    except (OSError, ValueError) as error:
        raise _unreadable(str(error), parsed) from error
    if not done.returncode:
        return done.stdout
    reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if done.returncode < 0 or reason[-1:] == ["too large"]:
        raise DataError(
            f"The {parsed.kind} is too large to be opened.",
            where=parsed.name,
            remedy="Save the table as CSV (text with one row per line) and load that.",
        )
    raise _unreadable(reason[-1][:_LONGEST] if reason else "it is damaged", parsed)


def _unreadable(reason: str, parsed: ParsedFile) -> DataError:
    return DataError(
        f"The {parsed.kind} cannot be read: {reason.rstrip('.')}.",
        where=parsed.name,
        remedy=parsed.remedies.get(
            reason, "Open it, save the table as CSV (text with one row per line), and load that."
        ),
    )
