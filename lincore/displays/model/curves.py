"""Displays of curves: ROC, precision and recall, calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import pandas as pd

from lincore import metrics, plots, report
from lincore.displays.model.model_display import ModelDisplay, codes
from lincore.fields import Field
from lincore.utils import points

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.metrics import Calibration


#: More curves than this cannot be told apart.
MOST_CURVES = 6


def _first_classes(so_far: SimpleNamespace) -> tuple[int, ...]:
    return tuple(range(min(so_far.model.data.n_classes, MOST_CURVES)))


def _are_many(so_far: SimpleNamespace) -> bool:
    return bool(so_far.model.data.n_classes > MOST_CURVES)


@dataclass(frozen=True, eq=False)
class CurvesDisplay(ModelDisplay):
    """A curve for each class against the rest."""

    classes: (
        Annotated[
            tuple[int, ...],
            Field(
                "Classes",
                "Whose curves are drawn.",
                longest=500,
                choices=codes,
                auto=_first_classes,
                when=_are_many,
            ),
        ]
        | None
    ) = None

    @property
    def drawn(self) -> tuple[int, ...]:
        """The codes of the classes; of two the second, for the other is its mirror image."""
        if self.model.data.n_classes == 2:
            return (1,)
        return self.classes or _first_classes(SimpleNamespace(model=self.model))

    def finding(self) -> str:
        """Return the areas under the curves."""
        return str(self.plot().layout.meta["title"])  # type: ignore[union-attr]

    def table(self) -> pd.DataFrame:
        """Return nothing: the figure holds all of it."""
        return pd.DataFrame()

    def scope(self) -> str:
        """Return the rows, and by what they are ranked."""
        by = "posterior" if metrics.has_posteriors(self.results, self.method) else "decision score"
        return (
            f"Each class against the rest, on {self.tested} ranked by the {by} of the class. The "
            "operating point is where the model itself decides."
        )


@dataclass(frozen=True, eq=False)
class RocDisplay(CurvesDisplay):
    """True against false positive rates."""

    title: ClassVar[str] = "ROC"
    made_by: ClassVar[str] = "model.roc"
    place: ClassVar[str] = "classify.curves"
    is_reported: ClassVar[bool] = True

    def frame(self) -> pd.DataFrame:
        """Return a line for each point of each curve."""
        found = metrics.roc_curve(self.results, self.method)
        return pd.DataFrame(
            {"class": str(found[k].label), "false positive rate": x, "true positive rate": y}
            for k in self.drawn
            for x, y in zip(found[k].false_positive_rate, found[k].recall, strict=True)
        )

    def plot(self) -> go.Figure:
        """Return the curves with their operating points."""
        found = metrics.roc_curve(self.results, self.method)
        return plots.roc([plots.Curve.from_roc(found[k], code=k) for k in self.drawn])

    def notes(self) -> tuple[str, ...]:
        """Return DeLong's interval of the area."""
        return tuple(filter(None, [report.delong_note(self.results)]))


@dataclass(frozen=True, eq=False)
class PrecisionRecallDisplay(CurvesDisplay):
    """Precision against recall."""

    title: ClassVar[str] = "Precision and recall"
    made_by: ClassVar[str] = "model.precision_recall"
    is_reported: ClassVar[bool] = True

    def frame(self) -> pd.DataFrame:
        """Return a line for each point of each curve."""
        found = metrics.precision_recall_curve(self.results, self.method)
        return pd.DataFrame(
            {"class": str(found[k].label), "recall": x, "precision": y}
            for k in self.drawn
            for x, y in zip(found[k].recall, found[k].precision, strict=True)
        )

    def plot(self) -> go.Figure:
        """Return the curves with their operating points, and the shares of the classes."""
        found = metrics.precision_recall_curve(self.results, self.method)
        curves = [plots.Curve.from_precision_recall(found[k], code=k) for k in self.drawn]
        return plots.precision_recall(curves, shares=[found[k].share for k in self.drawn])


def _has_posteriors(so_far: SimpleNamespace) -> bool:
    return metrics.has_posteriors(so_far.model.results, so_far.model.name)


def _posteriors(so_far: SimpleNamespace) -> Mapping[int, str]:
    return {-1: "the predicted class", **codes(so_far)}


@dataclass(frozen=True, eq=False)
class CalibrationDisplay(ModelDisplay):
    """The observed frequency of a class against its posterior."""

    title: ClassVar[str] = "Calibration"
    made_by: ClassVar[str] = "model.calibration"
    place: ClassVar[str] = "classify.calibration"
    is_reported: ClassVar[bool] = True

    of_class: Annotated[
        int, Field("Posterior of", "Whose posterior is held against what came true.",
                   choices=_posteriors, when=_has_posteriors)
    ] = -1  # fmt: skip

    @property
    def code(self) -> int | None:
        """The class; None for the predicted one."""
        return None if self.of_class == -1 else self.of_class

    @property
    def is_possible(self) -> bool:
        """True for a model with posteriors."""
        return metrics.has_posteriors(self.results, self.method)

    @cached_property
    def found(self) -> Calibration:
        """The bins."""
        return metrics.calibration_curve(self.results, self.method, self.code)

    def finding(self) -> str:
        """Return the maximum calibration error."""
        if not self.is_possible:
            return f"{self.method} has no posteriors, so there is no calibration."
        return str(self.plot().layout.meta["title"])  # type: ignore[union-attr]

    def frame(self) -> pd.DataFrame:
        """Return a line for each bin of posteriors."""
        if not self.is_possible:
            return pd.DataFrame()
        part = plots.Reliability.from_calibration(self.found, code=self.code)
        named = {"predicted": part.predicted, "observed": part.observed}
        return pd.DataFrame({**named, "low": part.low, "high": part.high, "rows": part.counts})

    def table(self) -> pd.DataFrame:
        """Return nothing: the figure holds all of it."""
        return pd.DataFrame()

    def plot(self) -> go.Figure | None:
        """Return the bins with their intervals and numbers of rows."""
        if not self.is_possible:
            return None
        return plots.calibration([plots.Reliability.from_calibration(self.found, code=self.code)])

    def notes(self) -> tuple[str, ...]:
        """Return the expected calibration error, and the rows."""
        if not self.is_possible:
            return ()
        error = points(self.found.error)
        return (f"Expected calibration error {error} points, over {self.tested}.",)
