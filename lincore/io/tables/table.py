"""A table as read, before a target is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.column_values import is_number
from lincore.data.frames import with_columns
from lincore.data.names import unique_names
from lincore.data.target_guess import SURE_WORDS, TargetGuess, guess_target
from lincore.errors import Notice
from lincore.io.tables.column_roles import Content, Role, content_of
from lincore.io.tables.counted_outcomes import counted_outcome
from lincore.io.tables.row_source import RowSource
from lincore.io.tables.rules.on_request import cut_labels, mark_missing, with_ordered
from lincore.io.tables.text.options import DetectedOptions, ReadOptions
from lincore.limits import LIMITS, Limits, check_table_shape
from lincore.utils.displayed import display


@dataclass(frozen=True, eq=False)
class Table:
    """A table as read, before a target is chosen.

    Parameters
    ----------
    frame : DataFrame
        Columns under unique names, in the order of the file.
    name : str
        The file's name.
    notices : tuple of Notice
        Import log.
    first_line : int, optional
        Line of the file with the first row; None if rows do not correspond to lines.
    reading : Reading, optional
        How it was read.
    source : RowSource, optional
        All rows of a file that is too large for memory; `frame` is a random sample of them.
    rows : (n,) intp, optional
        The row numbers of `frame` in the file, if a filter left some out.
    whole : Table, optional
        The table before filtering: columns are described by all of its rows.
    roles : mapping of str to str
        Roles of columns declared in the file, as in Orange's format.
    orders : mapping of str to tuple of str
        Levels of the ordered categories of a frame, in order.
    """

    frame: pd.DataFrame
    name: str
    notices: tuple[Notice, ...] = ()
    first_line: int | None = None
    reading: DetectedOptions | None = None
    source: RowSource | None = None
    rows: NDArray[np.intp] | None = None
    whole: Table | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def contents(self) -> dict[str, Content]:
        """Content of each column, by its name."""
        found = {str(name): content_of(self.frame[name]) for name in self.frame}
        if self.whole is None:
            return found
        # A filtered identifier remains one; a column that no longer varies is constant.
        kinds = {name: content.kind for name, content in self.whole.contents.items()}
        return {
            name: content
            if content.kind in ("empty", "constant")
            else content._replace(kind=kinds[name])
            for name, content in found.items()
        }

    @cached_property
    def first_rows(self) -> Any:
        """The first rows as they are in the file: a `FirstRowsDisplay`."""
        drawn_from = 0 if self.source is None else self.source.n_rows
        return display("FirstRowsDisplay", self.frame, drawn_from)

    def columns(self, target: str | int | None = None, choices: Any = None) -> Any:
        """Return role and content of each column, and problems: a `TableColumnsDisplay`.

        `choices` are `TableOptions`.
        """
        return display("TableColumnsDisplay", self, target, choices)

    @cached_property
    def guess(self) -> TargetGuess | None:
        """The column that looks like the classes, if any, and the next best ones.

        None if the file declares the target, and for counts such as successes and trials, whose
        rows have no class.
        """
        if "target" in self.roles.values():
            return None
        if self.whole is not None:
            return self.whole.guess
        dates = [name for name, content in self.contents.items() if content.kind == "date"]
        found = guess_target(self.frame.drop(columns=dates) if dates else self.frame)
        # Beside counts, only a sure name makes a target: the last column may be dose or sex.
        if found is None or found.column.casefold() in SURE_WORDS:
            return found
        return None if counted_outcome(self.frame, found.column) else found

    @property
    def proposed(self) -> str | None:
        """The name of the column that is declared as target or looks like the classes, if any."""
        declared = [name for name, role in self.roles.items() if role == "target"]
        if declared:
            return declared[0]
        return self.guess.column if self.guess is not None else None

    def notices_with(self, findings: Sequence[Notice]) -> tuple[Notice, ...]:
        """Return its findings, for a large file with those on all rows."""
        codes = {one.code for one in findings}
        return (*(one for one in self.notices if one.code not in codes), *findings)

    def place(self, row: int) -> str:
        """Describe the location of a row, counted from 0."""
        row = row if self.rows is None else int(self.rows[row])
        return f"data row {row + 1}" if self.first_line is None else f"line {row + self.first_line}"


def frame_to_table(
    frame: pd.DataFrame,
    name: str,
    notices: tuple[Notice, ...] = (),
    options: ReadOptions | None = None,
    *,
    kind: str = "frame",
    limits: Limits = LIMITS,
) -> Table:
    """Wrap a frame, converting column names to unique strings.

    Only the options that name columns are used: `missing_in`, `cut_at` and `ordered`.
    """
    check_table_shape(len(frame), frame.shape[1], name, limits)
    names, naming = unique_names([str(column) for column in frame.columns])
    frame = frame.set_axis(names, axis=1).reset_index(drop=True)
    orders = {
        column: tuple(map(str, kind.categories))
        for column, kind in zip(names, frame.dtypes, strict=True)
        if isinstance(kind, pd.CategoricalDtype) and kind.ordered
    }
    frame = as_requested(as_plain(frame), options or ReadOptions())
    reading = DetectedOptions(*frame.shape, kind=kind)
    return Table(frame, name, (*notices, *naming), reading=reading, orders=orders)


def as_requested(frame: pd.DataFrame, options: ReadOptions) -> pd.DataFrame:
    """Return the frame with missing-value codes, cut texts and ordered levels as requested."""
    frame = cut_labels(mark_missing(frame, options.missing_in), options.cut_at)
    return with_ordered(frame, options.ordered)


def as_plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return columns of objects or categories as numbers if possible, otherwise as text."""
    names = [str(name) for name in frame]
    odd = {name: _as_text(frame[name]) for name in names if not _is_plain(frame[name])}
    return with_columns(frame, odd)


def _is_plain(column: pd.Series[Any]) -> bool:
    types = pd.api.types
    text = isinstance(column.dtype, pd.StringDtype)
    return is_number(column) or text or types.is_datetime64_any_dtype(column)


def _as_text(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of objects or categories as numbers if possible, otherwise as text."""
    if column.dtype == object:
        inferred = column.infer_objects()
        if _is_plain(inferred):
            return inferred
    return column.map(str, na_action="ignore").astype("str").where(column.notna())
