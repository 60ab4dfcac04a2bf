"""Numbers and sums in the syntax of each target language."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence

from lincore.errors import DataError
from lincore.export.models.score_functions import ScoreFunctions
from lincore.utils.typing import Array

# Terms per pair of brackets: SQLite rejects expressions nested deeper than a thousand.
_TERMS_IN_BRACKETS = 50
Number = Callable[[float], str]


def number(value: float) -> str:
    """Return a number with up to 17 digits, enough to distinguish any two."""
    if not math.isfinite(value):
        raise DataError(
            f"A coefficient is {value}.",
            where="export as formulas",
            remedy="Fit the model with a penalty, shrinkage or smoothing.",
        )
    return repr(float(value))


def text(value: object) -> str:
    r"""Return a text in double quotes that is safe in JSON and a web page."""
    quoted = json.dumps(str(value), ensure_ascii=True)
    for letter in "<>&":
        quoted = quoted.replace(letter, f"\\u{ord(letter):04x}")
    return quoted


def heading(functions: ScoreFunctions) -> str:
    """Describe the model in one line of ASCII, for a comment at the top of the code."""
    data = f", fitted on {text(functions.data_name)}" if functions.data_name else ""
    *others, last = (text(label) for label in functions.classes[:20])
    n_classes = len(functions.classes)
    more = f" or one of {n_classes:,}" if n_classes > 20 else f" or {last}"
    line = f"Model {text(functions.label)}{data} by lincore: {', '.join(others)}{more}."
    if (point := functions.operating_point) is not None and point.costs is not None:
        line += " Predicted: the class of least expected cost."
    elif point is not None:
        label = text(functions.classes[point.code])
        line += f" Predicted: {label} if its posterior is at least {point.threshold!r}."
    return line


def abstention(functions: ScoreFunctions) -> str:
    """State when the model abstains."""
    if functions.abstains_below is None:
        return "The model does not abstain."
    return f"No class is predicted if the largest posterior is below {functions.abstains_below!r}."


def signed_sum(constant: float, terms: Iterable[tuple[float, str]], write: Number = number) -> str:
    """Return ``constant + Σ factor * name``, in brackets of few terms and without zeros."""
    parts = [_term(factor, name, write) for factor, name in terms if factor]
    if len(parts) <= _TERMS_IN_BRACKETS:
        return _joined(constant, parts, write)
    groups = [parts[i : i + _TERMS_IN_BRACKETS] for i in range(0, len(parts), _TERMS_IN_BRACKETS)]
    sums = [f"({_joined(0.0, group, write)})" for group in groups]
    while len(sums) > _TERMS_IN_BRACKETS:
        sums = [
            f"({' + '.join(sums[i : i + _TERMS_IN_BRACKETS])})"
            for i in range(0, len(sums), _TERMS_IN_BRACKETS)
        ]
    return " + ".join([write(constant), *sums])


def _term(factor: float, name: str, write: Number) -> str:
    # Keep the factor of a power: in a spreadsheet -a^2 is the square of -a.
    plain = abs(factor) == 1 and "^" not in name
    return f"{'-' if factor < 0 else '+'} {name if plain else f'{write(abs(factor))}*{name}'}"


def _joined(constant: float, parts: Sequence[str], write: Number) -> str:
    if constant or not parts:
        return " ".join([write(constant), *parts])
    first = parts[0].removeprefix("+ ")
    return " ".join([f"-{first[2:]}" if first.startswith("- ") else first, *parts[1:]])


def subtraction(name: str, value: float, write: Number = number) -> str:
    """Return ``name - value`` without consecutive signs."""
    if not value:
        return name
    return f"{name} {'-' if value > 0 else '+'} {write(abs(value))}"


def linear_terms(coefficients: Array, names: Sequence[str]) -> list[tuple[float, str]]:
    """Return the nonzero terms of a linear function."""
    return [
        (value, name) for value, name in zip(coefficients.tolist(), names, strict=True) if value
    ]


def refuse_large(
    functions: ScoreFunctions, most: int, language: str, most_classes: int | None = None
) -> None:
    """Raise an error for a model with more terms or classes than a language allows."""
    if functions.n_terms > most:
        raise DataError(
            f"The model has {functions.n_terms:,} coefficients; {language} export allows {most:,}.",
            where=functions.label,
            remedy="Use fewer columns or components, or save it with save_model.",
        )
    if most_classes is not None and len(functions.classes) > most_classes:
        raise DataError(
            f"The model has {len(functions.classes)} classes; {language} export allows "
            f"{most_classes}.",
            where=functions.label,
            remedy="Export it as JSON, Python or a model file.",
        )
