"""A section of a document: pages, reports and notebooks consist of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.displays import Display


class SectionTable(NamedTuple):
    """A table of a document.

    Attributes
    ----------
    caption : str
        What it shows, as plain text.
    frame : DataFrame
        One column for each heading; numbers are written as `cell` writes them.
    form : str
        Of numbers that are not whole, as Python's `format` reads it.
    """

    caption: str
    frame: pd.DataFrame
    form: str = ".3f"


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a document under one heading, as plain text; renderers must escape it.

    Parameters
    ----------
    title : str
    sentences : tuple of str
        A paragraph each.
    figures : tuple of plotly figures
        Each with a text alternative at ``layout.meta["alt"]``, as those of `lincore.plots`.
    tables : tuple of Table
    items : tuple of str
        Of a list.
    code : str
        A listing.

    Examples
    --------
    >>> section = Section("Scores", ("LDA reaches an accuracy of 97.8 %.",))
    >>> section.title, section.figures
    ('Scores', ())
    """

    title: str
    sentences: tuple[str, ...] = ()
    figures: tuple[go.Figure, ...] = ()
    tables: tuple[SectionTable, ...] = ()
    items: tuple[str, ...] = ()
    code: str = ""


def display_section(display: Display) -> Section:
    """Return a display as a section: finding, scope, figure, table, notes."""
    figure, table = display.plot(), display.table()
    return Section(
        display.title,
        tuple(filter(None, [display.finding(), display.scope(), *display.notes()])),
        () if figure is None else (figure,),
        () if table.empty else (SectionTable(display.title, table, display.form or _form(table)),),
    )


def _form(table: pd.DataFrame) -> str:
    """Return the number format of a table that is already rounded."""
    numbers = table.select_dtypes("float")
    return ".1f" if ((numbers.round(1) - numbers).abs().max().max() < 1e-9) else ".3f"
