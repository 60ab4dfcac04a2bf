"""Python code from values: every name from a file is written as a literal."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from textwrap import indent
from typing import Any

import numpy as np

# Maximum length of a line of a script.
_WIDTH = 96


class Code(str):
    """A value that is written as an expression."""


def literal(value: Any) -> str:
    """Return a value as a Python literal."""
    if isinstance(value, Code):
        return value
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
    text = repr(value)
    if isinstance(value, str) and not any(mark in text for mark in '"\\'):
        return f'"{text[1:-1]}"'
    return text


def call(function: str, /, *arguments: str, **keywords: str) -> str:
    """Return code that calls a function, with one argument per line if the line is too long."""
    arguments = (*arguments, *(f"{key}={code}" for key, code in keywords.items()))
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return line
    inside = indent("".join(f"{code},\n" for code in arguments), "    ")
    return f"{function}(\n{inside})"
