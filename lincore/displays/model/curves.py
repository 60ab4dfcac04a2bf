"""Displays of curves: ROC, precision and recall, net benefit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import metrics, plots, report
from lincore.displays.model.model_display import ModelDisplay, class_labels, has_posteriors
from lincore.fields import Field
from lincore.utils import listed, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.metrics import DecisionCurve
    from lincore.utils.typing import Flags


#: More curves than this cannot be told apart.
MOST_CURVES = 6


def _first_classes(so_far: SimpleNamespace) -> tuple[int, ...]:
    n_classes = so_far.model.data.n_classes
    # The curves of two classes mirror each other.
    return (1,) if n_classes == 2 else tuple(range(min(n_classes, MOST_CURVES)))


def _are_many(so_far: SimpleNamespace) -> bool:
    return bool(so_far.model.data.n_classes > MOST_CURVES)


@dataclass(frozen=True, eq=False)
class CurvesDisplay(ModelDisplay):
    """A curve for each class against the rest."""

    is_tabulated: ClassVar[bool] = False

    classes: (
        Annotated[
            tuple[int, ...],
            Field(
                "Classes",
                "Whose curves are drawn.",
                longest=500,
                choices=class_labels,
                auto=_first_classes,
                when=_are_many,
            ),
        ]
        | None
    ) = None

    @property
    def drawn(self) -> tuple[int, ...]:
        """The codes of the classes."""
        return self.classes or _first_classes(SimpleNamespace(model=self.model))

    def scope(self) -> str:
        """Return the rows, and by what they are ranked."""
        has_posteriors = metrics.has_posteriors(self.results, self.method)
        return (
            f"Each class against the rest, on {self.tested} ranked by the "
            f"{'posterior' if has_posteriors else 'decision score'} of the class. The operating "
            "point is where the model itself decides."
        )


@dataclass(frozen=True, eq=False)
class RocDisplay(CurvesDisplay):
    """True against false positive rates."""

    title: ClassVar[str] = "ROC"
    made_by: ClassVar[str] = "model.roc"
    page_key: ClassVar[str] = "classify.curves"
    is_reported: ClassVar[bool] = True

    def frame(self) -> pd.DataFrame:
        """Return a line for each point of each curve."""
        curves = metrics.roc_curve(self.results, self.method)
        return pd.DataFrame(
            {"class": str(curves[k].label), "false positive rate": x, "true positive rate": y}
            for k in self.drawn
            for x, y in zip(curves[k].false_positive_rate, curves[k].recall, strict=True)
        )

    def plot(self) -> go.Figure:
        """Return the curves with their operating points."""
        curves = metrics.roc_curve(self.results, self.method)
        return plots.roc([plots.Curve.from_roc(curves[k], code=k) for k in self.drawn])

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
        curves = metrics.precision_recall_curve(self.results, self.method)
        return pd.DataFrame(
            {"class": str(curves[k].label), "recall": x, "precision": y}
            for k in self.drawn
            for x, y in zip(curves[k].recall, curves[k].precision, strict=True)
        )

    def plot(self) -> go.Figure:
        """Return the curves with their operating points, and the shares of the classes."""
        of_classes = metrics.precision_recall_curve(self.results, self.method)
        curves = [plots.Curve.from_precision_recall(of_classes[k], code=k) for k in self.drawn]
        return plots.precision_recall(curves, shares=[of_classes[k].share for k in self.drawn])


def _rarest(so_far: SimpleNamespace) -> int:
    return int(report.rarest_class(so_far.model.results))


@dataclass(frozen=True, eq=False)
class DecisionCurveDisplay(ModelDisplay):
    """The net benefit of deciding for a class by its posterior, at every threshold."""

    title: ClassVar[str] = "Decision curve"
    made_by: ClassVar[str] = "model.decision_curve"
    page_key: ClassVar[str] = "classify.decision"
    is_reported: ClassVar[bool] = True

    of_class: (
        Annotated[
            int,
            Field(
                "Decide for",
                "The class that calls for action. A threshold of 20 % says that a hit is worth "
                "four false alarms.",
                choices=class_labels,
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
    def curve(self) -> DecisionCurve:
        """The curve."""
        return metrics.decision_curve(self.results, self.method, self.setting("of_class"))

    def finding(self) -> str:
        """Return the thresholds at which the model is better than all or none."""
        if not self.is_possible:
            return f"{self.method} has no posteriors, so there is no decision curve."
        label, ranges = quoted(self.curve.label), _ranges(self.curve.is_useful)
        others = f"predicting every row or no row as {label}"
        if not ranges:
            return f"At no threshold is {self.method} shown to be better than {others}."
        written = [percent(threshold, 0) for threshold in self.curve.thresholds]
        spans = listed([" to ".join(dict.fromkeys((written[a], written[b]))) for a, b in ranges])
        return f"At thresholds of {spans}, {self.method} is shown to be better than {others}."

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
        curve = self.curve
        return pd.DataFrame(
            {
                "threshold": curve.thresholds,
                "net benefit": curve.net_benefit,
                "low": curve.low,
                "high": curve.high,
                "every row": curve.every_row,
                "gain over every row": curve.gain,
                "gain low": curve.gain_low,
                "gain high": curve.gain_high,
            }
        )

    def table(self) -> pd.DataFrame:
        """Return a line for every tenth threshold, rounded."""
        if not self.is_possible:
            return pd.DataFrame()
        lines = self.frame().iloc[9::10].round(3)
        lines["threshold"] = [percent(threshold, 0) for threshold in lines["threshold"]]
        names = {"low": "from", "high": "to", "gain low": "gain from", "gain high": "gain to"}
        return lines.rename(columns=names)

    def plot(self) -> go.Figure | None:
        """Return the curve with its band, and those of all rows and none."""
        if not self.is_possible:
            return None
        return plots.decision_curve(self.curve, self.method, title=self.finding())

    def notes(self) -> tuple[str, ...]:
        """Return how to read the threshold, and on what the curve rests."""
        if not self.is_possible:
            return ()
        return (
            "The threshold is the posterior from which one would act: at 20 %, a hit is worth four "
            "false alarms. Read the curve where your own threshold lies.",
            "Better than both: the band is above 0, and so is that of the gain over every row. The "
            "gain has a band of its own, since both decide on the same rows.",
            "It holds for the share of the class among the test rows, and for posteriors as they "
            "are: see Calibration. Net benefit after Vickers and Elkin (2006).",
        )


def _ranges(mask: Flags) -> list[tuple[int, int]]:
    """Return first and last position of each run of True."""
    steps = np.diff(np.concatenate([[0], mask, [0]]).astype(int))
    starts, stops = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return list(zip(starts.tolist(), (stops - 1).tolist(), strict=True))
