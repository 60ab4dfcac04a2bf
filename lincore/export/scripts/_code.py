"""Python code from values: every name from a file is written as a literal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lincore.fields.schema import defaults, names
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


def fill_template(template: str, **codes: str) -> str:
    """Return a template with its words in capitals replaced by code."""
    # In one pass, so that capitals within an inserted value are not replaced.
    return re.sub(rf"\b({'|'.join(codes)})\b", lambda match: codes[match[1]], template)


def record_code(name: str, value: Any, records: Mapping[type, str]) -> str:
    """Return the call that makes a record, with the fields that differ from their defaults."""
    return call(name, **changed_fields(value, records))


def changed_fields(value: Any, records: Mapping[type, str]) -> dict[str, str]:
    """Return the fields of a record that differ from their defaults, as code."""
    known = defaults(type(value))
    return {
        name: _nested(getattr(value, name), records)
        for name in names(type(value))
        if name not in known or getattr(value, name) != known[name]
    }


def _nested(value: Any, records: Mapping[type, str]) -> str:
    if type(value) in records:
        return record_code(records[type(value)], value, records)
    if type(value) in (list, tuple):
        elements = ", ".join(_nested(element, records) for element in value)
        return f"({elements}{',' * (len(value) == 1)})"
    return literal(value)
