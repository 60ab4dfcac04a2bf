"""Displays of the columns of a data set by class: nothing is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from lincore import inspection, plots
from lincore.data import Dataset, Split
from lincore.displays.base import Display, digest, first_of
from lincore.errors import DataError
from lincore.fields import Field
from lincore.inspection import Association, LargestAssociation
from lincore.metrics.intervals import LEVEL
from lincore.plots.base import MANY_CLASSES, shorten_all
from lincore.utils import capital, count, p_equals, percent, quoted, shorten
from lincore.utils.typing import Codes, Flags, Rows

if TYPE_CHECKING:
    import plotly.graph_objects as go

_MEASURES = {"eta": "η", "V": "Cramér’s V"}
# Characters of a name in a headline of three names and two numbers, which has two lines.
_HEADLINE_NAME = 28
# Below this an association is not worth a headline.
_WEAK = 0.1
# Classes whose bars stand side by side at first: bars of many classes are mostly gaps.
_FEW_CLASSES = 3
# Lines of a summary: more are slow in a browser, and nobody reads them.
_MOST_LINES = 600
_HEADINGS = {"missing": "missing (%)", "share": "share (%)"}
# The ranking of the columns of some rows, which the rules of the settings ask for again and again.
_RANKED: WeakKeyDictionary[Dataset, dict[str, list[Association]]] = WeakKeyDictionary()


def _row_choices(so_far: SimpleNamespace) -> dict[str, str]:
    names, split = {"all": "All"}, getattr(so_far, "split", None)
    if split is not None:
        names |= {"train": "Training"} | ({"test": "Test"} if len(split.test) else {})
    return names


def _chosen(so_far: Any) -> Rows | None:
    """Return the row numbers, None for all."""
    return None if so_far.rows == "all" else getattr(so_far.split, so_far.rows)


def ranked_columns(so_far: Any) -> list[Association]:
    """Return the columns by their association with the class."""
    rows = _chosen(so_far)
    known, key = _RANKED.setdefault(so_far.data, {}), digest([rows])
    if key not in known:
        known[key] = inspection.associations(so_far.data, rows)
    return known[key]


@dataclass(frozen=True, eq=False)
class DescriptiveDisplay(Display):
    """A display of some rows in their own units."""

    page_key: ClassVar[str] = "explore.rows"
    is_tabulated: ClassVar[bool] = False

    data: Dataset
    split: Split | None = None
    rows: Annotated[
        str,
        Field(
            "Rows",
            "All rows, or one part of the split. Choose features on training rows only, to keep "
            "test scores honest.",
            longest=10,
            choices=_row_choices,
        ),
    ] = "all"

    @property
    def chosen(self) -> Rows | None:
        """Row numbers, None for all."""
        return _chosen(self)

    @property
    def codes(self) -> Codes:
        """The classes of the rows."""
        return self.data.codes if self.chosen is None else self.data.codes[self.chosen]

    @property
    def which(self) -> str:
        """The rows in words, with their number."""
        noun = self.data.kind.rows
        if self.chosen is None:
            return f"all {self.data.n_rows:,} {noun}{' in memory' if self.data.n_streamed else ''}"
        return f"{len(self.chosen):,} {'training' if self.rows == 'train' else 'test'} {noun}"

    def position(self, column: str) -> int:
        """Return the position of a column by its name."""
        if not column:
            raise DataError("There is no such column to show.", where=self.data.name)
        return self.data.feature_names.index(column)


@dataclass(frozen=True, eq=False)
class AssociationsDisplay(DescriptiveDisplay):
    """The association of every column with the classes, the largest first."""

    title: ClassVar[str] = "Association with the class"
    made_by: ClassVar[str] = "data.associations"
    form: ClassVar[str] = ".2f"

    @property
    def ranked(self) -> list[Association]:
        """The columns, that of the largest association first."""
        return ranked_columns(self)

    def finding(self) -> str:
        """State which column has the largest association, and if it exceeds chance."""
        if not self.ranked:
            return "There is no column to compare."
        first, *others = self.ranked
        leading, *second = shorten_all(
            [association.name for association in self.ranked[:2]], _HEADLINE_NAME
        )
        test = self.test
        values = [
            f"{_MEASURES[association.measure]} = {association.value:.2f}"
            for association in self.ranked[:2]
        ]
        name = self.data.target_name
        classes = f"the {self.data.n_classes} classes"
        if name:
            classes = quoted(shorten(name, _HEADLINE_NAME))
        many = count(test.n_columns, "feature")
        p = p_equals(test.p)
        if test.p >= 1 - LEVEL:
            among = "" if test.n_columns == 1 else f" for the largest of {many}"
            return (
                f"The association of {leading} with {classes} ({values[0]}) is no larger than "
                f"expected by chance{among} ({p})."
            )
        if not others:
            return f"{leading} is associated with {classes} ({values[0]}; {p})."
        numbers = f"({values[0]}; {p})"
        if first.value < _WEAK:
            return (
                f"No single column separates the classes: of {many}, {leading} has the "
                f"largest association with {classes} {numbers}."
            )
        runner_up = f", then {second[0]} ({values[1]})"
        return (
            f"Of {many}, {leading} has the largest association with {classes} {numbers}{runner_up}."
        )

    @cached_property
    def test(self) -> LargestAssociation:
        """The test of the largest association."""
        return inspection.largest_association_test(self.data, self.ranked[0].column, self.chosen)

    def scope(self) -> str:
        """Return the rows, and how p was computed."""
        if not self.ranked:
            return f"Computed on {self.which}."
        n_columns = self.test.n_columns
        maximum = f", max over {n_columns} features" if n_columns > 1 else ""
        test = f"p by permutation of the labels{_permuted_rows(self.test)}{maximum}"
        return f"Computed on {self.which}; {test}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each column: the measure and its value."""
        columns = ["column", "measure", "association"]
        return pd.DataFrame([association[1:] for association in self.ranked], columns=columns)

    def table(self) -> pd.DataFrame:
        """Return a line for each column."""
        return self.frame().drop(columns="measure")

    def notes(self) -> tuple[str, ...]:
        """State what is measured."""
        return (
            "Correlation ratio η of numeric columns, Cramér’s V of categorical ones, both from 0 "
            "to 1 and adjusted for chance.",
        )


def _permuted_rows(test: LargestAssociation) -> str:
    """State whose labels were permuted, unless those of all rows one by one."""
    if not test.is_sample:
        return " of whole groups" if test.by_groups else ""
    groups = "whole groups among " if test.by_groups else ""
    return f" of {groups}{test.n_rows:,} rows drawn at random"


def _columns(so_far: SimpleNamespace) -> list[str]:
    return [association.name for association in ranked_columns(so_far)]


def _drawings(so_far: SimpleNamespace) -> dict[str, str]:
    data, names = so_far.data, so_far.data.feature_names
    if so_far.column and inspection.level_names(data, names.index(so_far.column)) is not None:
        directions = {"of_class": "Levels by class", "of_level": "Classes by level"}
        return directions if data.n_classes <= _FEW_CLASSES else dict(reversed(directions.items()))
    drawings = {"histogram": "Histogram", "density": "Density", "box": "Box plot"}
    # Curves of many classes cross everywhere.
    return drawings if data.n_classes <= MANY_CLASSES else dict(reversed(drawings.items()))


def _is_histogram(so_far: SimpleNamespace) -> bool:
    return bool(so_far.drawing == "histogram")


@dataclass(frozen=True, eq=False)
class ColumnDisplay(DescriptiveDisplay):
    """One column by class, in its own units."""

    title: ClassVar[str] = "Column by class"
    made_by: ClassVar[str] = "data.column"
    form: ClassVar[str] = ".4g"
    page_key: ClassVar[str] = "explore.column"

    column: (
        Annotated[
            str,
            Field("Column", "Columns with the largest association with the class come first.",
                  longest=2_000, choices=_columns, auto=first_of(_columns)),
        ] | None
    ) = None  # fmt: skip
    drawing: (
        Annotated[
            str,
            Field("Plot", "The distribution of the column within each class, or the share of each "
                  "class among the rows of a level.", longest=20, choices=_drawings,
                  auto=first_of(_drawings)),
        ] | None
    ) = None  # fmt: skip
    bins: Annotated[
        int,
        Field("Bins of the histogram", "Automatic follows the rule of Freedman and Diaconis within "
              "the classes; a few whole numbers get one bar each.", when=_is_histogram,
              choices={0: "Automatic", 10: "10", 20: "20", 30: "30", 60: "60"}),
    ] = 0  # fmt: skip
    heights: Annotated[
        str,
        Field("Heights", "Shares make classes of unequal size comparable.", longest=10,
              when=_is_histogram, choices={"shares": "Share of the class", "rows": "Rows"}),
    ] = "shares"  # fmt: skip

    @property
    def name(self) -> str:
        """The column that is shown."""
        return str(self.setting("column"))

    def finding(self) -> str:
        """Return the column, and how many rows have a value."""
        return f"{self.name}, by class"

    def frame(self) -> pd.DataFrame:
        """Return a summary of each class and of all rows together."""
        position = self.position(self.name)
        numbers, levels = inspection.summarise_columns(self.data, [position], self.chosen)
        return numbers if len(numbers) else levels

    def table(self) -> pd.DataFrame:
        """Return the same without the name of the column."""
        return self.frame().drop(columns="column").rename(columns=_HEADINGS)

    def plot(self) -> go.Figure:
        """Return the distribution of the column in each class."""
        position, codes, K = self.position(self.name), self.codes, self.data.n_classes
        values = inspection.column_values(self.data, position, self.chosen)
        present = np.isfinite(values)
        classes, note = self.data.classes, present_note(present, self.which)
        levels = inspection.level_names(self.data, position)
        drawing = self.setting("drawing")
        if levels is not None:
            counted = inspection.level_counts(values, codes, K, levels)
            of_class = drawing == "of_class"
            return plots.share_bars(
                counted.levels,
                counted.of_class() if of_class else counted.of_level(),
                classes,
                title=f"{self.name}: {'levels by class' if of_class else 'classes by level'}",
                unit=f"share of the {'class' if of_class else 'level'}",
                stacked=not of_class,
                subtitle=note,
            )
        if drawing == "density":
            sizes = np.bincount(codes[present], minlength=K)
            densities = inspection.class_densities(values, codes, K)
            return plots.densities(densities, classes, self.name, sizes=sizes, subtitle=note)
        if drawing == "box":
            boxes = inspection.box_plot_statistics(values, codes, K)
            return plots.box_plot(boxes, classes, self.name, subtitle=note)
        bins = inspection.class_histograms(values, codes, K, self.bins or None)
        shares = self.heights == "shares"
        return plots.histogram(bins, classes, self.name, shares=shares, subtitle=note)


def present_note(present: Flags, rows: str, where: str = "") -> str:
    """State on how many rows something was computed, and how many have no value."""
    n_present, n_rows = int(present.sum()), len(present)
    if n_present == n_rows:
        return f"{capital(rows)}."
    n_missing = n_rows - n_present
    missing = f"{n_missing:,} ({percent(n_missing / n_rows)})"
    return f"{n_present:,} of {rows}; {missing} are missing{where}."


def _kinds(so_far: SimpleNamespace) -> dict[str, str]:
    columns = range(so_far.data.n_table_columns)
    are_numeric = {inspection.level_names(so_far.data, j) is None for j in columns}
    kinds = {True: "numeric", False: "categorical"}
    return {
        kinds[is_numeric]: kinds[is_numeric].capitalize()
        for is_numeric in sorted(are_numeric, reverse=True)
    }


@dataclass(frozen=True, eq=False)
class ColumnsDisplay(DescriptiveDisplay):
    """A summary of every column by class."""

    title: ClassVar[str] = "Summary"
    made_by: ClassVar[str] = "data.columns"
    form: ClassVar[str] = ".4g"

    kind: (
        Annotated[str, Field("Columns", "Which columns are listed.", longest=20, choices=_kinds,
                             auto=first_of(_kinds, "numeric"))] | None
    ) = None  # fmt: skip

    @cached_property
    def summaries(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The summaries of numeric and of categorical columns."""
        columns = inspection.summary_columns(self.data, _MOST_LINES)
        return inspection.summarise_columns(self.data, columns, self.chosen)

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of columns that there are."""
        return _kinds(SimpleNamespace(data=self.data))

    def finding(self) -> str:
        """State how many columns have missing values, and which has most."""
        lines = [
            (str(row["column"]), float(row["missing"]))
            for frame in self.summaries
            if len(frame)
            for _, row in frame[frame["class"] == "all"].iterrows()
        ]
        gaps = [line for line in lines if line[1] > 0]
        number = count(len(lines), "column")
        if not gaps:
            return f"{number}, no missing values."
        column, missing = max(gaps, key=lambda line: line[1])
        return (
            f"{number}, {len(gaps):,} with missing values: most in {shorten(column)} "
            f"({percent(missing / 100)})."
        )

    def scope(self) -> str:
        """Return the rows."""
        return f"Computed on {self.which}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each column of the kind and each class."""
        return self.summaries[self.setting("kind") == "categorical"]

    def table(self) -> pd.DataFrame:
        """Return the same, with units in the headings."""
        return self.frame().rename(columns=_HEADINGS)

    def table_help(self) -> Mapping[str, str]:
        """Return what the columns mean."""
        return {
            "n": "Rows with a value.",
            "sd": "Standard deviation, with the divisor n − 1.",
            **dict.fromkeys(("q25", "q75"), "Quartile."),
        }

    def notes(self) -> tuple[str, ...]:
        """State what the headings mean, and which columns are listed."""
        shown = len(inspection.summary_columns(self.data, _MOST_LINES))
        n_columns = self.data.n_table_columns
        excerpt = f"The first {shown:,} of {n_columns:,} columns. " if shown < n_columns else ""
        statistics = "sd has the divisor n − 1; q25 and q75 are the quartiles."
        if self.kind == "categorical":
            statistics = "share is that of the most frequent level."
        return (f"{excerpt}n counts the rows with a value; {statistics}",)


_ORDERS = {"characteristic": "Most characteristic", "frequent": "Most frequent"}


@dataclass(frozen=True, eq=False)
class WordsDisplay(DescriptiveDisplay):
    """The share of the rows of each class in which words occur."""

    title: ClassVar[str] = "Words"
    made_by: ClassVar[str] = "data.words"
    page_key: ClassVar[str] = "explore.words"

    order: Annotated[
        str,
        Field("Words", "Characteristic words are those whose share differs most between the "
              "classes, by the χ² statistic.", longest=20, choices=_ORDERS),
    ] = "characteristic"  # fmt: skip
    most: Annotated[
        int, Field("Words shown", "The first of the list.", low=5, high=60, step=1)
    ] = 15  # fmt: skip

    @cached_property
    def word_shares(self) -> inspection.WordShares:
        """The words and their shares."""
        order: Any = self.order
        return inspection.word_shares(self.data, self.chosen, order=order, most=self.most)

    def finding(self) -> str:
        """State in which rows the first word occurs."""
        if not self.word_shares.words:
            return "No word occurs in these rows."
        shares = zip(
            self.word_shares.shares[:, 0], map(str, self.data.classes.tolist()), strict=True
        )
        ranked = sorted(shares, key=lambda share_and_label: -share_and_label[0])
        phrases = [f"{percent(share)} of {quoted(k)}" for share, k in (ranked[0], ranked[-1])]
        word = self.word_shares.words[0]
        return f"“{word}” is the most {self.order} word: it occurs in {' and '.join(phrases)}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each word and class."""
        return pd.DataFrame(
            {"word": word, "class": str(label), "share": float(self.word_shares.shares[k, i])}
            for i, word in enumerate(self.word_shares.words)
            for k, label in enumerate(self.data.classes)
        )

    def plot(self) -> go.Figure:
        """Return the shares as bars."""
        return plots.share_bars(
            self.word_shares.words,
            self.word_shares.shares,
            self.data.classes,
            title="Words by class",
            unit=f"share of {self.data.kind.rows} of the class with the word",
            subtitle=f"{_ORDERS[self.order]} words of {self.which}.",
        )
