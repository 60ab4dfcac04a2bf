"""The options that say how a file is read: each overrules what is detected."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lincore import io
from lincore.errors import Hint

_SIGNS = {"\\t": "\t", "tab": "\t", "space": " ", "none": ""}
_HEADERS = {"yes": True, "no": False}
#: Fields of `io.ReadOptions` of one value each, by their options.
_SINGLE = {
    "encoding": ("NAME", "of the text, such as cp1252"),
    "separator": ("SIGN", "between columns: a sign, tab or space"),
    "decimal": ("SIGN", "before a fraction"),
    "thousands": ("SIGN", "between groups of digits, or none"),
    "quote": ("SIGN", "around texts, or none"),
    "comment": ("SIGN", "prefix of lines to skip, or none"),
    "header": ("LINE", "line with the column names, counted from 1; yes or no"),
    "sheet": ("NAME", "of a workbook, or the file of a zip (the largest)"),
    "table": ("NUMBER", "of several tables below each other, counted from 1 (1)"),
}


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of reading."""
    group = parser.add_argument_group("reading", "what is not given is detected")
    types: Mapping[str, Any] = {"encoding": str, "sheet": str, "header": _header, "table": int}
    for name, (metavar, words) in _SINGLE.items():
        kind = types.get(name, _sign)
        group.add_argument(f"--{name}", metavar=metavar, type=kind, help=words)
    group.add_argument(
        "--uneven",
        choices=("mend", "skip", "keep"),
        help="lines with more or fewer fields than columns: repair or skip (mend), skip, or "
        "repair or cut",
    )
    group.add_argument("--as-text", action="store_true", help="keep cells as they are in the file")
    group.add_argument(
        "--missing-code",
        metavar="COLUMN=VALUE",
        action="append",
        type=assignment,
        help="a value that means missing in this column; may be repeated",
    )
    group.add_argument(
        "--cut",
        metavar="COLUMN=MARK",
        action="append",
        type=assignment,
        help="texts of this column end at the mark; may be repeated",
    )
    group.add_argument(
        "--ordered",
        metavar="COLUMN=LOW<...<HIGH",
        action="append",
        type=assignment,
        help="read levels in this order as the numbers 1, 2, 3; may be repeated",
    )
    group.add_argument(
        "--overrule",
        metavar="CODE",
        action="append",
        help="ignore a finding, such as LIN032; may be repeated",
    )


def read_options(options: argparse.Namespace) -> io.ReadOptions | None:
    """Return how a file is read, where anything of it was given."""
    codes: dict[str, list[str | float]] = {}
    for column, value in options.missing_code or ():
        codes.setdefault(column, []).append(_number_or_text(value))
    given = {name: getattr(options, name) for name in (*_SINGLE, "uneven")}
    given = {name: value for name, value in given.items() if value is not None}
    given |= {"as_text": True} if options.as_text else {}
    given |= {"missing_in": codes} if codes else {}
    given |= {"cut_at": dict(options.cut)} if options.cut else {}
    ordered = {name: tuple(levels.split("<")) for name, levels in options.ordered or ()}
    given |= {"ordered": ordered} if ordered else {}
    given |= {"overrule": tuple(options.overrule)} if options.overrule else {}
    return io.ReadOptions(**given) if given else None


def without_column(reading: io.ReadOptions | None, name: str | None) -> io.ReadOptions | None:
    """Return the options for a file that need not have one of the columns, such as the target."""
    if reading is None:
        return None
    missing_in = {n: values for n, values in (reading.missing_in or {}).items() if n != name}
    cut_at = {n: mark for n, mark in (reading.cut_at or {}).items() if n != name}
    ordered = {n: levels for n, levels in (reading.ordered or {}).items() if n != name}
    return replace(
        reading,
        missing_in=missing_in or None,
        cut_at=cut_at or None,
        ordered=ordered or None,
    )


def spelling_of_reading(hint: Hint) -> list[str]:
    """Return the options of reading that apply a hint."""
    words = []
    for name, value in hint.reading.items():
        if name == "missing_in":
            pairs = [f"{column}={code:g}" for column, codes in value.items() for code in codes]
            words += [f"--missing-code {shlex.quote(pair)}" for pair in pairs]
        elif name == "cut_at":
            words += [f"--cut {shlex.quote(f'{column}={mark}')}" for column, mark in value.items()]
        elif name == "ordered":
            pairs = [f"{column}={'<'.join(levels)}" for column, levels in value.items()]
            words += [f"--ordered {shlex.quote(pair)}" for pair in pairs]
        elif name == "overrule":
            words += [f"--overrule {code}" for code in value]
        else:
            known = {True: "yes", False: "no"} if name == "header" else {}
            words.append(f"--{name} {shlex.quote(str(known.get(value, value)))}")
    return words


def assignment(text: str) -> tuple[str, str]:
    """Take NAME=VALUE apart at its last equals sign."""
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def _number_or_text(value: str) -> str | float:
    try:
        return float(value)
    except ValueError:
        return value


def _sign(text: str) -> str:
    return _SIGNS.get(text, text)


def _header(text: str) -> bool | int:
    if text in _HEADERS:
        return _HEADERS[text]
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is neither yes nor no nor a line number")
    return int(text)
