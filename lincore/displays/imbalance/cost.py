"""Display of the cost curve of an imbalance, and what displays of its cost have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from lincore import plots, report
from lincore.displays.base import Display, first_of
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


@dataclass(frozen=True, eq=False)
class CostDisplay(Display):
    """A display of what the imbalance of a file costs one of the models."""

    #: False if rows count as in the file, not as in deployment.
    has_prevalence: ClassVar[bool] = True

    cost: ImbalanceCost
    method: (
        Annotated[
            str,
            Field(
                "Model",
                "The model that is shown.",
                longest=500,
                choices=_methods,
                auto=first_of(_methods),
            ),
        ]
        | None
    ) = None

    @property
    def chosen(self) -> str:
        """The method that is shown."""
        return str(self.setting("method"))

    @property
    def label(self) -> str:
        """What that method is called."""
        return self.cost.settings.label(self.chosen)

    def scope(self) -> str:
        """Return the splits, the training rows of each class, and its share in deployment."""
        counts, shares = self.cost.counts, self.cost.prevalence
        each = [
            f"{quoted(label)} {int(n):,}" + (f" ({percent(share)})" if self.has_prevalence else "")
            for n, label, share in zip(counts, self.cost.classes, shares, strict=True)
        ]
        heading = "Training rows" + (", and share in deployment" if self.has_prevalence else "")
        return f"{self._basis()} {heading}: {listed(each, most=8)}."

    def _basis(self) -> str:
        weighted = report.weights_in_sizes(self.cost.counts, self.cost.totals)
        if len(self.cost.seeds) == 1:
            return f"The first split ({self.cost.n_test:,} test rows), so no intervals.{weighted}"
        n, wanted = len(self.cost.seeds), self.cost.settings.repeats
        unit = "splits" if self.cost.new_splits else "repetitions on one test set"
        number = f"{n} of {wanted}" if n < wanted else str(n)
        return (
            f"Means of {number} {unit} ({self.cost.n_test:,} test rows each), with 95 % intervals "
            f"that are conditional on the class counts of the file.{weighted}"
        )

    def after_splits(self, sentence: str) -> str:
        """Return a sentence, which begins with the number of splits while some are missing."""
        before = report.after_splits(len(self.cost.seeds), self.cost.settings.repeats)
        return f"{before}{sentence[:1].lower()}{sentence[1:]}" if before else sentence

    def without_curve(self) -> str:
        """State why the model has no cost curve."""
        return f"{self.label} has no posterior probabilities, so other priors cannot be used."

    @property
    def _miss(self) -> tuple[str, str, str]:
        """The subject and the unit of the cost, singular and plural."""
        if len(self.cost.classes) == 2:
            return f"a missed {self._rare}", "a false alarm", "false alarms"
        return f"an error on {self._rare}", "any other error", "other errors"

    @property
    def _rare(self) -> str:
        return quoted(self.cost.classes[self.cost.ratios.rare])

    def curves_figure(self, lines: ArrayLike, names: Sequence[str], **more: Any) -> go.Figure:
        """Return a figure of cost curves (M, G, 3)."""
        n, wanted = len(self.cost.seeds), self.cost.settings.repeats
        basis = f"Bands: 95 % intervals over {n} splits" if n > 1 else "The first split"
        basis += f" of {wanted}" if 1 < n < wanted else ""
        miss, _, alarms = self._miss
        ratios = self.cost.ratios
        return plots.cost_curve(
            ratios.ratios,
            lines,
            names,
            class_ratio=ratios.class_ratio,
            asked=ratios.asked,
            across=f"cost of {miss}, in {alarms}",
            basis=f"{basis}, at the class shares of the file.",
            **more,
        )


@dataclass(frozen=True, eq=False)
class CostCurveDisplay(CostDisplay):
    """The expected cost by the cost of a miss, as trained, balanced, and matched to the costs."""

    title: ClassVar[str] = "Cost curve"
    made_by: ClassVar[str] = "cost.curve"
    has_prevalence: ClassVar[bool] = False

    @cached_property
    def curve(self) -> CostCurve | None:
        """The curve; None for a method whose posteriors take no other priors."""
        return self.cost.curves.get(self.chosen)

    def finding(self) -> str:
        """State from which cost of a miss balancing pays."""
        if self.curve is None:
            return self.without_curve()
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
        subject, even = f"Balancing the priors of {self.label}", curve.break_even()
        miss, alarm, alarms = self._miss
        value, low, high, asked = map(report.cost_ratio, (*even, curve.costs.asked))
        if np.isnan(even.value):
            return (
                f"{subject} does not reduce the misses of {self._rare} among the test rows, so it "
                "does not pay, whatever a miss costs."
            )
        if np.isinf(even.high):
            end = report.cost_ratio(curve.ratios[-1])
            return (
                f"{subject} does not significantly pay at any cost of {miss} up to {end} {alarms}."
            )
        if even.high <= 1:
            return f"{subject} pays even if {miss} costs {alarm}."
        if even.low <= curve.costs.asked <= even.high:
            amount = f"as much as {alarm}" if asked == "1" else f"{asked} {alarms}"
            return (
                f"{subject} does not significantly change the cost if {miss} costs {amount}: "
                f"the break-even is {value} ({low} to {high})."
            )
        amount = alarm if value == "1" else f"{value} {alarms}"
        basis = ", estimated on one split" if np.isnan(even.low) else f" ({low} to {high})"
        return f"{subject} pays if {miss} costs more than {amount}{basis}."

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
        text = "At 1 to 1, balancing "
        if asked != 1:
            saving = _relative_change(self.curve.relative_saving(asked))
            text = f"At {report.cost_ratio(asked)} to 1, balancing {saving}; at 1 to 1 it "
        if not harm.value:
            return f"{text}does not change the error."
        if harm.low <= 0 <= harm.high:
            change = points(-harm.value, signed=True)
            return f"{text}does not significantly change the error ({change} points)."
        verb = "raises" if harm.value < 0 else "lowers"
        return f"{text}{verb} the error by {points(abs(harm.value))} points."

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
        miss, even = self._miss[0], self.curve.break_even()
        title = f"{self.label}: expected cost by the cost of {miss}"
        if even.value > 1 and even.high < np.inf:
            value, low, high = map(report.cost_ratio, even)
            title = f"{self.label}: break-even of balancing at {value} to 1 ({low} to {high})"
        lines = np.stack([self.curve.line(line) for line in _LINES])
        return self.curves_figure(lines, list(_LINES.values()), title=title, break_even=even)

    def notes(self) -> tuple[str, ...]:
        """State what the costs are of."""
        if self.curve is None:
            return ()
        return (
            "Expected cost of 100 rows at the class shares of the file; a false alarm costs 1. All "
            "decisions are those of one model: with its learned priors, with equal priors, and "
            "with the priors that minimise the expected cost.",
        )


def _relative_change(saving: Interval) -> str:
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


def _others(so_far: SimpleNamespace) -> dict[str, str]:
    curves = so_far.cost.curves
    if so_far.method not in curves:
        return {}
    labels = _methods(so_far).items()
    return {name: label for name, label in labels if name != so_far.method and name in curves}


@dataclass(frozen=True, eq=False)
class CostDifferenceDisplay(CostDisplay):
    """The expected costs of two models by the cost of a miss, and their difference."""

    title: ClassVar[str] = "Two models"
    made_by: ClassVar[str] = "cost.curve_difference"
    has_prevalence: ClassVar[bool] = False
    page_key: ClassVar[str] = "balance.pair"

    other: (
        Annotated[
            str,
            Field(
                "Compared with",
                "The model whose cost is subtracted.",
                longest=500,
                choices=_others,
                auto=first_of(_others, None),
            ),
        ]
        | None
    ) = None
    line: Annotated[
        str,
        Field(
            "Priors of both",
            "As learned from the file, equal, or those of least expected cost at each ratio.",
            choices=_LINES,
        ),
    ] = "matched"

    @cached_property
    def _pair(self) -> tuple[CostCurve, ...]:
        """The curves of both models; none without a second one."""
        names = self.chosen, self.setting("other")
        return () if names[1] is None else tuple(self.cost.curves[name] for name in names)

    @property
    def _labels(self) -> list[str]:
        return [self.cost.settings.label(curve.method) for curve in self._pair]

    @cached_property
    def _excess(self) -> dict[float, Interval]:
        """The cost of the first model minus that of the second, by ratio."""
        if not self._pair:
            return {}
        first, second = self._pair
        return {ratio: first.excess(second, ratio, self.line) for ratio in first.ratios.tolist()}

    def finding(self) -> str:
        """State which of the two costs less at the ratio that is asked about."""
        if not self._pair:
            if self.chosen not in self.cost.curves:
                return self.without_curve()
            return "No other model has posterior probabilities: add one to compare cost curves."
        asked, (first, second) = self.cost.ratios.asked, self._labels
        value, low, high = self._excess[asked]
        condition, amount = f"At {report.cost_ratio(asked)} to 1", points(abs(value))
        if low <= 0 <= high:
            change = report.format_loss(Interval(value, low, high), "cost")
            costs = f"the costs of {first} and {second} do not differ significantly"
            return self.after_splits(f"{condition} {costs}: {change} per 100 rows.")
        if value > 0:
            first, second, low, high = second, first, -high, -low
        span = "" if np.isnan(low) else f" ({points(-high)} to {points(-low)})"
        less = (
            f"{amount} less per 100 rows than {second}{span}" if value else f"as much as {second}"
        )
        return self.after_splits(f"{condition} {first} costs {less}.")

    def scope(self) -> str:
        """Return where each model costs significantly less, and the rows."""
        return " ".join(filter(None, [self._ranges(), super().scope()]))

    def _ranges(self) -> str:
        """State at which ratios the difference is significant, and which model costs less."""
        if not self._pair or len(self.cost.seeds) < 2:
            return ""
        signs = {r: np.sign(d.value) * (d.low > 0 or d.high < 0) for r, d in self._excess.items()}
        parts = []
        for label, sign in zip(self._labels, (-1, 1), strict=True):
            runs = [list(run) for key, run in groupby(signs, signs.__getitem__) if key == sign]
            ends = [(report.cost_ratio(run[0]), report.cost_ratio(run[-1])) for run in runs]
            spans = [f"at {low}" if low == high else f"from {low} to {high}" for low, high in ends]
            parts += [f"{label} {listed(spans)}"] * bool(spans)
        if not parts:
            return "The difference is not significant at any ratio."
        return f"Ratios at which the cost is significantly lower: {'; '.join(parts)}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each ratio and model, and their difference, with its interval."""
        rows = []
        for ratio, less in self._excess.items():
            costs = [curve.cost(self.line, ratio) for curve in self._pair]
            names = *(curve.method for curve in self._pair), "difference"
            rows += [
                {"ratio": ratio, "cost of": name, **cost._asdict()}
                for name, cost in zip(names, (*costs, less), strict=True)
            ]
        return pd.DataFrame(rows)

    def table(self) -> pd.DataFrame:
        """Return a line for each ratio: the cost of a hundred rows of both, and the difference."""
        rows = []
        for ratio, less in self._excess.items():
            costs = [curve.cost(self.line, ratio) for curve in self._pair]
            cells = [report.format_loss(cost, "cost") for cost in (*costs, less)]
            names = *self._labels, "difference"
            rows.append(
                {"a miss costs": report.cost_ratio(ratio)} | dict(zip(names, cells, strict=True))
            )
        return pd.DataFrame(rows)

    def plot(self) -> go.Figure | None:
        """Return both curves, and their difference below them."""
        if not self._pair:
            return None
        first, second = self._labels
        return self.curves_figure(
            np.stack([curve.line(self.line) for curve in self._pair]),
            (first, second),
            title=f"{first} and {second}: expected cost, {_LINES[self.line]}",
            difference=list(self._excess.values()),
        )

    def notes(self) -> tuple[str, ...]:
        """State what the costs are of, and how the difference is estimated."""
        if not self._pair:
            return ()
        return (
            "Expected cost of 100 rows at the class shares of the file; a false alarm costs 1. "
            "Both models are tested on the same rows of the same splits, and the interval of the "
            "difference is paired: its variance is that of the differences of each row, averaged "
            "over the splits. It holds for one ratio, not for the whole curve.",
        )
