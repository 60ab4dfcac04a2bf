"""Tables of a document as CSV, LaTeX and Markdown, and the data behind figures as tables."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from lincore.export.documents.section import Section
from lincore.export.documents.tables import cell_text, to_latex, to_markdown, with_index
from lincore.utils.spreadsheet import spreadsheet_safe

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Maximum number of characters of a file's name in a zip.
_LONGEST = 60


def tables_to_latex(sections: Sequence[Section]) -> str:
    """Return all tables of some sections as LaTeX, each with its caption.

    Parameters
    ----------
    sections : sequence of Section

    Examples
    --------
    >>> from lincore.export.documents.section import SectionTable
    >>> section = Section("S", tables=(SectionTable("Scores", pd.DataFrame({"a": [1]})),))
    >>> tables_to_latex([section]).count("toprule")
    1
    """
    tables = [to_latex(t.frame, caption=t.caption, form=t.form) for s in sections for t in s.tables]
    return "% These tables need the package booktabs.\n" + "\n\n".join(tables) + "\n"


def tables_to_markdown(sections: Sequence[Section]) -> str:
    """Return all tables of some sections as Markdown, each under its caption.

    Parameters
    ----------
    sections : sequence of Section

    Examples
    --------
    >>> from lincore.export.documents.section import SectionTable
    >>> section = Section("S", tables=(SectionTable("Scores", pd.DataFrame({"a": [1]})),))
    >>> tables_to_markdown([section]).splitlines()[0]
    '**Scores**'
    """
    parts = []
    for table in (table for section in sections for table in section.tables):
        caption = to_markdown(pd.DataFrame(columns=[table.caption])).splitlines()[0][2:-2]
        parts.append(f"**{caption}**\n\n{to_markdown(table.frame, form=table.form)}")
    return "\n\n".join(parts) + "\n"


def tables_to_csv(sections: Sequence[Section]) -> bytes:
    """Return all tables of some sections as a zip of CSV files, in full precision.

    Parameters
    ----------
    sections : sequence of Section

    Returns
    -------
    bytes
        A zip. Cells that a spreadsheet could take for formulas begin with an apostrophe.

    Examples
    --------
    >>> from lincore.export.documents.section import SectionTable
    >>> section = Section("S", tables=(SectionTable("Scores", pd.DataFrame({"a": [1]})),))
    >>> zipfile.ZipFile(io.BytesIO(tables_to_csv([section]))).namelist()
    ['01 Scores.csv']
    """
    return _zipped({t.caption: t.frame for s in sections for t in s.tables}.items())


def figures_to_csv(figures: Sequence[go.Figure]) -> bytes:
    """Return the data behind figures as a zip of CSV files, one for each figure.

    Parameters
    ----------
    figures : sequence of plotly figures

    Returns
    -------
    bytes
        A zip; see `figure_data`.

    Examples
    --------
    >>> import lincore
    >>> figure = lincore.plots.score_intervals(["lda"], [(0.8, 0.7, 0.9)])
    >>> zipfile.ZipFile(io.BytesIO(figures_to_csv([figure]))).namelist()
    ['01 Accuracy of 1 model lda 80.0.csv']
    """
    return _zipped((_title(figure), figure_data(figure)) for figure in figures)


def figure_to_csv(figure: go.Figure) -> str:
    """Return the data behind a figure as CSV.

    Parameters
    ----------
    figure : plotly figure

    Returns
    -------
    str
        See `figure_data`; cells that a spreadsheet could take for formulas begin with an
        apostrophe.

    Examples
    --------
    >>> import lincore
    >>> figure = lincore.plots.score_intervals(["lda"], [(0.8, 0.7, 0.9)])
    >>> figure_to_csv(figure).splitlines()[0]
    'trace,x,y,text,error_x up,error_x down'
    """
    return _csv(figure_data(figure))


def figure_data(figure: go.Figure) -> pd.DataFrame:
    """Return the data that a figure draws, one line for each point, bar or cell.

    Parameters
    ----------
    figure : plotly figure

    Returns
    -------
    DataFrame
        "trace" and, if there are any, coordinates, values, error bars and texts.

    Examples
    --------
    >>> import lincore
    >>> figure = lincore.plots.score_intervals(["lda"], [(0.8, 0.7, 0.9)])
    >>> figure_data(figure)[["x", "error_x up"]].astype(float).round(2).iloc[0].tolist()
    [0.8, 0.1]
    """
    frames = [_trace(trace, i) for i, trace in enumerate(figure.data, 1)]
    frames = [frame for frame in frames if len(frame)] or [pd.DataFrame()]
    return pd.concat(frames, ignore_index=True)


def _trace(trace: Any, number: int) -> pd.DataFrame:
    name = trace.name or f"{trace.type} {number}"
    z = getattr(trace, "z", None)
    if z is not None and np.ndim(z) == 2:
        return _grid(name, trace, np.asarray(z))
    columns: dict[str, Any] = {
        key: getattr(trace, key, None) for key in ("x", "y", "z", "text", "base")
    }
    for key in ("error_x", "error_y"):
        bars = getattr(trace, key, None)
        if bars is not None and bars.array is not None:
            down = bars.array if bars.arrayminus is None else bars.arrayminus
            columns |= {f"{key} up": bars.array, f"{key} down": down}
    shown = {key: list(value) for key, value in columns.items() if _is_column(value)}
    n = max(map(len, shown.values()), default=0)
    frame = pd.DataFrame({key: value for key, value in shown.items() if len(value) == n})
    frame.insert(0, "trace", name)
    return frame


def _grid(name: str, trace: Any, z: np.ndarray) -> pd.DataFrame:
    coordinates = {}
    for key, axis, length in (("x", 1, z.shape[1]), ("y", 0, z.shape[0])):
        given = getattr(trace, key, None)
        values = np.arange(length) if given is None or len(given) != length else np.asarray(given)
        shape = (1, length) if axis == 1 else (length, 1)
        coordinates[key] = np.broadcast_to(values.reshape(shape), z.shape).ravel()
    return pd.DataFrame({"trace": name, **coordinates, "z": z.ravel()})


def _is_column(value: Any) -> bool:
    return value is not None and not isinstance(value, str) and np.ndim(value) == 1


def _title(figure: go.Figure) -> str:
    meta: Mapping[str, Any] = figure.layout.meta or {}
    return str(meta.get("title", "") or "figure")


def _zipped(frames: Iterable[tuple[str, pd.DataFrame]]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (caption, frame) in enumerate(frames, 1):
            # No path separators: a name may come from a file.
            name = " ".join(re.sub(r"[^\w .,()=-]+", " ", caption).split())[:_LONGEST].strip(" .")
            archive.writestr(f"{number:02d} {name}.csv", _csv(frame))
    return stream.getvalue()


def _csv(frame: pd.DataFrame) -> str:
    shown = with_index(frame)
    safe = pd.DataFrame({
        i: [spreadsheet_safe(value) if isinstance(value, str) else value for value in column]
        for i, (_, column) in enumerate(shown.items())
    })  # fmt: skip
    safe.columns = pd.Index([spreadsheet_safe(cell_text(name)) for name in shown.columns])
    return safe.to_csv(index=False)
