"""Classes or groups of images, extracted from file names by a pattern."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from lincore.errors import DataError
from lincore.io.images.decode import IMAGE_ENDINGS

# Tried in this order: cat_01, cat.0, cat (1); 01_cat; subject01.happy, subject01 and 3_0001.
PATTERNS = (
    r"^(?P<label>[^\W\d]\D*?)[ _.-]*\(?\d+\)?$",
    r"^\d+[ _.-]+(?P<label>[^\W\d]\D*)$",
    r"^(?P<label>[^_. -]+)(?:[_. -]|$)",
)
_MOST_CLASSES = 200
_MAX_PATTERN = 200
# Limits on characters of a name, repeats of a pattern and open parts: together they bound the
# steps.
_MAX_NAME = 80
_MAX_REPEATS = 3
_MAX_OPTIONS = 6
_MAX_SECONDS = 1.0
_EXAMPLE = r"For example ^(?P<label>[A-Za-z]+) takes cat from cat_01.png."


def propose_pattern(names: Sequence[str]) -> str | None:
    """Return a pattern that finds classes in file names, if any."""
    for pattern in PATTERNS:
        labels = [label for label, _ in read_names(names, pattern)]
        found = Counter(labels)
        few = 2 <= len(found) <= min(_MOST_CLASSES, len(names) / 2)
        if few and None not in found:
            return pattern
    return None


def read_names(names: Sequence[str], pattern: str) -> list[tuple[str | None, str | None]]:
    r"""Read the class and the group of every image from its file name."""
    expression = compiled(pattern)
    started = time.monotonic()
    found: list[tuple[str | None, str | None]] = []
    for name in names:
        # Without folders, and without its ending if that is one of images.
        path = PurePosixPath(name)
        bare = path.stem if path.suffix.casefold() in IMAGE_ENDINGS else path.name
        match = expression.search(bare[-_MAX_NAME:])
        groups = match.groupdict() if match else {}
        found.append((groups.get("label") or None, groups.get("group") or None))
        if time.monotonic() - started > _MAX_SECONDS:
            raise _unusable("The search takes too long.", pattern)
    return found


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a regular expression with bounded running time, for `read_names`."""
    if len(pattern) > _MAX_PATTERN:
        raise _unusable(f"It is longer than {_MAX_PATTERN} characters.", pattern)
    try:
        expression = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise _unusable(f"It is not a regular expression: {error}.", pattern) from error
    if not {"label", "group"} & set(expression.groupindex):
        raise _unusable("It has no group called label or group.", pattern)
    if _could_run_away(pattern):
        raise _unusable("It repeats a group, or repeats too often: it could run forever.", pattern)
    return expression


def _could_run_away(pattern: str) -> bool:
    """Return whether a pattern repeats more than single letters, or too many of them.

    It is conservative: accepted patterns take at most a cubic number of steps.
    """
    # Escapes and character sets count as one letter.
    bare = re.sub(r"\\.", "a", pattern, flags=re.DOTALL)
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "a", bare)
    # The kind of group, and case flags.
    bare = re.sub(r"\(\?(P<\w+>|[:=!]|<[=!])", "(", bare)
    bare = bare.replace("(?i)", "")
    if "(?" in bare or re.search(r"\)[*+{]", bare):
        return True
    repeats = re.findall(r"[*+]|\{[\d,]+\}", bare)
    return len(repeats) > _MAX_REPEATS or bare.count("?") > _MAX_OPTIONS


def _unusable(what: str, pattern: str) -> DataError:
    shown = pattern if len(pattern) <= 60 else f"{pattern[:57]}..."
    return DataError(what, where=f"pattern {shown}", remedy=_EXAMPLE)
