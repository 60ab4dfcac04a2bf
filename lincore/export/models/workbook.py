"""Score functions as an Excel workbook whose formulas predict the rows that stand in it."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd

from lincore.errors import DataError
from lincore.export.models.score_functions import ScoreFunctions
from lincore.export.models.spreadsheet import FormulaCell, letters, to_spreadsheet

#: Rows with formulas, and characters of all formulas together.
MOST_ROWS = 5_000
MOST_CHARACTERS = 50_000_000

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
# What XML cannot hold, and what Excel would read as such an escape.
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f]|_(?=x[0-9A-Fa-f]{4}_)")
_NO_CHARACTERS = re.compile("[\ud800-\udfff\ufffe\uffff]")
_PLAIN, _BOLD, _PERCENT = 0, 1, 2
_TIME = (2000, 1, 1, 0, 0, 0)


def to_workbook(functions: ScoreFunctions, rows: pd.DataFrame | None = None) -> bytes:
    """Return score functions as a workbook: rows, and beside them formulas that predict them.

    Parameters
    ----------
    functions : ScoreFunctions
    rows : DataFrame, optional
        Rows with the raw columns of the model; by default one, of typical values. Rows that are
        typed in below are predicted when the formulas are filled down.

    Returns
    -------
    bytes
        An .xlsx file. Names and texts of the rows stand in it as text, never as formulas.

    Raises
    ------
    DataError
        When a column is missing, there are too many rows, or the model is too large for a sheet.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    >>> book = to_workbook(lincore.export.score_functions(model), iris.to_frame().head(3))
    >>> book[:2]
    b'PK'
    """
    table = _typical(functions) if rows is None else rows
    table = table.set_axis([str(name) for name in table.columns], axis=1)
    header = list(table.columns)
    cells = to_spreadsheet(functions, header)
    size = len(table) * sum(len(cell.formula) for cell in cells)
    if len(table) > MOST_ROWS or size > MOST_CHARACTERS:
        raise DataError(
            f"{len(table):,} rows of formulas are too many for a workbook.",
            where=functions.label,
            remedy="Take fewer rows and fill the formulas down.",
        )
    predict = _sheet(_lines(functions, table, header, cells), frozen=True)
    about = _sheet([[(text, _PLAIN)] for text in _about(functions, cells)])
    return _packed({"Predict": predict, "About": about})


def _typical(functions: ScoreFunctions) -> pd.DataFrame:
    values: dict[str, Any] = dict.fromkeys(functions.columns)
    for one, origin in zip(functions.inputs, functions.origin.tolist(), strict=True):
        if one.kind == "number":
            values[one.column] = origin if one.fill is None else one.fill
        elif one.levels and not one.is_complement and values[one.column] is None:
            values[one.column] = one.levels[0]
    return pd.DataFrame([values], dtype=object)


def _lines(
    functions: ScoreFunctions, table: pd.DataFrame, header: list[str], cells: Sequence[FormulaCell]
) -> Iterable[list[tuple[Any, int]]]:
    yield [(name, _BOLD) for name in (*header, *(cell.heading for cell in cells))]
    styles = [_PERCENT if cell.kind == "probability" else _PLAIN for cell in cells]
    for row, values in enumerate(table.astype(object).itertuples(index=False, name=None), start=2):
        here = to_spreadsheet(functions, header, row)
        formulas = [(cell, style) for cell, style in zip(here, styles, strict=True)]
        yield [*((value, _PLAIN) for value in values), *formulas]


def _about(functions: ScoreFunctions, cells: Sequence[FormulaCell]) -> list[str]:
    results = [f"{cell.column}: {cell.heading}" for cell in cells if cell.kind != "helper"]
    data = f", fitted on {functions.data_name}" if functions.data_name else ""
    return [
        f"{functions.label}{data}. Made by lincore.",
        "Put rows below the header of the sheet Predict and fill the formulas down.",
        "An empty cell is a missing value. Dates are days since 1970-01-01 (Excel's less 25569).",
        *results,
    ]


def _sheet(lines: Iterable[list[tuple[Any, int]]], *, frozen: bool = False) -> str:
    written = []
    for row, values in enumerate(lines, start=1):
        cells = (
            _cell(f"{letters(place)}{row}", value, style)
            for place, (value, style) in enumerate(values)
        )
        written.append(f'<row r="{row}">{"".join(cells)}</row>')
    pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
    view = f'<sheetViews><sheetView workbookViewId="0">{pane}</sheetView></sheetViews>'
    return (
        f'{_HEAD}<worksheet xmlns="{_MAIN}">{view if frozen else ""}'
        f'<sheetFormatPr defaultColWidth="14" defaultRowHeight="15"/>'
        f"<sheetData>{''.join(written)}</sheetData></worksheet>"
    )


def _cell(name: str, value: Any, style: int) -> str:
    begin = f'<c r="{name}" s="{style}"'
    if isinstance(value, FormulaCell):
        kind = ' t="str"' if value.kind == "label" else ""
        return f"{begin}{kind}><f>{escape(_writable(value.formula[1:]))}</f></c>"
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return ""
    if isinstance(value, bool):
        return f'{begin} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)) and math.isfinite(value):
        return f"{begin}><v>{value!r}</v></c>"
    if isinstance(value, pd.Timestamp):
        value = (value.tz_localize(None) - pd.Timestamp(0)).total_seconds() / 86_400
        return f"{begin}><v>{value!r}</v></c>"
    text = _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", _writable(str(value)))
    return f'{begin} t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _writable(text: str) -> str:
    return _NO_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)


def _packed(sheets: dict[str, str]) -> bytes:
    """Return the file: its parts, and who refers to whom."""
    places = range(1, len(sheets) + 1)
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" '
        f'ContentType="{_SHEET_TYPE}.worksheet+xml"/>'
        for i in places
    )
    entries = "".join(
        f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>'
        for i, name in enumerate(sheets, start=1)
    )
    related = "".join(
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in places
    )
    styles = f'<Relationship Id="rId0" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_SHEET_TYPE}.styles+xml"/>'
        f"{overrides}</Types>",
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship '
        f'Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{entries}'
        '</sheets><calcPr calcId="0" fullCalcOnLoad="1"/></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{styles}'
        f"{related}</Relationships>",
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/>'
        '<name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill><fill>'
        '<patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/>'
        '<right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf/>'
        '</cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf fontId="1" applyFont="1"/>'
        '<xf numFmtId="10" applyNumberFormat="1"/></cellXfs><cellStyles '
        'count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _TIME), f"{_HEAD}{text}")
        for i, text in enumerate(sheets.values(), start=1):
            archive.writestr(zipfile.ZipInfo(f"xl/worksheets/sheet{i}.xml", _TIME), text)
    return stream.getvalue()
