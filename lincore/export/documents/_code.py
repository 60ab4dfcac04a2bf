"""Python code from values: every name of a file stands in it as a literal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

# Characters of a line of a script.
_WIDTH = 96


class Block(NamedTuple):
    """A part of a script: a cell of a notebook.

    Attributes
    ----------
    title : str
        In words of our own, never of a file.
    code : str
    figures : tuple of str
        Expressions of the figures that it is about, for a notebook to show.
    """

    title: str
    code: str
    figures: tuple[str, ...] = ()


def literal(value: Any) -> str:
    r"""Return a value as Python reads it.

    Parameters
    ----------
    value : object
        Text, numbers, None, and sequences, mappings and records of such.

    Examples
    --------
    >>> literal("it's"), literal(float("inf")), literal((1,)), literal({"a": [0.5]})
    ('"it\'s"', 'float("inf")', '(1,)', "{'a': [0.5]}")
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(literal, value))
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside}{',' * (len(value) == 1)})"
    return repr(value)


def call(function: str, /, *arguments: str, **keywords: str) -> str:
    """Return a call with code for its arguments, on lines of their own where it is long.

    Examples
    --------
    >>> call("lincore.split", "data", seed="0")
    'lincore.split(data, seed=0)'
    """
    parts = [*arguments, *(f"{key}={code}" for key, code in keywords.items())]
    line = f"{function}({', '.join(parts)})"
    if len(line) <= _WIDTH:
        return line
    inside = "".join(f"    {part.replace(chr(10), chr(10) + '    ')},\n" for part in parts)
    return f"{function}(\n{inside})"


def record(name: str, value: Any, records: Mapping[type, str]) -> str:
    """Return the call that makes a record: with those fields that are not as by default.

    Parameters
    ----------
    name : str
        The class as a script names it.
    value : dataclass or named tuple
    records : mapping of type to str
        Further classes that may stand in its fields, and their names.
    """
    return call(name, **changed(value, records))


def changed(value: Any, records: Mapping[type, str]) -> dict[str, str]:
    """Return the fields of a record that are not as by default, as code."""
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
