"""Numbers and lists as text, formatted alike in figures, sentences, tables and on pages."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

#: Maximum length of a name in a sentence: a headline with two such names has two lines.
NAME_WIDTH = 36


def percent(share: float, digits: int = 1, *, signed: bool = False) -> str:
    """Return a share as a percentage, with one decimal by default.

    Parameters
    ----------
    share : float
        1 is written as 100 %.
    digits : int
        Decimals.
    signed : bool
        Whether to write a plus sign before positive values.

    Examples
    --------
    >>> percent(0.8767), percent(1.0), percent(0.8767, 0), percent(-0.02), percent(1.5, signed=True)
    ('87.7 %', '100.0 %', '88 %', '−2.0 %', '+150.0 %')
    """
    return f"{points(share, digits, signed=signed)} %"


def percent_of(count: int, total: int) -> str:
    """Return a share of a total, with a second decimal if it is close to 0 or 100 %.

    Examples
    --------
    >>> percent_of(1, 4), percent_of(1, 3000), percent_of(2999, 3000), percent_of(3, 3)
    ('25.0 %', '0.03 %', '99.97 %', '100.0 %')
    """
    share = count / total
    return percent(share, 1 if count in (0, total) or 0.001 <= share <= 0.999 else 2)


def points(change: float, digits: int = 1, *, signed: bool = False) -> str:
    """Return a share, or a change of a share, in percentage points without the unit.

    Parameters
    ----------
    change : float
        0.01 is one point.
    digits, signed
        As for `percent`.

    Examples
    --------
    >>> points(0.021), points(-0.0301), points(-1e-9), points(0.021, 0, signed=True)
    ('2.1', '−3.0', '0.0', '+2')
    """
    return ("+" if signed and change > 0 else "") + _unsigned_zero(100 * change, digits)


def interval(low: float, high: float) -> str:
    """Format an interval of shares in per cent; empty if there is none.

    Parameters
    ----------
    low, high : float
        Shares, between 0 and 1; NaN if there is no interval.

    Examples
    --------
    >>> interval(0.835, 0.91), interval(float("nan"), 1.0)
    ('83.5–91.0', '')
    """
    return "" if math.isnan(low) or math.isnan(high) else f"{points(low)}–{points(high)}"


def number(value: float, as_percent: bool = False, *, signed: bool = False) -> str:
    """Return a value to three digits, or a share as a percentage."""
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else "infinite" if value > 0 else "−infinite"
    if as_percent:
        return percent(value, signed=signed)
    return ("+" if signed and value > 0 else "") + true_minus(f"{value:.3g}")


def decimals(value: float) -> str:
    """Return a loss or another number without a unit: three decimals, fewer from 1000 on.

    The log loss of a confident but wrong prediction is unbounded.
    """
    if math.isinf(value):
        return "infinite" if value > 0 else "−infinite"
    return true_minus(f"{value:.3g}") if abs(value) >= 1000 else _unsigned_zero(value, 3)


def p_value(p: float) -> str:
    """Format a p-value for a column named p; empty for NaN.

    Parameters
    ----------
    p : float
        Between 0 and 1, or NaN.

    Examples
    --------
    >>> p_value(0.0421), p_value(1e-9), p_value(1.0), p_value(float("nan"))
    ('0.042', '< 0.001', '1.000', '')
    """
    if math.isnan(p):
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """Format a p-value for a sentence.

    Parameters
    ----------
    p : float
        Between 0 and 1.

    Examples
    --------
    >>> p_equals(0.0421), p_equals(1e-9)
    ('p = 0.042', 'p < 0.001')
    """
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def seconds(duration: float, *, whole: bool = False) -> str:
    """Return a duration as text.

    Parameters
    ----------
    duration : float
        In seconds.
    whole : bool
        Whether to round to whole seconds.

    Examples
    --------
    >>> seconds(12.34), seconds(0.0456), seconds(12.34, whole=True)
    ('12.3 s', '46 ms', '12 s')
    """
    if whole:
        return f"{duration:.0f} s"
    return f"{duration:.1f} s" if duration >= 1 else f"{1000 * duration:.0f} ms"


def capital(text: str) -> str:
    """Return a text that begins with a capital."""
    return text[:1].upper() + text[1:]


def count(number: float, singular: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def part_of(number: int, total: int) -> str:
    """Return a part of a total: "3 of 1,200"."""
    return f"{number:,} of {total:,}"


def megabytes(n_bytes: int) -> str:
    """Return a size in megabytes: "12.3 MB"."""
    return f"{n_bytes / 1e6:.1f} MB"


def value_text(value: object) -> str:
    """Return a number as it would be typed, to six digits; other values as text."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def plain(text: object) -> str:
    """Return text on one line."""
    return " ".join(str(text).split())


def shorten(text: object, width: int = NAME_WIDTH) -> str:
    """Shorten text to a number of characters, with an ellipsis in the middle.

    Names of classes and columns often differ at their ends.

    Parameters
    ----------
    text : object
        Shown as ``str`` does.
    width : int
        Number of characters, at least 1; by default those of a name in a sentence.

    Examples
    --------
    >>> shorten("versicolor", 6)
    'ver…or'
    """
    line = plain(text)
    if len(line) <= width:
        return line
    end = (width - 1) // 2
    return f"{line[: width - 1 - end].rstrip()}…{line[len(line) - end :].lstrip()}"


def shorten_all(labels: Sequence[object], width: int = NAME_WIDTH) -> list[str]:
    """Shorten labels by their middle, or by common first words if the middle tells them apart.

    Parameters
    ----------
    labels : sequence of K objects
        Shown as ``str`` does.
    width : int
        Number of characters of each; by default those of a name in a sentence.

    Examples
    --------
    >>> shorten_all(["versicolor", "virginica"], 6), shorten_all(["pixel 10", "pixel 11"], 6)
    (['ver…or', 'vir…ca'], ['pix…10', 'pix…11'])
    >>> shorten_all(["the hall of 1 (north)", "the hall of 2 (north)"], 12)
    ['…1 (north)', '…2 (north)']
    """
    lines = [plain(label) for label in labels]
    by_middle = [shorten(line, width) for line in lines]
    by_start = [shorten(line, width) for line in _without_common_words(lines, width)]
    return by_start if len(set(by_start)) > len(set(by_middle)) else by_middle


def _without_common_words(lines: list[str], width: int) -> list[str]:
    """Replace the first words that all long lines share by an ellipsis."""
    common = os.path.commonprefix([line for line in lines if len(line) > width])
    cut = common.rfind(" ") + 1
    return [f"…{line[cut:]}" if cut > 1 and len(line) > width else line for line in lines]


def quoted_pair(first: object, second: object) -> tuple[str, str]:
    """Put two labels in quotes; long ones are shortened so that they stay distinct.

    Examples
    --------
    >>> quoted_pair(*(f"the hall of the building {i} in the north of town" for i in (1, 2)))
    ("'…1 in the north of town'", "'…2 in the north of town'")
    """
    short_first, short_second = shorten_all([first, second])
    return f"'{short_first}'", f"'{short_second}'"


def quoted(label: object) -> str:
    """Put a class label, or another of the user's names, in quotes; a long one is shortened.

    Examples
    --------
    >>> quoted("no"), quoted(1)
    ("'no'", "'1'")
    >>> quoted("a name that is longer than a sentence can bear")
    "'a name that is lon…sentence can bear'"
    """
    return f"'{shorten(label)}'"


def class_named(label: object) -> str:
    """Quote a class label, with the word "class" before it unless the label contains it.

    Examples
    --------
    >>> class_named(1), class_named("class 3"), class_named("classic")
    ("class '1'", "'class 3'", "class 'classic'")
    """
    has_word = str(label).lower().split()[:1] == ["class"]
    return quoted(label) if has_word else f"class {quoted(label)}"


def listed(words: Sequence[str], most: int | None = None) -> str:
    """Join words with commas and "and"; with `most`, only the first few.

    Parameters
    ----------
    words : sequence of str
    most : int, optional
        Number of words to name; the others are counted.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2), listed(["a"])
    ('a, b and c', 'a, b and 1 more', 'a')
    """
    shown = list(words[:most])
    if len(words) > len(shown):
        shown.append(f"{len(words) - len(shown)} more")
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def true_minus(text: str) -> str:
    """Replace the hyphen of a negative number by a minus sign; a hyphen can start a formula.

    Parameters
    ----------
    text : str
        The formatted number.

    Examples
    --------
    >>> true_minus("-0.5")
    '−0.5'
    """
    return text.replace("-", "−")


def _unsigned_zero(value: float, digits: int) -> str:
    return true_minus(f"{round(float(value), digits) + 0.0:.{digits}f}")  # no minus before a zero
