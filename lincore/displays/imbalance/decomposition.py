"""Displays of a loss that a study of imbalance finds: its parts, and what corrections recover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from lincore import imbalance, plots, report
from lincore.displays.base import intervals, pivot
from lincore.displays.imbalance.study import StudyLossDisplay
from lincore.metrics import Interval
from lincore.utils import capital, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Pixels of the plot of corrections, as high as the waterfall beside it.
HEIGHT = 430
# A correction that recovers this share of the loss is reported to recover all of it, within chance.
_AS_GOOD = 0.9
# A quantity of a correction.
OTHERS = "change of the recall of the others"
#: Corrections whose names are plurals.
PLURAL = ("corrected priors", "balanced weights", "both")

_MEANING = {
    "prior shift": (
        "the model has learned that {rare}",
        "correcting the priors recovers this without refitting",
    ),
    "majority bias": (
        "means, axes and covariance follow the larger classes",
        "balanced weights recover this without new rows",
    ),
    "sample size": ("any training set of this size costs this", "only more rows would help"),
    "class size": ("{few}", "only rows of {names} would help"),
}


_WHY = {
    "corrected priors": "It uses every row once without refitting.",
    "balanced weights": "It uses every row once.",
    "both": "It uses every row once, and posteriors remain probabilities.",
    "moved threshold": "It uses every row once and does not change the posteriors.",
    "undersampling": "It trains on fewer rows.",
    "oversampling": "It discards no rows.",
}


@dataclass(frozen=True, eq=False)
class DecompositionDisplay(StudyLossDisplay):
    """The four parts of the loss caused by reducing classes."""

    title: ClassVar[str] = "Error decomposition"
    made_by: ClassVar[str] = "study.decomposition"

    def finding(self) -> str:
        """State what the reduction did, and which part weighs most."""
        return self.loss_finding()

    def frame(self) -> pd.DataFrame:
        """Return a line for each method, loss and part, with its interval."""
        return self._lines(self.study.methods, self.study.loss_names)

    def _lines(self, methods: Sequence[str], losses: Sequence[str]) -> pd.DataFrame:
        attributions = [
            (m, loss, self.study.attribution(m, loss)) for m in methods for loss in losses
        ]
        return pd.DataFrame(
            {"method": method, "loss": loss, "part": part, **value._asdict()}
            for method, loss, split in attributions
            for part, value in {"full": split.full, **split.parts, "reduced": split.reduced}.items()
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each loss of the model that the reduction is about."""
        cut = zip(self.study.recall_names, self.study.is_reduced, strict=True)
        recalls = [name for name, is_reduced in cut if is_reduced]
        lines = self._lines([self.chosen], ["error", "balanced error", "log loss", *recalls])
        lines["text"] = list(map(report.format_loss, intervals(lines), lines["loss"]))
        is_known = lines["value"].notna().groupby(lines["loss"]).transform("first")
        texts = pivot(lines[is_known], "loss", columns="part", values="text")
        units = np.where(texts["loss"] == "log loss", " (nats)", " (%)")
        labels = map(quoted, self.study.classes)
        quotes = {
            name: f"recall of {label}"
            for name, label in zip(self.study.recall_names, labels, strict=True)
        }
        return texts.assign(loss=texts["loss"].replace(quotes) + units)

    def plot(self) -> go.Figure | None:
        """Return the waterfall from the full to the reduced set."""
        if not self.is_possible:
            return None
        return plots.waterfall(
            self.attribution.parts,
            self.attribution.full.value,
            loss=self.shown,
            greater_is_better=self.study.named(self.shown).greater_is_better,
            is_chance=self.as_cost(self.attribution.total).low <= 0,
            **self.scaling,
        )

    def notes(self) -> tuple[str, ...]:
        """Return each part in words, and the methods that could not be fitted."""
        parts = self.sentences.values() if self.is_possible else ()
        study = self.study
        return (*parts, *report.left_out(study.failures, study.settings, study.classes))

    @property
    def sentences(self) -> dict[str, str]:
        """What each part of the loss is, and what would help."""
        return {part: self._sentence(part) for part in self.attribution.parts}

    def _sentence(self, part: str) -> str:
        name, (meaning, remedy) = part.capitalize(), _MEANING[part]
        cost, orders = self.as_cost(self.attribution.parts[part]), self._orders(part)
        if np.isnan(cost.value):
            loss = report.loss_in_words(self.shown)
            return f"{name}: {self.label} has no posterior probabilities, so there is no {loss}."
        if not self.attribution.by_seed[imbalance.PARTS.index(part)].any():
            return f"{name} is zero."
        if np.isnan(cost.low):
            return f"{name} is {self.amount(cost.value)}{orders} on one split."
        if cost.low <= 0 <= cost.high:
            return f"{name} is not distinguishable from zero: {self.change(cost)}{orders}."
        several, names = int(self.study.is_reduced.sum()) > 1, self.reduced_classes
        meaning = meaning.format(
            rare=f"{names} {'are' if several else 'is'} rare",
            few=f"{names} {'have' if several else 'has'} few rows",
        )
        if cost.value < 0:
            gain = Interval(-cost.value, -cost.high, -cost.low)
            return f"{name} gains {self.change(gain)}: {meaning}."
        remedy = remedy.format(names=names)
        return f"{name} costs {self.change(cost)}{orders}: {meaning}; {remedy}."

    def _orders(self, part: str) -> str:
        """State the cost of a part in both orders of the corrections, of which it is the mean."""
        orders = self.attribution.orders.get(part)
        if orders is None or np.isnan(orders).any():
            return ""
        sign = -1.0 if self.study.named(self.shown).greater_is_better else 1.0
        first, second = (self.number(sign * value) for value in orders)
        return "" if first == second else f", {first} if corrected first and {second} if second"


@dataclass(frozen=True, eq=False)
class CorrectionsDisplay(StudyLossDisplay):
    """What each correction recovers of what the reduction cost."""

    title: ClassVar[str] = "Corrections"
    made_by: ClassVar[str] = "study.corrections"
    _over: ClassVar[str] = ", paired"

    @cached_property
    def recommended(self) -> str | None:
        """The correction that is recommended, if there is one."""
        if not self.is_possible:
            return None
        remedy = imbalance.choose_remedy(self.study, self.chosen, self.shown).remedy
        return remedy.name if remedy.recovered.low > 0 else None

    def finding(self) -> str:
        """State which correction is recommended, what it recovers, and why; or that none is."""
        if not self.is_possible:
            return self.loss_finding()
        return self.recommendation(imbalance.choose_remedy(self.study, self.chosen, self.shown))

    def recommendation(self, advice: imbalance.Advice) -> str:
        """State the recommended correction with condition, effect and reason, if there is one."""
        chosen, most, shortfall = advice[:3]
        verb = "raise" if self.shown.startswith("recall") else "lower"
        if not chosen.recovered.low > 0:
            if np.isnan(chosen.recovered.low):
                return "One split cannot tell which correction to recommend."
            loss = report.loss_in_words(self.shown)
            if not most.recovered.value > 0:
                return f"None of {advice.n_compared} corrections improves the {loss}."
            return (
                f"No correction is shown to {verb} the {loss}; the largest estimate is "
                f"{self.change(most.recovered)}, by {_named(most)}, "
                f"{self._choice_of(advice, most)}."
            )
        does = verb if chosen.name in PLURAL else f"{verb}s"
        others = report.recall_of_others(chosen.others)
        text = (
            "Recommended if class shares in deployment are those of the full set: "
            f"{_named(chosen)}, which {does} the {report.loss_in_words(self.shown)} by "
            f"{self.change(chosen.recovered)}, {self._choice_of(advice, chosen)}"
            f"{f'; {others}' if others else ''}."
        )
        if chosen is not most:
            text += f" {_WHY[chosen.name]}"
        missing = chosen.still_missing
        if chosen.share >= _AS_GOOD and not missing.low > 0:
            remaining = self.change(missing)
            text += f" The loss that remains, {remaining}, is not distinguishable from zero."
        if chosen is not most and shortfall.value:
            text += f" {capital(_named(most))} would recover {self.change(shortfall)} more"
            text += "." if np.isnan(shortfall.low) else ", which is not distinguishable from zero."
        return text

    def _choice_of(self, advice: imbalance.Advice, remedy: imbalance.Remedy) -> str:
        left = remedy.recovered.value - advice.optimism
        amount = "" if np.isnan(left) else self.amount(left)
        is_best = remedy.name == advice.most.name
        return report.choice_of(advice.n_compared, amount, is_best=is_best)

    def frame(self) -> pd.DataFrame:
        """Return a line for each correction and quantity, with its interval."""
        return pd.DataFrame(
            {"correction": remedy.name, "quantity": quantity, **value._asdict()}
            for remedy in self.study.remedies(self.chosen, self.shown)
            for quantity, value in {
                self.shown: remedy.loss,
                "recovered": remedy.recovered,
                "of the loss": Interval(remedy.share, np.nan, np.nan),
                "still missing": remedy.still_missing,
                OTHERS: remedy.others,
            }.items()
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each correction."""
        if not self.is_possible:
            return pd.DataFrame()
        lines = self.frame()
        lines["text"] = [
            self._text(quantity, value)
            for quantity, value in zip(lines["quantity"], intervals(lines), strict=True)
        ]
        texts = pivot(lines, "correction", columns="quantity", values="text")
        texts["correction"] = texts["correction"].map(report.correction_name)
        return texts.rename(columns={OTHERS: "change for others"})

    def _text(self, quantity: str, value: Interval) -> str:
        """Write a quantity of the frame with its interval."""
        if quantity == "of the loss":
            return "–" if np.isnan(value.value) else percent(value.value, 0)
        return report.format_loss(value, "recall" if quantity == OTHERS else self.shown)

    def plot(self) -> go.Figure | None:
        """Return a bar for each correction: what it recovers, and what the others lose."""
        if not self.is_possible:
            return None
        remedies = self.study.remedies(self.chosen, self.shown)
        is_alone = self.shown == "log loss" or bool(self.study.is_reduced.all())
        return plots.remedies(
            [report.correction_name(remedy.name) for remedy in remedies],
            [remedy.recovered for remedy in remedies],
            None if is_alone else [remedy.others for remedy in remedies],
            whole=abs(self.attribution.total.value),
            score=self.shown,
            title=f"What corrections recover: {self.shown}",
            height=HEIGHT,
            **self.scaling,
        )

    def notes(self) -> tuple[str, ...]:
        """Return the unit, and how corrections are made."""
        if not self.is_possible:
            return ()
        return (
            f"{'In nats' if self.shown == 'log loss' else 'In points'}. Corrected priors are "
            "applied after training; for weights, under- and oversampling the model is trained "
            "again on the same reduced rows.",
        )


def _named(remedy: imbalance.Remedy) -> str:
    """Return the name of a correction in a sentence."""
    name = report.correction_name(remedy.name)
    return "a moved threshold" if name == "moved threshold" else name
