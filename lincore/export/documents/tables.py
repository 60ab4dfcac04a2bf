"""Tables as LaTeX and as Markdown, every cell escaped."""

from __future__ import annotations

import math
import numbers
import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lincore.utils.formatting import true_minus

# Characters that LaTeX reads as commands, and signs that its usual fonts have only in formulas.
_LATEX = str.maketrans({
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "−": "$-$",
    "→": r"$\rightarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "±": r"$\pm$",
})  # fmt: skip
# A number as formatted for a table, in a column of text.
_NUMBER = re.compile(r"(< )?[−-]?[0-9][0-9,.]*(e[+−-]?[0-9]+)?( %)?")
_MARKDOWN = re.compile(r"([\\`*_\[\]|#!~$])")


def cell_text(value: object, form: str = ".3f") -> str:
    """Return a value formatted for a table: text on one line, numbers in one format."""
    if value is None or value is pd.NA:
        return ""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        return " ".join(str(value).split())
    number = float(value)
    if math.isnan(number):
        return ""
    if math.isinf(number):
        return "infinite" if number > 0 else "−infinite"
    if isinstance(value, numbers.Integral):
        return true_minus(str(int(value)))
    return true_minus(f"{number:.3g}" if abs(number) >= 10**9 else f"{number:{form}}")


class TextTable(NamedTuple):
    """Headings and cells of a table as text, and which columns are numeric: aligned right."""

    heads: list[str]
    rows: list[list[str]]
    right: list[bool]


def text_table(frame: pd.DataFrame, form: str = ".3f") -> TextTable:
    """Return a table as text; an informative index is the first column."""
    shown = with_index(frame)
    # By position, because names of columns may be repeated.
    columns = [shown.iloc[:, i] for i in range(shown.shape[1])]
    texts = [[cell_text(value, form) for value in column.tolist()] for column in columns]
    return TextTable(
        [cell_text(name) for name in shown.columns],
        [list(row) for row in zip(*texts, strict=True)],
        list(map(_is_of_numbers, columns)),
    )


def to_latex(frame: pd.DataFrame, *, caption: str = "", label: str = "", form: str = ".3f") -> str:
    r"""Return a table as LaTeX: a float with the rules of the package booktabs.

    Parameters
    ----------
    frame : DataFrame
        An index that has a name, or is not 0, 1, …, is the first column.
    caption, label : str
        Caption and label of the float; the label is for ``\ref``.
    form : str
        Format of numbers that are not whole, as for Python's `format`.

    Returns
    -------
    str
        LaTeX in which every text is escaped.

    Examples
    --------
    >>> print(to_latex(pd.DataFrame({"model": ["LDA"], "error (%)": [2.25]}), form=".1f"))
    \begin{table}
      \centering
      \begin{tabular}{lr}
        \toprule
        model & error (\%) \\
        \midrule
        LDA & 2.2 \\
        \bottomrule
      \end{tabular}
    \end{table}
    """
    heads, rows, are_numbers = text_table(frame, form)
    columns = "".join("r" if is_number else "l" for is_number in are_numbers)
    lines = [" & ".join(text.translate(_LATEX) for text in row) for row in [heads, *rows]]
    # A bracket that begins a line would be read as an option of the line break before it.
    head, *body = [f"    {'{}' * line.startswith('[')}{line} \\\\" for line in lines]
    named = cell_text(caption).translate(_LATEX)
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            *([rf"  \caption{{{named}}}"] if caption else []),
            *([rf"  \label{{{re.sub('[^A-Za-z0-9:.-]', '-', label)}}}"] if label else []),
            rf"  \begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            head,
            r"    \midrule",
            *body,
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
        ]
    )


def to_markdown(frame: pd.DataFrame, *, form: str = ".3f") -> str:
    r"""Return a table as Markdown, with bars between the columns.

    Parameters
    ----------
    frame : DataFrame
        An index that has a name, or is not 0, 1, …, is the first column.
    form : str
        Format of numbers that are not whole, as for Python's `format`.

    Returns
    -------
    str
        Markdown and HTML in cells are escaped.

    Examples
    --------
    >>> print(to_markdown(pd.DataFrame({"model": ["a|b"], "n": [3]})))
    | model | n |
    | --- | ---: |
    | a\|b | 3 |
    """
    heads, rows, are_numbers = text_table(frame, form)
    first, *lines = [list(map(_markdown, row)) for row in [heads, *rows]]
    lines.insert(0, ["---:" if is_number else "---" for is_number in are_numbers])
    return "\n".join(f"| {' | '.join(line)} |" for line in [first, *lines])


def with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose index, if informative, is the first column."""
    if isinstance(frame.index, pd.RangeIndex) and frame.index.name is None:
        return frame
    table = frame.reset_index(drop=True)
    table.insert(0, frame.index.name or "", list(frame.index), allow_duplicates=True)
    return table


def _is_of_numbers(column: pd.Series[Any]) -> bool:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return not pd.api.types.is_bool_dtype(column.dtype)
    texts = [text for value in column if (text := cell_text(value))]
    return bool(texts) and all(map(_NUMBER.fullmatch, texts))


def _markdown(text: str) -> str:
    # Entities first, because Markdown passes HTML on.
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", plain)
