"""Displays of two columns, and of the correlations of all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, plots
from lincore.displays.base import first_of
from lincore.displays.data.coloured import COLOURED
from lincore.displays.data.columns import DescriptiveDisplay, present_note, ranked_columns
from lincore.fields import Field
from lincore.plots.base import shorten_all
from lincore.utils import capital, true_minus
from lincore.utils.typing import Array

if TYPE_CHECKING:
    import plotly.graph_objects as go


def _numeric(so_far: SimpleNamespace) -> list[str]:
    return [
        association.name for association in ranked_columns(so_far) if association.measure == "eta"
    ]


def _other_numeric(so_far: SimpleNamespace) -> list[str]:
    return [name for name in _numeric(so_far) if name != so_far.x]


@dataclass(frozen=True, eq=False)
class ColumnPairDisplay(DescriptiveDisplay):
    """Two numeric columns as a scatter, and their correlation."""

    title: ClassVar[str] = "Scatter"
    made_by: ClassVar[str] = "data.pair"
    page_key: ClassVar[str] = "explore.pair"

    x: (
        Annotated[
            str,
            Field("x axis", "A numeric column in its own units; those that separate the classes "
                  "best come first.", longest=2_000, choices=_numeric, auto=first_of(_numeric)),
        ] | None
    ) = None  # fmt: skip
    y: (
        Annotated[
            str,
            Field("y axis", "Another numeric column.", longest=2_000, choices=_other_numeric,
                  auto=first_of(_other_numeric)),
        ] | None
    ) = None  # fmt: skip
    ellipses: Annotated[
        bool,
        Field("Ellipses", "Draw for each class the ellipse that holds 95 % of a Gaussian class of "
              "the same mean and covariance."),
    ] = False  # fmt: skip
    coloured: Annotated[tuple[int, ...], COLOURED] | None = None

    @cached_property
    def names(self) -> tuple[str, str]:
        """The two columns."""
        return self.setting("x"), self.setting("y")

    @cached_property
    def values(self) -> Array:
        """Both columns in their own units, NaN where missing."""
        columns = [self.position(name) for name in self.names]
        return inspection.column_values(self.data, columns, self.chosen)

    @cached_property
    def correlations(self) -> tuple[float, float]:
        """Pearson's correlation within the classes, and over all rows."""
        return tuple(  # type: ignore[return-value]
            float(inspection.correlation_matrix(self.values, groups)[0, 1])
            for groups in (self.codes, np.zeros_like(self.codes))
        )

    def finding(self) -> str:
        """State how the two are correlated."""
        (x, y), (within, total) = shorten_all(self.names), self.correlations
        if not np.isfinite(total):
            return f"{x} and {y}: one of them is constant."
        r_within = "unknown" if not np.isfinite(within) else _signed(within)
        return f"{x} and {y}: r = {r_within} within classes, {_signed(total)} over all rows."

    def frame(self) -> pd.DataFrame:
        """Return both correlations."""
        lines = zip(("within classes", "all rows"), self.correlations, strict=True)
        return pd.DataFrame([(*self.names, *line) for line in lines], columns=["x", "y", "of", "r"])

    def plot(self) -> go.Figure:
        """Return the rows that have a value in both; few whole numbers are moved apart a little."""
        present = np.asarray(np.isfinite(self.values).all(axis=1))
        chosen = np.arange(self.data.n_rows) if self.chosen is None else self.chosen
        values, moved = self.values[present], []
        for i, name in enumerate(self.names):
            values[:, i], is_moved = inspection.jitter(values[:, i], seed=i)
            moved += [name] * is_moved
        note = present_note(present, self.which, " in both")
        if moved:
            verb = "is" if len(moved) == 1 else "are"
            note += f" {' and '.join(moved)} {verb} jittered by up to a quarter of a step."
        return plots.scatter(
            values,
            self.codes[present],
            self.data.classes,
            list(self.names),
            title=" over ".join(shorten_all(self.names[::-1])),
            rows=chosen[present],
            coloured=self.coloured or (),
            ellipses=self.ellipses,
            subtitle=note,
        )


def _signed(value: float) -> str:
    return true_minus(f"{value:.2f}")


@dataclass(frozen=True, eq=False)
class CorrelationsDisplay(DescriptiveDisplay):
    """The correlations of the columns, within the classes or over all rows."""

    title: ClassVar[str] = "Correlations"
    made_by: ClassVar[str] = "data.correlations"
    page_key: ClassVar[str] = "explore.correlations"

    kind: Annotated[
        str,
        Field("Correlations", "Within classes: of the deviations from the class means, pooled. All "
              "rows together: what separates the classes counts too.", longest=10,
              choices={"within": "Within classes", "total": "All rows together"}),
    ] = "within"  # fmt: skip
    order: Annotated[
        str,
        Field("Order", "Clustered: correlated columns are adjacent (average linkage).",
              longest=10, choices={"file": "As in the file", "clustered": "Clustered"}),
    ] = "file"  # fmt: skip
    most: Annotated[
        int,
        Field("Columns shown at most", "With more columns, those with the strongest correlations "
              "are shown.", low=5, high=60, step=1),
    ] = 30  # fmt: skip

    @cached_property
    def correlations(self) -> inspection.Correlations:
        """The matrix that is shown."""
        return inspection.correlations(
            self.data,
            self.chosen,
            within=self.kind == "within",
            most=self.most,
            clustered=self.order == "clustered",
        )

    def finding(self) -> str:
        """State which two columns are correlated most."""
        pair = self.correlations.strongest()
        if pair is None:
            return "No correlation can be computed."
        first, second = shorten_all([self.correlations.names[i] for i in pair])
        r = _signed(float(self.correlations.matrix[pair]))
        return f"{first} and {second} are the most correlated: r = {r}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each pair."""
        names, matrix = self.correlations.names, self.correlations.matrix
        pairs = zip(*np.triu_indices(len(names), 1), strict=True)
        lines = [(names[i], names[j], float(matrix[i, j])) for i, j in pairs]
        return pd.DataFrame(lines, columns=["column", "other column", "r"])

    def plot(self) -> go.Figure:
        """Return the matrix."""
        text = f"{capital(self.which)}, each pair with both values present."
        shown, n_columns = len(self.correlations.names), self.correlations.n_columns
        if shown < n_columns:
            text += f" The {shown} of {n_columns:,} columns with the strongest correlations."
        kind = "within classes" if self.kind == "within" else "over all classes"
        return plots.correlation_matrix(self.correlations, kind=kind, subtitle=text)
