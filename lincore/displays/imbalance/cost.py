"""Displays of the cost of an imbalance: its curve, its parts, corrections, more rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import plots, report
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.imbalance import FEWEST_SIZES, LOSS, CostCurve, ImbalanceCost
from lincore.metrics import Interval
from lincore.utils import percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

_LINES = {
    "uncorrected": "uncorrected",
    "balanced": "balanced (equal priors)",
    "matched": "matched to the costs",
}
# Pixels of the plot of corrections, as high as the waterfall beside it.
_HEIGHT = 430


def _methods(so_far: SimpleNamespace) -> dict[str, str]:
    return {name: so_far.cost.settings.label(name) for name in so_far.cost.methods}


def _first(so_far: SimpleNamespace) -> str:
    return str(so_far.cost.methods[0])


def _losses(so_far: SimpleNamespace) -> tuple[str, ...]:
    return tuple(so_far.cost.loss_names)


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
        return f"{report.cost_basis(self.cost)} {report.cost_training_rows(self.cost)}"


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
        """Return from which cost of a miss balancing pays."""
        if self.curve is None:
            return f"{self.label} has no posterior probabilities, so other priors cannot be used."
        return report.cost_curve_finding(self.cost, self.chosen)

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
        miss, alarms = report.miss_in_words(self.cost)
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
        """Return what the costs are of."""
        if self.curve is None:
            return ()
        return (
            "Expected cost of 100 rows at the class shares of the file; a false alarm costs 1. All "
            "decisions are those of one model: with its learned priors, with equal priors, and "
            "with the priors that minimise the expected cost.",
        )


@dataclass(frozen=True, eq=False)
class LossDisplay(CostDisplay):
    """A display of one loss."""

    loss: Annotated[
        str,
        Field(
            "Loss",
            "The decomposed loss: by default the share of misclassified rows under the deployment "
            "prevalence.",
            longest=500,
            choices=_losses,
        ),
    ] = LOSS

    @property
    def loss_name(self) -> str:
        """What the loss is called."""
        return report.loss_name(self.cost, self.loss)

    @property
    def is_share(self) -> bool:
        """True if the loss is read in per cent."""
        return bool(self.cost.named(self.loss).is_share)

    @property
    def of_100_rows(self) -> bool:
        """True if the loss is written for a hundred rows."""
        return report.is_of_100_rows(self.cost, self.loss)

    @property
    def is_possible(self) -> bool:
        """True if the model has this loss."""
        return not np.isnan(self.cost.loss(self.chosen, "uncorrected", self.loss)).any()

    def write(self, value: Interval) -> str:
        """Return the loss, or a change of it, as text."""
        return report.format_loss(value, "error" if self.of_100_rows else "log loss")

    @property
    def scaling(self) -> dict[str, Any]:
        """The unit and scale of figures."""
        return {
            "unit": "points" if self.is_share else "",
            "scale": 100.0 if self.of_100_rows else 1.0,
        }


@dataclass(frozen=True, eq=False)
class CostDecompositionDisplay(LossDisplay):
    """The parts of the loss: prior shift, majority bias, small class."""

    title: ClassVar[str] = "Error decomposition"
    made_by: ClassVar[str] = "cost.decomposition"

    def finding(self) -> str:
        """Return the loss as trained, and the condition under which it is that."""
        return report.cost_level_finding(self.cost, self.chosen, self.loss)

    def frame(self) -> pd.DataFrame:
        """Return a line for each method and part, with its interval."""
        return pd.DataFrame(
            {"method": method, "loss": self.loss_name, "part": part, **value._asdict()}
            for method in self.cost.methods
            for part, value in self._parts(method)
        )

    def _parts(self, method: str) -> Iterator[tuple[str, Interval]]:
        split = self.cost.attribution(method, self.loss)
        yield from {"uncorrected": split.uncorrected, **split.parts, "limit": split.limit}.items()

    def table(self) -> pd.DataFrame:
        """Return a line for each method: the loss, its parts, the recommended correction."""
        condition, rows = report.cost_condition(self.cost), []
        for method in self.cost.methods:
            chosen = self.cost.recommended(method, self.loss)
            row = {"model": self.cost.settings.label(method)}
            row |= {part: self.write(v) for part, v in self._parts(method) if part != "limit"}
            row[f"recommended if {condition}"] = (
                report.correction_name(chosen.name) if chosen else "no correction"
            )
            row["recovered"] = self.write(chosen.recovered) if chosen else "–"
            rows.append(row)
        return pd.DataFrame(rows)

    def plot(self) -> go.Figure | None:
        """Return the waterfall from the loss as trained to that of many rows, corrected."""
        if not self.is_possible:
            return None
        split = self.cost.attribution(self.chosen, self.loss)
        known = {name: part for name, part in split.parts.items() if part.value == part.value}
        return plots.waterfall(
            {part: (-value, -high, -low) for part, (value, low, high) in known.items()},
            split.uncorrected.value,
            start_name="uncorrected",
            end_name="many rows, corrected" if "small class" in known else "corrected",
            loss=self.loss_name,
            greater_is_better=self.cost.named(self.loss).greater_is_better,
            title=f"Error decomposition: {self.loss_name} of {self.label}",
            basis="95 % intervals over splits." if len(self.cost.seeds) > 1 else "The first split.",
            **self.scaling,
        )

    def notes(self) -> tuple[str, ...]:
        """Return each part of the model's loss in words."""
        if not self.is_possible:
            return ()
        return report.cost_decomposition_sentences(self.cost, self.chosen, self.loss)


@dataclass(frozen=True, eq=False)
class CostCorrectionsDisplay(LossDisplay):
    """What each correction recovers of the loss, and what it costs elsewhere."""

    title: ClassVar[str] = "Corrections"
    made_by: ClassVar[str] = "cost.corrections"

    def finding(self) -> str:
        """Return which correction is recommended under which condition, and its price."""
        if not self.is_possible:
            return report.cost_level_finding(self.cost, self.chosen, self.loss)
        return report.cost_recommendation(self.cost, self.chosen, self.loss)

    def frame(self) -> pd.DataFrame:
        """Return a line for each correction and quantity, with its interval."""
        return pd.DataFrame(
            {"correction": one.name, "quantity": quantity, **value._asdict()}
            for one in self.cost.corrected(self.chosen, self.loss)
            for quantity, value in {
                self.loss_name: one.loss,
                "recovered": one.recovered,
                "change of the error at the file's shares": one.file_error,
                **{
                    f"change of recall of {label}": change
                    for label, change in zip(self.cost.classes, one.recall_change, strict=True)
                },
                "change of the recall of the others": one.others,
            }.items()
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each correction; the first is uncorrected."""
        if not self.is_possible:
            return pd.DataFrame()
        cost, chosen = self.cost, self.cost.recommended(self.chosen, self.loss)
        head = f"{self.loss_name}{' (%)' if self.is_share else ''}"
        uncorrected = cost.attribution(self.chosen, self.loss).uncorrected
        rows = [{"correction": "uncorrected", head: self.write(uncorrected)}]
        rarest, condition = quoted(cost.classes[cost.ratios.rare]), report.cost_condition(cost)
        for one in cost.corrected(self.chosen, self.loss):
            row = {
                "correction": report.correction_name(one.name),
                head: self.write(one.loss),
                "recovered": self.write(one.recovered),
            }
            if cost.rare is not None:
                rare = one.recall_change[cost.rare]
                row[f"recall of {quoted(cost.classes[cost.rare])}"] = report.format_loss(
                    rare, "recall"
                )
            row["recall of the others"] = report.format_loss(one.others, "recall")
            row["error at the file's shares"] = report.format_loss(one.file_error, "error")
            mean = cost.mean_posterior(self.chosen, one.name)
            row[f"mean probability of {rarest}"] = "–" if np.isnan(mean) else percent(mean)
            is_chosen = chosen is not None and one.name == chosen.name
            row["recommended"] = f"if {condition}" if is_chosen else ""
            rows.append(row)
        return pd.DataFrame(rows).fillna("")

    def plot(self) -> go.Figure | None:
        """Return a bar for each correction: what it recovers, and what the others lose."""
        if not self.is_possible:
            return None
        corrections = self.cost.corrected(self.chosen, self.loss)
        return plots.remedies(
            [report.correction_name(one.name) for one in corrections],
            [one.recovered for one in corrections],
            [one.others for one in corrections] if self.is_share else None,
            score=self.loss_name,
            title=f"What corrections recover: {self.loss_name}",
            height=_HEIGHT,
            basis="95 % intervals, paired." if len(self.cost.seeds) > 1 else "The first split.",
            **self.scaling,
        )

    def notes(self) -> tuple[str, ...]:
        """Return what is not available and why, and how the others are made."""
        if not self.is_possible:
            return ()
        missing = self.cost.unavailable.get(self.chosen, {})
        return (
            *(
                f"{report.correction_name(name).capitalize()}: not available. {why}"
                for name, why in missing.items()
            ),
            "Balanced weights + corrected priors is scikit-learn's class_weight, aimed at the "
            "deployment prevalence. The tuned threshold is chosen by cross-validation inside the "
            "training set. Changes against uncorrected, in points, paired by split.",
        )


def _as_many(so_far: SimpleNamespace) -> int:
    cost = so_far.cost
    return 1 if cost.rare is None else int(cost.counts[cost.rare])


@dataclass(frozen=True, eq=False)
class MoreRowsDisplay(LossDisplay):
    """What more training rows of the rarest class would bring, by extrapolation."""

    title: ClassVar[str] = "More rows"
    made_by: ClassVar[str] = "cost.more_rows"

    more: (
        Annotated[
            int,
            Field(
                "More training rows",
                "Rows of the rarest class that might be collected.",
                low=1,
                high=1_000_000,
                auto=_as_many,
            ),
        ]
        | None
    ) = None

    @cached_property
    def _seen(self) -> tuple[np.ndarray, np.ndarray]:
        """The sizes of the sweep that were fitted, and the losses of every split there."""
        k, i = self.cost.loss_names.index(self.loss), self.cost.methods.index(self.chosen)
        values = self.cost.size_losses[i, :, :, k]
        seen = np.isfinite(values).all(axis=1)
        return self.cost.sizes[seen], values[seen]

    def finding(self) -> str:
        """Return by how much they would lower the loss."""
        more = self.more or _as_many(SimpleNamespace(cost=self.cost))
        return report.more_rows_finding(self.cost, self.chosen, more, self.loss)

    def frame(self) -> pd.DataFrame:
        """Return a line for each size of the rarest class: the mean loss over splits."""
        sizes, values = self._seen
        return pd.DataFrame(
            {"training rows": int(size), self.loss_name: float(line.mean())}
            for size, line in zip(sizes, values, strict=True)
        )

    def table(self) -> pd.DataFrame:
        """Return nothing: the figure holds all of it."""
        return pd.DataFrame()

    def plot(self) -> go.Figure | None:
        """Return the loss, corrected, by the size of the rarest class; None from too few sizes."""
        sizes, values = self._seen
        if self.cost.rare is None or len(sizes) < FEWEST_SIZES:
            return None
        if self.of_100_rows and not self.is_share:
            values = 100 * values
        low, high = np.quantile(values, [0.1, 0.9], axis=1)
        return plots.sweep(
            sizes,
            values.mean(axis=1)[None],
            low[None],
            high[None],
            [self.label],
            across=f"training rows of {quoted(self.cost.classes[self.cost.rare])}",
            score=self.loss_name,
            as_percent=self.is_share,
            title="Class-size sweep, with balanced weights + corrected priors",
            basis="Line: mean over splits; band: their middle 80 %.",
        )
