"""Score functions as spreadsheet formulas, for Excel of any age and LibreOffice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from lincore.errors import DataError
from lincore.export.models.literals import (
    less,
    linear_terms,
    number,
    refuse_large,
    signed_sum,
)
from lincore.export.models.score_functions import Input, ScoreFunction, ScoreFunctions
from lincore.limits import LIMITS

# Excel takes 8,192 characters, and cells up to column XFD.
_MOST_CHARACTERS = 8_000
_MOST_COLUMNS = 16_384
MOST_TERMS = 100_000
# Above this length helper cells make a formula shorter and readable.
_INLINE = 2_000
# CHOOSE takes so many values, and other functions so many arguments.
_MOST_CLASSES = 254
_ARGUMENTS = 100
# Terms in a cell, where a sum needs several.
_TOGETHER = 100
_CONTROL = re.compile(r"([\x00-\x1f])")
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")


class FormulaCell(NamedTuple):
    """A formula, and where it stands.

    Attributes
    ----------
    column : str
        Letters, such as "F".
    heading : str
        What stands above it.
    formula : str
        With its equals sign; filled down it serves every row.
    kind : {"helper", "score", "probability", "label"}
    """

    column: str
    heading: str
    formula: str
    kind: str


def to_spreadsheet(
    functions: ScoreFunctions, header: Sequence[str] | None = None, row: int = 2
) -> tuple[FormulaCell, ...]:
    """Return score functions as formulas of the cells of one row.

    Parameters
    ----------
    functions : ScoreFunctions
    header : sequence of str, optional
        The names above the columns A, B, ... of the sheet, in any order and with others among
        them; by default the columns of the model.
    row : int, default 2
        The row of the cells that the formulas read.

    Returns
    -------
    tuple of FormulaCell
        For the columns right of the sheet's own: helper cells where a formula would be too long,
        a score for each class, its probability where the model has one, and the predicted class.

    Raises
    ------
    DataError
        When a column is missing, or the model is too large for a sheet.

    Examples
    --------
    >>> import lincore
    >>> model = lincore.compare(lincore.sample("iris"), "lda", keep_models=True).model("lda")
    >>> cells = to_spreadsheet(lincore.export.score_functions(model))
    >>> [(cell.column, cell.heading) for cell in cells][-2:]
    [('J', 'P(virginica)'), ('K', 'predicted')]
    >>> cells[-1].formula
    '=CHOOSE(MATCH(MAX(E2:G2),E2:G2,0),"setosa","versicolor","virginica")'
    """
    refuse_large(functions, MOST_TERMS, "spreadsheet")
    if len(functions.classes) > _MOST_CLASSES:
        raise DataError(
            f"The model has {len(functions.classes)} classes; a formula allows {_MOST_CLASSES}.",
            where=functions.label,
            remedy="Export it as JSON, Python or a model file.",
        )
    names = list(functions.columns if header is None else header)
    missing = [name for name in functions.columns if name not in names]
    if missing:
        raise DataError(
            f"Missing: {', '.join(map(repr, missing[:5]))}.",
            where="header of the sheet",
            remedy="Name every column of the model.",
        )
    sheet = _Sheet(names, row)
    scores = _add_scores(sheet, functions)
    if functions.link == "votes":
        scores = _add_votes(sheet, functions, scores)
    every = f"{scores[0]}:{scores[-1]}"
    if functions.has_probabilities:
        for cell, label in zip(scores, functions.value_names, strict=True):
            sheet.add(
                label,
                f"EXP({cell}-MAX({every}))/SUMPRODUCT(EXP({every}-MAX({every})))",
                "probability",
            )
    labels = ",".join(
        string(label) if isinstance(label, str) else str(label) for label in functions.classes
    )
    sheet.add("predicted", f"CHOOSE(MATCH(MAX({every}),{every},0),{labels})", "label")
    return tuple(sheet.cells)


def string(text: str) -> str:
    r"""Return a text as a formula writes it; control characters by their numbers."""
    # Excel reads _x0041_ as a letter, in a formula of a file too.
    halves = _ESCAPE.split(text)
    marked = [half if place == len(halves) - 1 else f"{half}_" for place, half in enumerate(halves)]
    parts = [part for half in marked for part in _CONTROL.split(half) if part] or [""]
    doubled = [
        f"CHAR({ord(part)})" if _CONTROL.fullmatch(part) else '"' + part.replace('"', '""') + '"'
        for part in parts
    ]
    return "&".join(doubled)


def letters(place: int) -> str:
    """Return the letters of a column, counted from zero."""
    found = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        found = chr(ord("A") + rest) + found
    return found


class _Sheet:
    """A row of a sheet that is filled with formulas, from left to right.

    Parameters
    ----------
    header : list of str
    row : int
    """

    def __init__(self, header: list[str], row: int) -> None:
        self.width, self.row = len(header), row
        self.places = {name: place for place, name in reversed(list(enumerate(header)))}
        self.cells: list[FormulaCell] = []

    def add(self, heading: str, formula: str, kind: str) -> str:
        """Put a formula into the next cell; return the cell's name."""
        place = self.width + len(self.cells)
        if len(formula) > _MOST_CHARACTERS or place >= _MOST_COLUMNS:
            raise DataError(
                "A formula would be too long, or a row too wide, for a spreadsheet.",
                where=heading,
                remedy="Choose fewer columns or levels, or export the model as Python or SQL.",
            )
        self.cells.append(FormulaCell(letters(place), heading, f"={formula}", kind))
        return f"{letters(place)}{self.row}"

    def add_sum(
        self, heading: str, constant: float, terms: list[tuple[float, str]], kind: str
    ) -> str:
        """Put a sum into a cell, parts of it into others before it where it is too long."""
        while len(formula := signed_sum(constant, terms, _number)) > _MOST_CHARACTERS:
            half = max(1, len(terms) // 2)
            while len(signed_sum(0.0, terms[:half], _number)) > _MOST_CHARACTERS and half > 1:
                half //= 2
            part = self.add(f"part of {heading}", signed_sum(0.0, terms[:half], _number), "helper")
            terms = [*terms[half:], (1.0, part)]
        return self.add(heading, formula, kind)

    def input(self, one: Input) -> str:
        """Return the formula of an input."""
        cell = f"{letters(self.places[one.column])}{self.row}"
        if one.kind == "number":
            fill = "NA()" if one.fill is None else _number(one.fill)
            return f'IF({cell}="",{fill},{cell})'
        if one.kind == "missing":
            return f'IF({cell}="",1,0)'
        inside, outside = (0, 1) if one.is_complement else (1, 0)
        found = _any([same for level in one.levels for same in _same(cell, level, one)])
        known = f"IF({found},{inside},{outside})" if found else str(outside)
        return f'IF({cell}="",{int(one.counts_missing)},{known})'


def _add_scores(sheet: _Sheet, functions: ScoreFunctions) -> list[str]:
    """Add the functions, with their inputs in cells of their own where that is shorter."""
    headings = [f"score {label}" for label in functions.classes]
    if functions.pairs:
        headings = [
            f"{functions.classes[second]} against {functions.classes[first]}"
            for first, second in functions.pairs
        ]
    elif not functions.has_probabilities:
        headings = list(functions.value_names)
    origin = functions.origin.tolist()
    inputs = [
        f"({less(sheet.input(one), value, _number)})"
        for one, value in zip(functions.inputs, origin, strict=True)
    ]
    whole = [_terms(one, inputs) for one in functions.functions]
    if max(_length(terms) for terms in whole) > _INLINE:
        inputs = [
            sheet.add(f"input {one.column}", inner.removeprefix("(").removesuffix(")"), "helper")
            for one, inner in zip(functions.inputs, inputs, strict=True)
        ]
        whole = [
            _in_cells(sheet, one, inputs, heading)
            for one, heading in zip(functions.functions, headings, strict=True)
        ]
    kind = "helper" if functions.pairs else "score"
    # Side by side: the largest is looked for in their range. Parts stand before all of them.
    short = [
        _shortened(sheet, terms, heading) for terms, heading in zip(whole, headings, strict=True)
    ]
    return [
        sheet.add_sum(heading, one.constant, terms, kind)
        for heading, one, terms in zip(headings, functions.functions, short, strict=True)
    ]


def _length(terms: Sequence[tuple[float, str]]) -> int:
    """Return about how long a sum of terms is."""
    return sum(len(name) + 25 for _, name in terms)


def _terms(one: ScoreFunction, inputs: Sequence[str]) -> list[tuple[float, str]]:
    terms = linear_terms(one.linear, inputs)
    for weight, direction, shift in zip(
        one.weight.tolist(), one.directions, one.shift.tolist(), strict=True
    ):
        terms.append(
            (weight, f"({signed_sum(-shift, linear_terms(direction, inputs), _number)})^2")
        )
    return terms


def _in_cells(
    sheet: _Sheet, one: ScoreFunction, inputs: Sequence[str], heading: str
) -> list[tuple[float, str]]:
    """Return the terms of a function, each square's root in a cell where they are long."""
    terms = _terms(one, inputs)
    if _length(terms) <= _INLINE:
        return terms
    terms = linear_terms(one.linear, inputs)
    squares = zip(one.weight.tolist(), one.directions, one.shift.tolist(), strict=True)
    for r, (weight, direction, shift) in enumerate(squares, start=1):
        cell = sheet.add_sum(
            f"coordinate {r} of {heading}", -shift, linear_terms(direction, inputs), "helper"
        )
        terms.append((weight, f"{cell}^2"))
    return terms


def _shortened(
    sheet: _Sheet, terms: list[tuple[float, str]], heading: str
) -> list[tuple[float, str]]:
    """Return few terms: where they are too many, cells that hold sums of them."""
    if len(signed_sum(0.0, terms, _number)) <= _MOST_CHARACTERS:
        return terms
    parts: list[tuple[float, str]] = []
    for start in range(0, len(terms), _TOGETHER):
        part = sheet.add(
            f"part of {heading}",
            signed_sum(0.0, terms[start : start + _TOGETHER], _number),
            "helper",
        )
        parts.append((1.0, part))
    return parts


def _add_votes(sheet: _Sheet, functions: ScoreFunctions, margins: Sequence[str]) -> list[str]:
    """Add a score for each class: its votes and, squeezed below one half, their confidence."""
    sums = []
    for k, label in enumerate(functions.classes):
        signs = [
            (1.0 if second == k else -1.0, cell)
            for cell, (first, second) in zip(margins, functions.pairs, strict=True)
            if k in (first, second)
        ]
        sums.append((sheet.add_sum(f"confidence {label}", 0.0, signs, "helper"), signs))
    scores = []
    for (total, signs), label in zip(sums, functions.value_names, strict=True):
        votes = [(1.0, f"IF({cell}>0,{int(sign > 0)},{int(sign < 0)})") for sign, cell in signs]
        squeezed = f"{total}/3/(ABS({total})+1)"
        scores.append(sheet.add_sum(label, 0.0, [*votes, (1.0, squeezed)], "score"))
    return scores


def _same(cell: str, level: str, one: Input) -> list[str]:
    """Return the ways in which a cell holds a level: as text, number or truth value."""
    spelled = f'{cell}&""'
    if one.has_cut_levels:
        most = LIMITS.max_label_chars
        spelled = f"IF(LEN({cell})>{most},LEFT({cell},{most - 1})&UNICHAR(8230),{spelled})"
    found = [f"EXACT({spelled},{string(level)})"]
    if level in ("True", "False"):
        found.append(f"{cell}={level.upper()}")
    # What a number looks like as text depends on the country of the program.
    elif re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", level):
        found.append(f"{cell}={level}")
    return found


def _any(conditions: Sequence[str]) -> str:
    if len(conditions) <= 1:
        return "".join(conditions)
    groups = [conditions[i : i + _ARGUMENTS] for i in range(0, len(conditions), _ARGUMENTS)]
    joined = [f"OR({','.join(group)})" for group in groups]
    return joined[0] if len(joined) == 1 else f"OR({','.join(joined)})"


def _number(value: float) -> str:
    return number(value).upper()
