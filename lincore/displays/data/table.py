"""Displays of a table as it was read, before it is a data set."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import pandas as pd

from lincore import checks, io
from lincore.displays.base import Display, digest
from lincore.errors import DataError
from lincore.io import Column, Table, TableOptions
from lincore.utils import count, true_minus

if TYPE_CHECKING:
    from lincore.checks import TableFinding

# The part of a table, from its beginning, that is shown.
MOST_ROWS, MOST_COLUMNS = 200, 100


@dataclass(frozen=True, eq=False)
class TableColumnsDisplay(Display):
    """The columns of a table: roles, contents, examples, and what makes a comparison doubtful."""

    title: ClassVar[str] = "Columns"
    made_by: ClassVar[str] = "table.columns"
    form: ClassVar[str] = ".1f"

    whole: Table
    target: str | int | None = None
    choices: TableOptions | None = None

    @property
    def options(self) -> TableOptions:
        """The choices, or the proposed ones."""
        return self.choices or TableOptions()

    @cached_property
    def used(self) -> Table:
        """The table with the rows that meet the conditions; all rows if none would be left."""
        if not self.options.where:
            return self.whole
        try:
            return io.filter_rows(self.whole, self.options.where)
        except DataError:
            return self.whole

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Content and role of each column, as proposed where the choices are not possible."""
        try:
            return io.choose_roles(self.used, self.target, self.options)
        except DataError:
            known = str(self.target) if self.target in self.used.frame.columns else None
            return io.describe_columns(self.used, known)

    @cached_property
    def problems(self) -> tuple[TableFinding, ...]:
        """What makes a comparison doubtful, unless the choices have solved it."""
        options, binned = self.options, self.options.bins is not None
        problems = checks.find_table_problems(self.used, self.columns, binned=binned)
        if self.whole.source is not None and not options.drawn_only:
            # A random sample of rows says nothing about duplicates and classes of one row.
            problems = tuple(
                problem
                for problem in problems
                if not any(remedy.options for remedy in problem.remedies)
            )
        return tuple(
            problem
            for problem in problems
            if not any(
                remedy.options and options.with_hint(remedy) == options
                for remedy in problem.remedies
            )
        )

    def finding(self) -> str:
        """Return how many columns there are, and how many of each role."""
        roles = Counter(column.role for column in self.columns)
        parts = ", ".join(f"{role} {n:,}" for role, n in roles.most_common())
        return f"{count(len(self.columns), 'column')}: {parts}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each column."""
        names = self.options.rename
        return pd.DataFrame(
            {
                "column": [names.get(column.name, column.name) for column in self.columns],
                "role": [column.role for column in self.columns],
                "type": [column.kind for column in self.columns],
                "missing": [column.n_missing for column in self.columns],
                "distinct": [column.n_distinct for column in self.columns],
                "examples": [_examples(column) for column in self.columns],
                "note": [self._note(column) for column in self.columns],
            }
        )

    def table(self) -> pd.DataFrame:
        """Return the same, missing values in per cent."""
        lines = self.frame()
        lines["missing"] = (100 * lines["missing"] / max(len(self.used.frame), 1)).round(1)
        return lines.rename(columns={"missing": "missing (%)"})

    def notes(self) -> tuple[str, ...]:
        """Return the problems, with their remedies."""
        return tuple(str(problem.notice) for problem in self.problems)

    @cached_property
    def key(self) -> str:
        """A digest of what is shown alone: a table may be large."""
        return f"{type(self).__name__} {digest((self.frame(), self.notes()))}"

    def _note(self, column: Column) -> str:
        """Return the name in the file, and why a column is not used."""
        renamed = f"{column.name} in the file" if column.name in self.options.rename else ""
        reason = column.reason or io.EXCLUSION_REASONS.get(column.kind, "")
        return "; ".join(filter(None, (renamed, reason if column.role != "target" else "")))


@dataclass(frozen=True, eq=False)
class FirstRowsDisplay(Display):
    """The first rows of a table, as they are."""

    title: ClassVar[str] = "Rows"
    made_by: ClassVar[str] = "table.first_rows"

    rows: pd.DataFrame
    drawn_from: int = 0

    def finding(self) -> str:
        """Return how many rows and columns these are, of how many."""
        n_rows, n_columns = self.rows.shape
        extent = f"The first {MOST_ROWS:,} of" if n_rows > MOST_ROWS else "All"
        wide = f", the first {MOST_COLUMNS} of {n_columns:,} columns"
        drawn = f" They were drawn at random from {self.drawn_from:,}." if self.drawn_from else ""
        return f"{extent} {count(n_rows, 'row')}{wide if n_columns > MOST_COLUMNS else ''}.{drawn}"

    def frame(self) -> pd.DataFrame:
        """Return these rows."""
        return self.rows.iloc[:MOST_ROWS, :MOST_COLUMNS]

    @cached_property
    def key(self) -> str:
        """A digest of what is shown alone: a table may be large."""
        return f"{type(self).__name__} {digest((self.frame(), self.finding()))}"


def _examples(column: Column) -> str:
    examples = ", ".join(column.examples)
    # With a true minus sign: a text that begins with a hyphen could be a formula.
    return true_minus(examples) if column.kind == "number" else examples
