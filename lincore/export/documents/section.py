"""A section of a document, from which reports and files of tables are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from lincore.export.documents.tables import TextTable, text_table

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.displays import Display


class SectionTable(NamedTuple):
    """A table of a document.

    Attributes
    ----------
    caption : str
        Plain text.
    frame : DataFrame
        One column for each heading.
    form : str
        Format of numbers that are not whole, as for Python's `format`.
    """

    caption: str
    frame: pd.DataFrame
    form: str = ".3f"

    def cells(self) -> TextTable:
        """Return headings and cells as text."""
        return text_table(self.frame, self.form)


@dataclass(frozen=True, eq=False)
class Section:
    """A section of a document as plain text; renderers must escape it.

    Parameters
    ----------
    title : str
    sentences : tuple of str
        One paragraph each.
    figures : tuple of plotly figures
        Each with a text alternative in ``layout.meta["alt"]``, as drawn by `lincore.plots`.
    tables : tuple of SectionTable
    items : tuple of str
        Items of a list.
    code : str
        Code that is listed at the end.

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

    @classmethod
    def of(cls, display: Display, title: str = "", *more: SectionTable) -> Section:
        """Return a display as a section: finding, scope, notes, figure, table, further tables."""
        figure, table = display.plotted(), display.table()
        own = SectionTable(display.title, table, display.form or _form(table))
        return cls(
            title or display.title,
            tuple(filter(None, [display.finding(), display.scope(), *display.notes()])),
            () if figure is None else (figure,),
            more if table.empty else (own, *more),
        )


def _form(table: pd.DataFrame) -> str:
    """Return the number format of a table that is already rounded."""
    numbers = table.select_dtypes("float")
    return ".1f" if ((numbers.round(1) - numbers).abs().max().max() < 1e-9) else ".3f"
