"""Score functions as spreadsheet formulas, for any version of Excel and LibreOffice."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from lincore.errors import DataError
from lincore.export.models.literals import (
    linear_terms,
    number,
    refuse_large,
    signed_sum,
    subtraction,
)
from lincore.export.models.score_functions import Input, ScoreFunction, ScoreFunctions
from lincore.limits import LIMITS
from lincore.utils.spreadsheet import spreadsheet_safe

# Excel allows 8,192 characters per formula, and columns up to XFD.
_MOST_CHARACTERS = 8_000
_MOST_COLUMNS = 16_384
MOST_TERMS = 100_000
# Longer formulas are made readable by helper cells.
_INLINE = 2_000
# Maximum number of values of CHOOSE and of arguments of other functions.
_MOST_CLASSES = 254
_ARGUMENTS = 100
# Terms per cell if a sum needs several cells.
_TOGETHER = 100
_CONTROL = re.compile(r"([\x00-\x1f])")
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")


class FormulaCell(NamedTuple):
    """A formula and its position.

    Attributes
    ----------
    column : str
        Letters, such as "F".
    heading : str
        Heading of the column.
    formula : str
        Including the equals sign; it can be filled down for all rows.
    kind : {"helper", "score", "probability", "cost", "label"}
    """

    column: str
    heading: str
    formula: str
    kind: str


def to_spreadsheet(
    functions: ScoreFunctions, header: Sequence[str] | None = None, row: int = 2
) -> tuple[FormulaCell, ...]:
    """Return score functions as formulas for one row of a sheet.

    Parameters
    ----------
    functions : ScoreFunctions
    header : sequence of str, optional
        Headings of the columns A, B, ... of the sheet, in any order and possibly with others.
        Default: the columns of the model.
    row : int, default 2
        Row to which the formulas refer.

    Returns
    -------
    tuple of FormulaCell
        For the columns to the right: helper cells for long formulas, a score per class,
        probabilities if the model has them, and the predicted class: empty if the model abstains.

    Raises
    ------
    DataError
        If a column is missing, or the model is too large for a sheet.

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
    refuse_large(functions, MOST_TERMS, "spreadsheet", _MOST_CLASSES)
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
    cell_range = f"{scores[0]}:{scores[-1]}"
    posteriors = []
    if functions.has_probabilities:
        posteriors = [
            sheet.add(
                label,
                f"EXP({cell}-MAX({cell_range}))/SUMPRODUCT(EXP({cell_range}-MAX({cell_range})))",
                "probability",
            )
            for cell, label in zip(scores, functions.value_names, strict=True)
        ]
    labels = [
        string(label) if isinstance(label, str) else str(label) for label in functions.classes
    ]
    decided = f"CHOOSE(MATCH(MAX({cell_range}),{cell_range},0),{','.join(labels)})"
    if (point := functions.operating_point) is not None and point.costs is not None:
        costs = [
            sheet.add_sum(
                f"cost of {label}", 0.0, list(zip(column, posteriors, strict=True)), "cost"
            )
            for column, label in zip(zip(*point.costs, strict=True), functions.classes, strict=True)
        ]
        cell_range = f"{costs[0]}:{costs[-1]}"
        decided = f"CHOOSE(MATCH(MIN({cell_range}),{cell_range},0),{','.join(labels)})"
    elif point is not None:
        condition = f"{posteriors[point.code]}>={_number(point.threshold or 0.0)}"
        decided = f"IF({condition},{labels[point.code]},{labels[1 - point.code]})"
    if functions.abstains_below is not None:
        largest = f"MAX({posteriors[0]}:{posteriors[-1]})"
        decided = f'IF({largest}<{_number(functions.abstains_below)},"",{decided})'
    sheet.add("predicted", decided, "label")
    return tuple(sheet.cells)


def string(text: str) -> str:
    r"""Return a text as a formula literal, with control characters as codes."""
    # Excel reads _x0041_ as a letter, even in a formula.
    *starts, end = _ESCAPE.split(text)
    pieces = [*(f"{start}_" for start in starts), end]
    pieces = [part for piece in pieces for part in _CONTROL.split(piece) if part] or [""]
    return "&".join(
        f"CHAR({ord(piece)})" if _CONTROL.fullmatch(piece) else '"' + piece.replace('"', '""') + '"'
        for piece in pieces
    )


def letters(position: int) -> str:
    """Return the letters of a column by position, from zero."""
    name = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def to_tab_separated(functions: ScoreFunctions, row: pd.DataFrame) -> str:
    r"""Return column names, one row, and the formulas that predict it, separated by tabs.

    To be pasted into cell A1 of a sheet. Names and texts of the data cannot act as formulas.

    Parameters
    ----------
    functions : ScoreFunctions
    row : DataFrame of one row
        A row with the columns of the model.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    >>> functions = lincore.export.score_functions(model)
    >>> lines = to_tab_separated(functions, iris.to_frame().iloc[:1, :-1]).splitlines()
    >>> lines[0].split("\t")[-1], lines[1].split("\t")[0]
    ('predicted', '5.1')
    """
    cells = to_spreadsheet(functions, [str(name) for name in row.columns])
    values = ["" if pd.isna(value) else value for value in row.iloc[0]]
    lines = (
        [*map(spreadsheet_safe, row.columns), *(spreadsheet_safe(cell.heading) for cell in cells)],
        [*map(spreadsheet_safe, values), *(cell.formula for cell in cells)],
    )
    file = io.StringIO()
    csv.writer(file, delimiter="\t").writerows(lines)
    return file.getvalue()


class _Sheet:
    """A row of a sheet to which formulas are added from left to right."""

    def __init__(self, header: list[str], row: int) -> None:
        self.width, self.row = len(header), row
        self.positions = {name: position for position, name in reversed(list(enumerate(header)))}
        self.cells: list[FormulaCell] = []

    def add(self, heading: str, formula: str, kind: str) -> str:
        """Add a formula in the next cell; return the cell's name."""
        position = self.width + len(self.cells)
        if len(formula) > _MOST_CHARACTERS or position >= _MOST_COLUMNS:
            raise DataError(
                "A formula would be too long, or a row too wide, for a spreadsheet.",
                where=heading,
                remedy="Choose fewer columns or levels, or export the model as Python or SQL.",
            )
        self.cells.append(FormulaCell(letters(position), heading, f"={formula}", kind))
        return f"{letters(position)}{self.row}"

    def add_sum(
        self, heading: str, constant: float, terms: list[tuple[float, str]], kind: str
    ) -> str:
        """Add a sum in a cell, with parts in helper cells if it is too long."""
        while len(formula := signed_sum(constant, terms, _number)) > _MOST_CHARACTERS:
            half = max(1, len(terms) // 2)
            while len(signed_sum(0.0, terms[:half], _number)) > _MOST_CHARACTERS and half > 1:
                half //= 2
            cell = self.add(f"part of {heading}", signed_sum(0.0, terms[:half], _number), "helper")
            terms = [*terms[half:], (1.0, cell)]
        return self.add(heading, formula, kind)

    def input(self, source: Input) -> str:
        """Return the formula of an input."""
        cell = f"{letters(self.positions[source.column])}{self.row}"
        if source.kind == "number":
            fill = "NA()" if source.fill is None else _number(source.fill)
            return f'IF({cell}="",{fill},{cell})'
        if source.kind == "missing":
            return f'IF({cell}="",1,0)'
        inside, outside = (0, 1) if source.is_complement else (1, 0)
        condition = _any_of(
            [equal for level in source.levels for equal in _level_conditions(cell, level, source)]
        )
        known = f"IF({condition},{inside},{outside})" if condition else str(outside)
        return f'IF({cell}="",{int(source.counts_missing)},{known})'


def _add_scores(sheet: _Sheet, functions: ScoreFunctions) -> list[str]:
    """Add the functions, with their inputs in separate cells if that is shorter."""
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
        f"({subtraction(sheet.input(source), value, _number)})"
        for source, value in zip(functions.inputs, origin, strict=True)
    ]
    all_terms = [_terms(function, inputs) for function in functions.functions]
    if max(_length(terms) for terms in all_terms) > _INLINE:
        inputs = [
            sheet.add(f"input {source.column}", inner.removeprefix("(").removesuffix(")"), "helper")
            for source, inner in zip(functions.inputs, inputs, strict=True)
        ]
        all_terms = [
            _terms_in_cells(sheet, function, inputs, heading)
            for function, heading in zip(functions.functions, headings, strict=True)
        ]
    kind = "helper" if functions.pairs else "score"
    # The scores are adjacent, because MAX uses their range; helper cells come before them.
    shortened = [
        _shorten(sheet, terms, heading) for terms, heading in zip(all_terms, headings, strict=True)
    ]
    return [
        sheet.add_sum(heading, function.constant, terms, kind)
        for heading, function, terms in zip(headings, functions.functions, shortened, strict=True)
    ]


def _length(terms: Sequence[tuple[float, str]]) -> int:
    """Estimate the length of a sum of terms."""
    return sum(len(name) + 25 for _, name in terms)


def _terms(function: ScoreFunction, inputs: Sequence[str]) -> list[tuple[float, str]]:
    terms = linear_terms(function.linear, inputs)
    for weight, direction, shift in zip(
        function.weight.tolist(), function.directions, function.shift.tolist(), strict=True
    ):
        terms.append(
            (weight, f"({signed_sum(-shift, linear_terms(direction, inputs), _number)})^2")
        )
    return terms


def _terms_in_cells(
    sheet: _Sheet, function: ScoreFunction, inputs: Sequence[str], heading: str
) -> list[tuple[float, str]]:
    """Return the terms of a function, with helper cells for long squares."""
    terms = _terms(function, inputs)
    if _length(terms) <= _INLINE:
        return terms
    terms = linear_terms(function.linear, inputs)
    squares = zip(
        function.weight.tolist(), function.directions, function.shift.tolist(), strict=True
    )
    for r, (weight, direction, shift) in enumerate(squares, start=1):
        cell = sheet.add_sum(
            f"coordinate {r} of {heading}", -shift, linear_terms(direction, inputs), "helper"
        )
        terms.append((weight, f"{cell}^2"))
    return terms


def _shorten(
    sheet: _Sheet, terms: list[tuple[float, str]], heading: str
) -> list[tuple[float, str]]:
    """Return the terms; if there are too many, replace them by helper cells with partial sums."""
    if len(signed_sum(0.0, terms, _number)) <= _MOST_CHARACTERS:
        return terms
    sums: list[tuple[float, str]] = []
    for start in range(0, len(terms), _TOGETHER):
        cell = sheet.add(
            f"part of {heading}",
            signed_sum(0.0, terms[start : start + _TOGETHER], _number),
            "helper",
        )
        sums.append((1.0, cell))
    return sums


def _add_votes(sheet: _Sheet, functions: ScoreFunctions, margins: Sequence[str]) -> list[str]:
    """Add a score per class: its votes plus their confidence, scaled to below one half."""
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


def _level_conditions(cell: str, level: str, source: Input) -> list[str]:
    """Return conditions that a cell contains a level as text, number or Boolean."""
    text = f'{cell}&""'
    if source.has_cut_levels:
        most = LIMITS.max_label_chars
        text = f"IF(LEN({cell})>{most},LEFT({cell},{most - 1})&UNICHAR(8230),{text})"
    conditions = [f"EXACT({text},{string(level)})"]
    if level in ("True", "False"):
        conditions.append(f"{cell}={level.upper()}")
    # The text of a number depends on the locale.
    elif re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", level):
        conditions.append(f"{cell}={level}")
    return conditions


def _any_of(conditions: Sequence[str]) -> str:
    if len(conditions) <= 1:
        return "".join(conditions)
    groups = [conditions[i : i + _ARGUMENTS] for i in range(0, len(conditions), _ARGUMENTS)]
    joined = [f"OR({','.join(group)})" for group in groups]
    return joined[0] if len(joined) == 1 else f"OR({','.join(joined)})"


def _number(value: float) -> str:
    return number(value).upper()
