"""Python code from values: every name from a file is written as a literal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, NamedTuple

from lincore.utils.code import call, literal


class Block(NamedTuple):
    """A part of a script: a cell of a notebook."""

    title: str  # never text from a file
    code: str
    figures: tuple[str, ...] = ()  # expressions that a notebook shows


def display_blocks(roots: Mapping[str, tuple[str, str]], calls: Sequence[str]) -> tuple[Block, ...]:
    """Return code for results (title and code by name) and for calls such as "results.scores()"."""
    blocks = []
    for root in dict.fromkeys([next(iter(roots)), *(text.partition(".")[0] for text in calls)]):
        own = [text for text in calls if text.startswith(f"{root}.")]
        title, code = roots[root]
        printed = "\n".join([code, *(f"print({text})" for text in own)])
        blocks.append(Block(title, printed, tuple(f"{text}.plot()" for text in own)))
    return tuple(blocks)


def fill(template: str, **codes: str) -> str:
    """Return a template with its words in capitals replaced by code."""
    # In one pass: a word in capitals that comes with a value stays part of it.
    return re.sub(rf"\b({'|'.join(codes)})\b", lambda found: codes[found[1]], template)


def record(name: str, value: Any, records: Mapping[type, str]) -> str:
    """Return the call that makes a record, with the fields that are not at their defaults."""
    return call(name, **changed(value, records))


def changed(value: Any, records: Mapping[type, str]) -> dict[str, str]:
    """Return the fields of a record that are not at their defaults, as code."""
    names, defaults = _fields(value)
    return {
        one: _nested(getattr(value, one), records)
        for one in names
        if one not in defaults or getattr(value, one) != defaults[one]
    }


def _fields(value: Any) -> tuple[Sequence[str], Mapping[str, Any]]:
    if hasattr(value, "_fields"):
        return value._fields, value._field_defaults
    defaults = {}
    for one in fields(value):
        if one.default is not MISSING:
            defaults[one.name] = one.default
        elif one.default_factory is not MISSING:
            defaults[one.name] = one.default_factory()
    return [one.name for one in fields(value)], defaults


def _nested(value: Any, records: Mapping[type, str]) -> str:
    if type(value) in records:
        return record(records[type(value)], value, records)
    if type(value) in (list, tuple):
        inside = ", ".join(_nested(part, records) for part in value)
        return f"({inside}{',' * (len(value) == 1)})"
    return literal(value)
