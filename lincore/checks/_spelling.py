"""Detection of misspelt variants of one word."""

from __future__ import annotations

import os

# Shorter words are similar to too many others.
_LEAST_LETTERS = 5


def is_misspelling(typed: str, meant: str) -> bool:
    """Return whether two texts differ by one inserted, missing, wrong or swapped letter."""
    # The letter must belong to a word of at least five letters: texts that differ by a digit or a
    # single letter, such as "type A" and "type B", are not misspelt.
    if typed == meant or abs(len(typed) - len(meant)) > 1:
        return False
    start = len(os.path.commonprefix([typed, meant]))
    end = len(os.path.commonprefix([typed[start:][::-1], meant[start:][::-1]]))
    odd, right = typed[start : len(typed) - end], meant[start : len(meant) - end]
    swapped = len(odd) == len(right) == 2 and odd == right[::-1]
    if not (swapped or max(len(odd), len(right)) == 1) or not (odd + right).isalpha():
        return False
    return min(_word_around(typed, start), _word_around(meant, start)) >= _LEAST_LETTERS


def _word_around(text: str, position: int) -> int:
    """Return the number of letters of the word at a position of a text."""
    letters = "".join({letter for letter in text if letter.isalpha()})
    before, behind = text[:position], text[position:]
    outside = len(before.rstrip(letters)) + len(behind.lstrip(letters))
    return len(text) - outside
