"""Spreadsheet formulas, evaluated by a library, against the pipeline."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from dataclasses import replace

import numpy as np
import openpyxl
import pandas as pd
import pytest

import lincore
from lincore import DataError
from lincore.export import Input, ScoreFunction, score_functions, to_spreadsheet
from tests.lincore.export.models.cases import FEW, Case, without_fills

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import formulas

ROWS = 2


def evaluated(functions, rows: pd.DataFrame, path) -> dict[str, object]:
    """Write rows and their formulas as a sheet; return its values by the names of their cells."""
    book = openpyxl.Workbook()
    sheet, names = book.active, list(rows.columns)
    sheet.title = "Predict"
    for row, values in enumerate(rows.astype(object).to_numpy().tolist(), start=2):
        for column, value in enumerate(values, start=1):
            if value is not None and value == value:
                cell = sheet.cell(row, column, value)
                cell.data_type = "s" if isinstance(value, str) else cell.data_type
        for cell in to_spreadsheet(functions, names, row):
            sheet[f"{cell.column}{row}"] = cell.formula
    book.save(path)
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        found = formulas.ExcelModel().loads(str(path)).finish().calculate()
    marks = {key: re.fullmatch(r"'\[.*\]PREDICT'!([A-Z]+[0-9]+)", key) for key in map(str, found)}
    return {mark[1]: found[key].value[0, 0] for key, mark in marks.items() if mark}


@pytest.mark.parametrize("case", FEW, ids=str)
def test_the_sheet_predicts_as_the_pipeline(case, tmp_path):
    rows = case.rows.head(ROWS)
    values = evaluated(case.functions, rows, tmp_path / "model.xlsx")
    cells = to_spreadsheet(case.functions, list(rows.columns))
    kind = "probability" if case.functions.has_probabilities else "score"
    columns = [cell.column for cell in cells if cell.kind == kind]
    found = [[values[f"{column}{row}"] for column in columns] for row in range(2, ROWS + 2)]
    np.testing.assert_allclose(
        np.array(found, dtype=float), case.expected[:ROWS], rtol=1e-9, atol=1e-9
    )
    labels = [values[f"{cells[-1].column}{row}"] for row in range(2, ROWS + 2)]
    assert labels == case.labels[:ROWS]


@pytest.mark.parametrize("case", [Case("passengers", "lda"), Case("gaussian", "qda")], ids=str)
def test_a_sheet_abstains_as_the_model(case, tmp_path):
    model, rows = case.model.abstaining(0.1), case.rows.head(12)
    expected = [None if one != one else one for one in model.predict(rows)]
    assert 0 < expected.count(None) < len(rows)
    functions = score_functions(model)
    values = evaluated(functions, rows, tmp_path / "model.xlsx")
    column = to_spreadsheet(functions, list(rows.columns))[-1].column
    labels = [values[f"{column}{row}"] or None for row in range(2, len(rows) + 2)]
    assert labels == expected


def test_a_sheet_may_have_other_columns_in_another_order(tmp_path):
    case = Case("passengers", "lda")
    rows = case.rows.head(1).assign(note="=1+1")
    rows = rows[rows.columns[::-1]]
    values = evaluated(case.functions, rows, tmp_path / "model.xlsx")
    cells = to_spreadsheet(case.functions, list(rows.columns))
    assert values[f"{cells[-1].column}2"] == case.labels[0]
    assert values["A2"] == "=1+1"
    with pytest.raises(DataError, match="'sex'"):
        to_spreadsheet(case.functions, ["age", "fare"])


def test_a_gap_that_the_model_does_not_take_predicts_nothing(tmp_path):
    case = Case("iris", "lda")
    rows = case.rows.head(1).astype(object)
    rows.iloc[0, 0] = None
    values = evaluated(without_fills(case.functions), rows, tmp_path / "model.xlsx")
    cells = to_spreadsheet(case.functions)
    assert str(values[f"{cells[-1].column}2"]) == "#N/A"


def linear(q: int):
    """Return functions of many columns, each of which adds 1e-4, 0 or -1e-4."""
    return replace(
        Case("iris", "lda").functions,
        columns=tuple(f"c{i}" for i in range(q)),
        inputs=tuple(Input(f"c{i}", fill=2.0) for i in range(q)),
        origin=np.ones(q),
        functions=tuple(ScoreFunction.affine(0.5, np.full(q, a)) for a in (-1e-4, 0.0, 1e-4)),
    )


def test_sums_that_are_too_long_for_a_cell_are_cut(tmp_path, monkeypatch):
    monkeypatch.setattr("lincore.export.models.spreadsheet._MOST_CHARACTERS", 200)
    monkeypatch.setattr("lincore.export.models.spreadsheet._INLINE", 50)
    monkeypatch.setattr("lincore.export.models.spreadsheet._TOGETHER", 5)
    cells = to_spreadsheet(linear(20))
    assert max(len(cell.formula) for cell in cells) <= 201
    rows = pd.DataFrame([[3.0, None] * 10], columns=linear(20).columns)
    values = evaluated(linear(20), rows, tmp_path / "model.xlsx")
    exps = np.exp(np.array([-1, 0, 1]) * 1e-4 * 10 * 3)
    found = [values[f"{cell.column}2"] for cell in cells if cell.kind == "probability"]
    np.testing.assert_allclose(np.array(found, float), exps / exps.sum(), rtol=1e-9)


def test_no_formula_is_longer_than_a_sheet_takes():
    assert max(len(cell.formula) for cell in to_spreadsheet(linear(800))) <= 8_192
    with pytest.raises(DataError, match="too long"):
        to_spreadsheet(linear(9_000))
    with pytest.raises(DataError, match="100,000"):
        to_spreadsheet(linear(60_000))


@pytest.mark.parametrize("threshold", [0.1, 0.6, None])
def test_the_sheet_decides_at_the_operating_point(threshold, tmp_path):
    data = lincore.sample("passengers" if threshold else "gaussian")
    costs = None if threshold else [[0, 1, 2], [4, 0, 1], [6, 0.5, 0]]
    model = lincore.fit(data, "lda").at(threshold, costs=costs).fitted_model
    rows = data.to_frame().iloc[:4, :-1]
    functions = lincore.export.score_functions(model)
    values = evaluated(functions, rows, tmp_path / "model.xlsx")
    last = to_spreadsheet(functions, list(rows.columns))[-1].column
    assert [values[f"{last}{row}"] for row in range(2, 6)] == model.predict(rows).tolist()
