"""Textual specifications of methods, such as "logistic(C=inf, solver=newton)"."""

from __future__ import annotations

import ast
import re
from typing import Any

_SPEC = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_WORDS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}


def parse_spec(text: str) -> tuple[str, dict[str, Any]]:
    """Parse a specification.

    Values are Python numbers, True, False, None, lists, mappings, and inf; everything else is a
    string.

    Parameters
    ----------
    text : str
        A name, optionally with options in parentheses: ``name(option=value, ...)``.

    Returns
    -------
    word : str
    options : dict

    Raises
    ------
    ValueError
        If the text is not a name with options in parentheses.

    Examples
    --------
    >>> parse_spec("logistic(C=inf, solver=newton-cg)")
    ('logistic', {'C': inf, 'solver': 'newton-cg'})
    """
    match = _SPEC.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is neither a name nor a name with (option=value, ...).")
    options = {}
    for piece in split_specs(match[2] or ""):
        name, equals, value = piece.partition("=")
        if not equals or not name.strip().isidentifier():
            raise ValueError(f"{piece!r} in {text!r} is not of the form option=value.")
        options[name.strip()] = _value(value.strip())
    return match[1], options


def format_spec(word: str, options: dict[str, Any]) -> str:
    """Format a specification; the inverse of `parse_spec`.

    Parameters
    ----------
    word : str
        Name of a classifier, such as "lda".
    options : dict
        Options by name.

    Examples
    --------
    >>> format_spec("lda", {"shrinkage": 0.1}), format_spec("lda", {})
    ('lda(shrinkage=0.1)', 'lda')
    """
    if not options:
        return word
    return f"{word}({', '.join(f'{name}={value}' for name, value in options.items())})"


def split_specs(text: str) -> list[str]:
    """Split a list of specifications at commas outside parentheses.

    Parameters
    ----------
    text : str
        Such as "lda, logistic(C=inf, solver=newton)".

    Returns
    -------
    list of str

    Examples
    --------
    >>> split_specs("lda, logistic(C=inf, solver=newton)")
    ['lda', 'logistic(C=inf, solver=newton)']
    """
    pieces, depth, begin = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            pieces.append(text[begin:i])
            begin = i + 1
    pieces.append(text[begin:])
    return [piece.strip() for piece in pieces if piece.strip()]


def _value(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
