"""Displays of curves: ROC, precision and recall, net benefit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import pandas as pd

from lincore import metrics, plots, report
from lincore.displays.model.model_display import ModelDisplay, codes, has_posteriors
from lincore.fields import Field
from lincore.utils import listed, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.metrics import DecisionCurve


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
        """The codes of the classes; one of two, because the curves mirror each other."""
        if self.model.data.n_classes == 2:
            return self.classes or (1,)
        return self.classes or _first_classes(SimpleNamespace(model=self.model))

    def finding(self) -> str:
        """Return the areas under the curves."""
        return self.figure_title

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


def _rarest(so_far: SimpleNamespace) -> int:
    return int(report.rarest_class(so_far.model.results))


@dataclass(frozen=True, eq=False)
class DecisionCurveDisplay(ModelDisplay):
    """The net benefit of deciding for a class by its posterior, at every threshold."""

    title: ClassVar[str] = "Decision curve"
    made_by: ClassVar[str] = "model.decision_curve"
    place: ClassVar[str] = "classify.decision"
    is_reported: ClassVar[bool] = True

    of_class: (
        Annotated[
            int,
            Field(
                "Decide for",
                "The class that calls for action. A threshold of 20 % says that a hit is worth "
                "four false alarms.",
                choices=codes,
                auto=_rarest,
                when=has_posteriors,
            ),
        ]
        | None
    ) = None

    @property
    def is_possible(self) -> bool:
        """True for a model with posteriors."""
        return metrics.has_posteriors(self.results, self.method)

    @cached_property
    def found(self) -> DecisionCurve:
        """The curve."""
        code = (
            _rarest(SimpleNamespace(model=self.model)) if self.of_class is None else self.of_class
        )
        return metrics.decision_curve(self.results, self.method, code)

    def finding(self) -> str:
        """Return the thresholds at which the model is better than all or none."""
        if not self.is_possible:
            return f"{self.method} has no posteriors, so there is no decision curve."
        label, ranges = quoted(self.found.label), _ranges(self.found.is_useful)
        others = f"predicting every row or none as {label}"
        if not ranges:
            return f"At no threshold is {self.method} shown to be better than {others}."
        at = [
            percent(low, 0) if low == high else f"{percent(low, 0)} to {percent(high, 0)}"
            for low, high in (
                (self.found.thresholds[a], self.found.thresholds[b]) for a, b in ranges
            )
        ]
        return f"At thresholds of {listed(at)}, {self.method} is shown to be better than {others}."

    def scope(self) -> str:
        """Return the rows, and what net benefit is."""
        if not self.is_possible:
            return ""
        return (
            f"On {self.tested}. Net benefit: hits minus false alarms per row, a false alarm "
            "weighed by the odds of the threshold."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each threshold."""
        if not self.is_possible:
            return pd.DataFrame()
        found = self.found
        return pd.DataFrame(
            {
                "threshold": found.thresholds,
                "net benefit": found.net_benefit,
                "low": found.low,
                "high": found.high,
                "every row": found.every_row,
                "gain over every row": found.gain,
                "gain low": found.gain_low,
                "gain high": found.gain_high,
            }
        )

    def table(self) -> pd.DataFrame:
        """Return a line for every tenth threshold, rounded."""
        if not self.is_possible:
            return pd.DataFrame()
        found = self.frame().drop(columns=["gain low", "gain high"]).iloc[9::10].round(3)
        found["threshold"] = [percent(one, 0) for one in found["threshold"]]
        return found.rename(columns={"low": "from", "high": "to"})

    def plot(self) -> go.Figure | None:
        """Return the curve with its band, and those of all rows and none."""
        if not self.is_possible:
            return None
        return plots.decision_curve(self.found, self.method, title=self.finding())

    def notes(self) -> tuple[str, ...]:
        """Return how to read the threshold, and on what the curve rests."""
        if not self.is_possible:
            return ()
        return (
            "The threshold is the posterior from which one would act: at 20 %, a hit is worth four "
            "false alarms. Read the curve where your own threshold lies.",
            "It holds for the share of the class among the test rows, and for posteriors as they "
            "are: see Calibration. Net benefit after Vickers and Elkin (2006).",
        )


def _ranges(is_there: Iterable[bool]) -> list[tuple[int, int]]:
    """Return first and last position of each run of True."""
    found: list[tuple[int, int]] = []
    for place, yes in enumerate(is_there):
        if yes and found and found[-1][1] == place - 1:
            found[-1] = (found[-1][0], place)
        elif yes:
            found.append((place, place))
    return found
