"""Display of the parts of the test rows in which a model errs more or less often."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import checks, metrics, plots
from lincore.displays.model.model_display import ModelDisplay
from lincore.fields import Field
from lincore.metrics.intervals import wilson
from lincore.utils import p_value, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.checks import ErrorSlice

#: Instead of a column: all of them.
EVERY = ""
# Maximum number of parts drawn and listed.
_MOST_DRAWN, _MOST_LISTED = 12, 20


def _columns(so_far: SimpleNamespace) -> dict[str, str]:
    data = so_far.model.data
    if data.kind.is_images:
        return {}
    names = [str(name) for name in data.feature_names[: data.n_table_columns]]
    return {EVERY: "Every column", **{name: name for name in names}}


@dataclass(frozen=True, eq=False)
class ErrorSlicesDisplay(ModelDisplay):
    """Errors by parts of every column, or the recall of every class by the parts of one."""

    title: ClassVar[str] = "Errors by part"
    made_by: ClassVar[str] = "model.error_slices"
    page_key: ClassVar[str] = "classify.slices"

    column: Annotated[
        str,
        Field(
            "Column",
            "Every column: where the model errs most. One: the recall of every class by its parts.",
            longest=500,
            choices=_columns,
        ),
    ] = EVERY

    @cached_property
    def slices(self) -> list[ErrorSlice]:
        """The parts of all columns, the least p-value first, or those of one in their order."""
        slices = checks.error_slices(self.model)
        if self.column == EVERY:
            return slices
        order = [part.values for part in checks.parts_of(self.model, self.column)]
        own = [error_slice for error_slice in slices if error_slice.feature == self.column]
        return sorted(own, key=lambda error_slice: order.index(error_slice.values))

    @cached_property
    def by_class(self) -> pd.DataFrame:
        """The recall of every class in each part of the column."""
        results, lines = self.results, []
        hit, weight = results.predicted[0] == results.truth, results.settings.row_weights
        for part in checks.parts_of(self.model, self.column):
            for code, label in enumerate(self.model.data.classes):
                own = part.inside & (results.truth == code)
                _, low, high = (float(end) for end in wilson(hit[own].sum(), own.sum()))
                recall = np.nan
                if own.any():
                    recall = np.average(hit[own], weights=None if weight is None else weight[own])
                lines.append((part.values, str(label), int(own.sum()), recall, low, high))
        names = [self.column, "class", "rows", "recall", "low", "high"]
        recalls = pd.DataFrame(lines, columns=names)
        if not self.is_tested:
            recalls[["low", "high"]] = np.nan
        return recalls

    @property
    def is_tested(self) -> bool:
        """False if rows come in groups or have weights, which intervals and tests here ignore."""
        return not (self.slices and np.isnan(self.slices[0].p))

    def finding(self) -> str:
        """Name the part with clearly more errors; for one column, state their range."""
        if not self.slices:
            return "No part has enough test rows."
        if self.column != EVERY:
            ranked = sorted(self.slices, key=lambda error_slice: error_slice.error)
            least, most = (
                f"{percent(error_slice.error)} ({error_slice.values})"
                for error_slice in (ranked[0], ranked[-1])
            )
            name = quoted(self.column)
            if len(ranked) == 1:
                return f"By {name}, only one part has enough test rows: its error is {most}."
            if ranked[0].error == ranked[-1].error:
                error = percent(ranked[0].error)
                return f"By {name}, the error is {error} in every part with enough test rows."
            return f"By {name}, the error ranges from {least} to {most}."
        worse = [s for s in self.slices if s.p_holm < metrics.ALPHA and s.error > s.elsewhere]
        if not self.is_tested:
            return (
                "Whether errors differ by part is not tested: rows come in groups or have weights."
            )
        if not any(error_slice.error for error_slice in self.slices):
            return f"{self.method} misclassifies none of these rows."
        if not worse:
            return f"{self.method} is not shown to err more often in any part of the test rows."
        first = worse[0]
        return (
            f"{self.method} errs more often where {quoted(first.feature)} is {first.values}: "
            f"{percent(first.error)} of {first.n_rows} rows, {percent(first.elsewhere)} elsewhere."
        )

    def scope(self) -> str:
        """Return the number of test rows and their error."""
        wrong = 1 - float(self.scores("accuracy")["value"].iloc[0])
        return f"On {self.tested}; {percent(wrong)} of them are misclassified."

    def frame(self) -> pd.DataFrame:
        """Return a line for each part, or for each part and class of the column."""
        if self.column != EVERY:
            return self.by_class
        return pd.DataFrame(self.slices, columns=list(checks.ErrorSlice._fields))

    def table(self) -> pd.DataFrame:
        """Return the same, shares in per cent."""
        lines = self.frame()
        if lines.empty:
            return pd.DataFrame()
        if self.column != EVERY:
            shares = (100 * lines[["recall", "low", "high"]]).round(1)
            shares.columns = ["recall (%)", "from", "to"]
            table = pd.concat([lines[[self.column, "class", "rows"]], shares], axis=1)
            return table if self.is_tested else table.drop(columns=["from", "to"])
        table = pd.DataFrame(
            {
                "column": lines.feature,
                "part": lines["values"],
                "rows": lines.n_rows,
                "error (%)": (100 * lines.error).round(1),
                "from": (100 * lines.low).round(1),
                "to": (100 * lines.high).round(1),
                "elsewhere (%)": (100 * lines.elsewhere).round(1),
                "p": lines.p.map(p_value),
                "p (Holm)": lines.p_holm.map(p_value),
            }
        )[:_MOST_LISTED]
        return table if self.is_tested else table.drop(columns=["from", "to", "p", "p (Holm)"])

    def plot(self) -> go.Figure | None:
        """Return the errors of the parts with intervals, those with the least p-values."""
        shown = self.slices[:_MOST_DRAWN]
        if not shown:
            return None
        return plots.score_intervals(
            [f"{error_slice.feature}: {error_slice.values}" for error_slice in shown],
            [(error_slice.error, error_slice.low, error_slice.high) for error_slice in shown],
            score="error",
            kind="part",
            as_percent=True,
            title=self.finding(),
        )

    def notes(self) -> tuple[str, ...]:
        """Return how parts are made, and the test."""
        if not self.slices:
            return ()
        tests = (
            " Intervals: Wilson, 95 %. p: Fisher’s exact test of inside against outside; p (Holm) "
            "is corrected for all parts of all columns."
        )
        return (
            "Parts are levels of categories and quartiles of the training rows, with at least "
            f"{checks.FEWEST_ROWS} test rows inside and outside.{tests if self.is_tested else ''} "
            "Errors are more frequent near the boundary and in parts with more rows of a difficult "
            "class; that by itself is no fault of the model.",
        )
