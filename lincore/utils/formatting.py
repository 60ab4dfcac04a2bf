"""Numbers and lists as text, written alike in figures, sentences, tables and on pages."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percent(share: float, digits: int = 1, *, signed: bool = False) -> str:
    """Return a share as a percentage: with one decimal, whatever it is, unless it is rounded more.

    Parameters
    ----------
    share : float
        1 is written as 100 %.
    digits : int
        Decimals.
    signed : bool
        Whether a plus stands before what is above zero.

    Examples
    --------
    >>> percent(0.8767), percent(1.0), percent(0.8767, 0), percent(-0.02), percent(1.5, signed=True)
    ('87.7 %', '100.0 %', '88 %', '−2.0 %', '+150.0 %')
    """
    return f"{points(share, digits, signed=signed)} %"


def percent_of(count: int, total: int) -> str:
    """Return a share of a total, with one more digit where it would round to 0 or 100 %.

    Parameters
    ----------
    count, total : int

    Examples
    --------
    >>> percent_of(1, 4), percent_of(1, 3000), percent_of(2999, 3000), percent_of(3, 3)
    ('25.0 %', '0.03 %', '99.97 %', '100.0 %')
    """
    share = count / total
    return percent(share, 1 if count in (0, total) or 0.001 <= share <= 0.999 else 2)


def points(change: float, digits: int = 1, *, signed: bool = False) -> str:
    """Return a share, or a change of one, in hundredths, where the unit stands beside it.

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
    """Return the ends of an interval of shares in per cent, if there is one.

    Parameters
    ----------
    low, high : float
        Shares, between 0 and 1; NaN where there is no interval.

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
    """Return a loss or another number without a unit: three decimals, or short where it is huge.

    The log loss of a confident model that errs has no bound.
    """
    if math.isinf(value):
        return "infinite" if value > 0 else "−infinite"
    return true_minus(f"{value:.3g}") if abs(value) >= 1000 else _unsigned_zero(value, 3)


def p_value(p: float) -> str:
    """Return a p-value for a column called p, or an empty text without one.

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
    """Return a p-value for a sentence.

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


def seconds(duration: float) -> str:
    """Return a time that was taken.

    Parameters
    ----------
    duration : float
        In seconds.

    Examples
    --------
    >>> seconds(12.34), seconds(0.0456)
    ('12.3 s', '46 ms')
    """
    return f"{duration:.1f} s" if duration >= 1 else f"{1000 * duration:.0f} ms"


def count(number: float, singular: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def quoted(label: object) -> str:
    """Write the label of a class, or another name of the user's, in a sentence.

    Examples
    --------
    >>> quoted("no"), quoted(1)
    ("'no'", "'1'")
    """
    return f"'{label}'"


def class_named(label: object) -> str:
    """Write the label of a class with the word "class", unless the label has it.

    Examples
    --------
    >>> class_named(1), class_named("class 3"), class_named("classic")
    ("class '1'", "'class 3'", "class 'classic'")
    """
    first = str(label).split(maxsplit=1)[:1]
    has_word = [word.lower() for word in first] == ["class"]
    return quoted(label) if has_word else f"class {quoted(label)}"


def listed(words: Sequence[str], most: int | None = None) -> str:
    """Return words as a sentence lists them, at `most` the first few.

    Parameters
    ----------
    words : sequence of str
    most : int, optional
        Words that are named; the rest is counted.

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
    """Return a formatted number with a minus sign: a hyphen would begin a spreadsheet formula.

    Parameters
    ----------
    text : str
        Of a number.

    Examples
    --------
    >>> true_minus("-0.5")
    '−0.5'
    """
    return text.replace("-", "−")


def _unsigned_zero(value: float, digits: int) -> str:
    return true_minus(f"{round(float(value), digits) + 0.0:.{digits}f}")  # no minus before a zero
