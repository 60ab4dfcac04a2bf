"""Display of the cost curve of an imbalance, and what displays of its cost have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import plots, report
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.imbalance import CostCurve, ImbalanceCost
from lincore.metrics import Interval
from lincore.utils import listed, percent, points, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

_LINES = {
    "uncorrected": "uncorrected",
    "balanced": "balanced (equal priors)",
    "matched": "matched to the costs",
}
# Up to this class ratio classes count as equally frequent.
_EQUAL = 1.01


def _methods(so_far: SimpleNamespace) -> dict[str, str]:
    return {name: so_far.cost.settings.label(name) for name in so_far.cost.methods}


def _first(so_far: SimpleNamespace) -> str:
    return str(so_far.cost.methods[0])


@dataclass(frozen=True, eq=False)
class CostDisplay(Display):
    """A display of what the imbalance of a file costs one of the models."""

    cost: ImbalanceCost
    method: (
        Annotated[
            str,
            Field("Model", "The model that is shown.", longest=500, choices=_methods, auto=_first),
        ]
        | None
    ) = None

    @property
    def chosen(self) -> str:
        """The method that is shown."""
        return self.method or self.cost.methods[0]

    @property
    def label(self) -> str:
        """What that method is called."""
        return self.cost.settings.label(self.chosen)

    def scope(self) -> str:
        """Return the splits, the training rows of each class, and its share in deployment."""
        each = [
            f"{quoted(label)} {int(n):,} ({percent(share)})"
            for n, label, share in zip(
                self.cost.counts, self.cost.classes, self.cost.prevalence, strict=True
            )
        ]
        rows = f"Training rows, and share in deployment: {listed(each, most=8)}."
        return f"{self._basis()} {rows}"

    def _basis(self) -> str:
        weighted = report.weights_in_sizes(self.cost.counts, self.cost.totals)
        if len(self.cost.seeds) == 1:
            return f"The first split ({self.cost.n_test:,} test rows), so no intervals.{weighted}"
        n, wanted = len(self.cost.seeds), self.cost.settings.repeats
        what = "splits" if self.cost.new_splits else "repetitions on one test set"
        of = f"{n} of {wanted}" if n < wanted else str(n)
        return (
            f"Means of {of} {what} ({self.cost.n_test:,} test rows each), with 95 % intervals that "
            f"are conditional on the class counts of the file.{weighted}"
        )

    def after_splits(self, sentence: str) -> str:
        """Return a sentence, which begins with the number of splits while some are missing."""
        before = report.after_splits(len(self.cost.seeds), self.cost.settings.repeats)
        return f"{before}{sentence[:1].lower()}{sentence[1:]}" if before else sentence


@dataclass(frozen=True, eq=False)
class CostCurveDisplay(CostDisplay):
    """The expected cost by the cost of a miss, as trained, balanced, and matched to the costs."""

    title: ClassVar[str] = "Cost curve"
    made_by: ClassVar[str] = "cost.curve"

    @cached_property
    def curve(self) -> CostCurve | None:
        """The curve; None for a method whose posteriors take no other priors."""
        return self.cost.curves.get(self.chosen)

    def finding(self) -> str:
        """State from which cost of a miss balancing pays."""
        if self.curve is None:
            return f"{self.label} has no posterior probabilities, so other priors cannot be used."
        if self.cost.ratios.class_ratio <= _EQUAL:
            error = percent(self.curve.cost("uncorrected", 1.0).value)
            return (
                "The classes of the file are equally frequent, so balancing changes nothing: "
                f"{self.label} has an error of {error}."
            )
        return self.after_splits(self._break_even(self.curve))

    def scope(self) -> str:
        """Return the effect of balancing at some costs, and the rows."""
        return " ".join(filter(None, [self.effect(), super().scope()]))

    def _break_even(self, curve: CostCurve) -> str:
        """State from which cost of a miss balancing pays."""
        what, even = f"Balancing the priors of {self.label}", curve.break_even()
        miss, alarm, alarms = self._miss
        if np.isnan(even.value):
            return f"{what} misses no fewer rows of {self._rare}, so it never pays."
        if np.isinf(even.high):
            end = report.cost_ratio(curve.ratios[-1])
            return f"{what} does not significantly pay at any cost of {miss} up to {end} {alarms}."
        if even.value <= 1:
            return f"{what} pays even if {miss} costs no more than {alarm}."
        value, low, high = map(report.cost_ratio, even)
        text = f"{what} pays if {miss} costs more than {value} {alarms}"
        return f"{text}." if np.isnan(even.low) else f"{text} ({low} to {high})."

    def effect(self) -> str:
        """State what balancing does to the cost at the chosen ratio, and to the error, if it does.

        Returns
        -------
        str
            Empty if balancing is impossible or changes nothing.
        """
        if self.curve is None or self.cost.ratios.class_ratio <= _EQUAL:
            return ""
        asked, harm = self.cost.ratios.asked, self.curve.saving(1.0)
        text = "At 1 to 1 balancing "
        if asked != 1:
            saving = _relative(self.curve.relative_saving(asked))
            text = f"At {report.cost_ratio(asked)} to 1 balancing {saving}; at 1 to 1 it "
        if not harm.value:
            return f"{text}does not change the error."
        if harm.low <= 0 <= harm.high:
            change = points(-harm.value, signed=True)
            return f"{text}changes the error by {change} points, within chance."
        verb = "raises" if harm.value < 0 else "lowers"
        return f"{text}{verb} the error by {points(abs(harm.value))} points."

    @property
    def _miss(self) -> tuple[str, str, str]:
        """The subject and the unit of the cost, singular and plural."""
        if len(self.cost.classes) == 2:
            return f"a missed {self._rare}", "a false alarm", "false alarms"
        return f"an error on {self._rare}", "any other error", "other errors"

    @property
    def _rare(self) -> str:
        return quoted(self.cost.classes[self.cost.ratios.rare])

    def frame(self) -> pd.DataFrame:
        """Return a line for each ratio and decision: the cost of a row, with its interval."""
        if self.curve is None:
            return pd.DataFrame()
        return pd.DataFrame(
            {"ratio": float(ratio), "decision": line, **self.curve.cost(line, ratio)._asdict()}
            for ratio in self.curve.ratios
            for line in _LINES
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each ratio: the cost of a hundred rows by each decision."""
        if self.curve is None:
            return pd.DataFrame()
        rows = []
        for ratio in self.curve.ratios:
            row = {"a miss costs": report.cost_ratio(ratio)}
            for line in _LINES:
                row[line] = report.format_loss(self.curve.cost(line, ratio), "cost")
            value, low, high = self.curve.saving(ratio, "balanced")
            less = report.format_loss(Interval(-value, -high, -low), "cost")
            rows.append(row | {"balanced minus uncorrected": less})
        return pd.DataFrame(rows)

    def plot(self) -> go.Figure | None:
        """Return the three curves, with the break-even of balancing."""
        if self.curve is None:
            return None
        miss, _, alarms = self._miss
        even = self.curve.break_even()
        title = f"{self.label}: expected cost by the cost of {miss}"
        if even.value > 1 and even.high < np.inf:
            title = f"{self.label}: balancing pays from {report.cost_ratio(even.value)} to 1 on"
        n, wanted = len(self.cost.seeds), self.cost.settings.repeats
        basis = f"Bands: 95 % intervals over {n} splits" if n > 1 else "The first split"
        basis += f" of {wanted}" if 1 < n < wanted else ""
        return plots.cost_curve(
            self.curve.ratios,
            np.stack([self.curve.line(line) for line in _LINES]),
            list(_LINES.values()),
            class_ratio=self.cost.ratios.class_ratio,
            asked=self.cost.ratios.asked,
            break_even=even,
            across=f"cost of {miss}, in {alarms}",
            title=title,
            basis=f"{basis}, at the class shares of the file.",
        )

    def notes(self) -> tuple[str, ...]:
        """State what the costs are of."""
        if self.curve is None:
            return ()
        return (
            "Expected cost of 100 rows at the class shares of the file; a false alarm costs 1. All "
            "decisions are those of one model: with its learned priors, with equal priors, and "
            "with the priors that minimise the expected cost.",
        )


def _relative(saving: Interval) -> str:
    """State by how much a cost changes, in per cent."""
    value, low, high = saving
    if np.isnan(value):
        return "keeps the cost at zero"
    if low <= 0 <= high:
        ends = f"{points(-high, 0, signed=True)} to {points(-low, 0, signed=True)}"
        return f"changes the cost by {points(-value, 0, signed=True)} % ({ends})"
    verb = "lowers" if value > 0 else "raises"
    least, most = sorted((low, high)) if value > 0 else sorted((-low, -high))
    span = "" if np.isnan(low) else f" ({points(least, 0)} to {points(most, 0)})"
    return f"{verb} the cost by {points(abs(value), 0)} %{span}"
