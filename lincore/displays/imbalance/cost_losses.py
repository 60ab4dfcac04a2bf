"""Displays of a loss that an imbalance costs: its parts, corrections, more rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import plots, report
from lincore.displays.base import intervals, pivot
from lincore.displays.imbalance.cost import CostDisplay
from lincore.displays.imbalance.decomposition import HEIGHT, OTHERS, PLURAL
from lincore.fields import Field
from lincore.imbalance import FEWEST_SIZES, LOSS
from lincore.metrics import Interval
from lincore.utils import class_named, decimals, percent, points, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.imbalance.cost.parts import Correction

# What each part of the loss means.
_MEANING: Mapping[str, str] = {
    "prior shift": "decisions use the class shares of the file as priors",
    "majority bias": "pooled covariance, axes and likelihood follow the large classes",
    "small class": "{rare} has few rows; extrapolated from smaller training sets",
}
# Quantities of a correction.
_FILE_ERROR = "change of the error at the file's shares"

# With fewer splits the intervals are too wide for a recommendation.
_ENOUGH_SPLITS = 5


def _recall_change(label: object) -> str:
    """Return the change of the recall of a class, as a quantity of a correction."""
    return f"change of recall of {label}"


def _losses(so_far: SimpleNamespace) -> tuple[str, ...]:
    return tuple(so_far.cost.loss_names)


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
    def loss_in_words(self) -> str:
        """What the loss is called in a sentence."""
        return report.loss_in_words(self.loss_name)

    @property
    def is_share(self) -> bool:
        """True if the loss is read in per cent."""
        return bool(self.cost.named(self.loss).is_share)

    @property
    def of_100_rows(self) -> bool:
        """True if the loss is written for a hundred rows."""
        return self.loss == LOSS or self.is_share

    @property
    def is_possible(self) -> bool:
        """True if the model has this loss."""
        return not np.isnan(self.cost.loss(self.chosen, "uncorrected", self.loss)).any()

    @property
    def condition(self) -> str:
        """The costs or class shares for which the losses hold."""
        cost, ratios = self.cost, self.cost.ratios
        rare = quoted(cost.classes[ratios.rare])
        if len(cost.classes) == 2:
            number = report.cost_ratio(ratios.asked)
            return f"a missed {rare} costs {number} false alarm{'' if number == '1' else 's'}"
        if cost.costs is not None:
            of_class = cost.costs.max(axis=1)
            others = np.delete(of_class, ratios.rare)
            by_class = (1 - np.eye(len(of_class))) * of_class[:, None]
            if (cost.costs == by_class).all() and (others == 1).all():
                number = report.cost_ratio(of_class[ratios.rare])
                return f"an error on {rare} costs as much as {number} others"
            return "errors have the given costs"
        if np.allclose(cost.prevalence, 1 / len(cost.classes)):
            return "all classes are equally frequent in deployment"
        return "class shares in deployment are the given ones"

    @property
    def uncorrected(self) -> str:
        """The loss as trained, as text."""
        return self.level(float(self.cost.loss(self.chosen, "uncorrected", self.loss).mean()))

    def level(self, value: float) -> str:
        """Write a value of the loss in a sentence."""
        return percent(value) if self.is_share else self.number(value)

    def number(self, value: float) -> str:
        """Write a value of the loss, or a change of it, without its unit."""
        return points(value) if self.of_100_rows else decimals(value)

    def change(self, value: Interval) -> str:
        """Write a change of the loss with its interval."""
        text = f"{self.number(value.value)}{' points' if self.is_share else ''}"
        if np.isnan(value.low):
            return text
        return f"{text} ({self.number(value.low)} to {self.number(value.high)})"

    def level_finding(self) -> str:
        """State the loss as trained, and the condition under which it holds."""
        if not self.is_possible:
            return (
                f"{self.label} has no posterior probabilities, so it has no {self.loss_in_words}."
            )
        text = f"The {self.loss_in_words} of {self.label} is {self.uncorrected}"
        if self.cost.rare is None:
            return self.after_splits(f"{text}, at the class shares of the file.")
        return self.after_splits(f"{text} uncorrected, if {self.condition}.")

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
        return self.level_finding()

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
        lines = self.frame()
        lines["text"] = list(map(self.write, intervals(lines)))
        parts = pivot(lines[lines["part"] != "limit"], "method", columns="part", values="text")
        chosen = [self.cost.recommended(method, self.loss) for method in parts["method"]]
        parts["recommended"] = [
            report.correction_name(correction.name) if correction else "no correction"
            for correction in chosen
        ]
        parts["recovered"] = [
            self.write(correction.recovered) if correction else "–" for correction in chosen
        ]
        parts["method"] = parts["method"].map(self.cost.settings.label)
        return parts.rename(columns={"method": "model"})

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
        split = self.cost.attribution(self.chosen, self.loss)
        rare = "" if self.cost.rare is None else class_named(self.cost.classes[self.cost.rare])
        sentences = []
        for part, value in split.parts.items():
            name = part.capitalize()
            if np.isnan(value.value):
                sentences.append(f"{name} is not available: {self._missing_reason(part)}")
                continue
            text = f"{name}: {self.change(value)}"
            if part in split.orders:
                first, second = map(self.number, split.orders[part])
                if first != second:
                    text += f", {first} if corrected first and {second} if second"
            if value.low <= 0 <= value.high and value.value:
                text += ", not distinguishable from zero"
            sentences.append(f"{text}; {_MEANING[part].format(rare=rare)}.")
        return (*sentences, f"The recommendation holds if {self.condition}.")

    def _missing_reason(self, part: str) -> str:
        """State why a part of the loss is not available."""
        why = self.cost.unavailable.get(self.chosen, {})
        if part == "prior shift":
            return why.get("corrected priors", "")
        unfinished = "the sweep over its size is not finished, or has too few sizes to extrapolate."
        return why.get("both", unfinished if part == "small class" else "")


@dataclass(frozen=True, eq=False)
class CostCorrectionsDisplay(LossDisplay):
    """What each correction recovers of the loss, and what it costs elsewhere."""

    title: ClassVar[str] = "Corrections"
    made_by: ClassVar[str] = "cost.corrections"

    def finding(self) -> str:
        """State which correction is recommended under which condition, and its price."""
        if not self.is_possible:
            return self.level_finding()
        if self.cost.rare is None:
            return (
                "At the class shares of the file, with equal costs of errors, no correction is "
                "needed."
            )
        corrections = self.cost.corrected(self.chosen, self.loss)
        if not corrections:
            return f"{self.label} allows no correction."
        best = max(corrections, key=lambda correction: correction.recovered.value)
        condition = self.after_splits(f"If {self.condition}")
        estimate = f"{self.change(best.recovered)}, by {report.correction_name(best.name)}"
        if len(self.cost.seeds) < _ENOUGH_SPLITS:
            return (
                f"{condition}, the largest estimate is {estimate}: too few splits for a "
                "recommendation."
            )
        verb = "raise" if self.cost.named(self.loss).greater_is_better else "lower"
        chosen = self.cost.recommended(self.chosen, self.loss)
        if chosen is None:
            text = f"{condition}, no correction is shown to {verb} the {self.loss_in_words}"
            if not best.recovered.value > 0:
                return f"{text}: none of {len(corrections)} does on these rows."
            return f"{text}; the largest estimate is {estimate}, {self._choice_of(best)}."
        does = verb if chosen.name in PLURAL else f"{verb}s"
        return (
            f"{condition}, {report.correction_name(chosen.name)} {does} the "
            f"{self.loss_in_words} by {self.change(chosen.recovered)}, {self.uncorrected} → "
            f"{self.level(chosen.loss.value)}, {self._choice_of(chosen)}; {self._price(chosen)}."
        )

    def _choice_of(self, correction: Correction) -> str:
        """State that a correction was chosen from several, and its effect corrected for that."""
        corrections = self.cost.corrected(self.chosen, self.loss)
        most = max(candidate.recovered.value for candidate in corrections)
        left = correction.recovered.value - self.cost.optimism(self.chosen, self.loss)
        amount = "" if np.isnan(left) else self.change(Interval(left, np.nan, np.nan))
        is_best = correction.recovered.value == most
        return report.choice_of(len(corrections), amount, is_best=is_best)

    def _price(self, chosen: Correction) -> str:
        """State the effects of a correction at the file's own class shares."""
        change, ratios = chosen.file_error, self.cost.ratios
        if change.low <= 0 <= change.high:
            text = "at the file's own shares the error does not change beyond chance"
        else:
            verb = "rises" if change.value > 0 else "falls"
            ends = sorted(abs(end) for end in change[1:])
            text = (
                f"at the file's own shares the error {verb} by {points(abs(change.value))} points "
                f"({points(ends[0])} to {points(ends[1])})"
            )
        mean = self.cost.mean_posterior(self.chosen, chosen.name)
        if mean == mean:
            text += (
                f", {quoted(self.cost.classes[ratios.rare])} gets a mean probability of "
                f"{percent(mean)}, while its share is {percent(ratios.shares[ratios.rare])}"
            )
        others = report.recall_of_others(chosen.others)
        return f"{text}, and {others}" if others else text

    def frame(self) -> pd.DataFrame:
        """Return a line for each correction and quantity, with its interval; uncorrected first."""
        uncorrected = self.cost.attribution(self.chosen, self.loss).uncorrected
        lines = [("uncorrected", self.loss_name, uncorrected)]
        lines += [
            ("uncorrected", quantity, value)
            for quantity, value in self._calibration("uncorrected").items()
        ]
        for correction in self.cost.corrected(self.chosen, self.loss):
            quantities = {
                self.loss_name: correction.loss,
                "recovered": correction.recovered,
                _FILE_ERROR: correction.file_error,
                **dict(
                    zip(
                        map(_recall_change, self.cost.classes),
                        correction.recall_change,
                        strict=True,
                    )
                ),
                OTHERS: correction.others,
                **self._calibration(correction.name),
            }
            lines += [(correction.name, quantity, value) for quantity, value in quantities.items()]
        return pd.DataFrame(
            {"correction": name, "quantity": quantity, **value._asdict()}
            for name, quantity, value in lines
        )

    def _calibration(self, condition: str) -> dict[str, Interval]:
        """Return mean and miscalibration of the rarest class's posterior, without intervals."""
        mean = self.cost.mean_posterior(self.chosen, condition)
        miscalibration = self.cost.miscalibration(self.chosen, condition)
        return {
            self._posterior: Interval(mean, np.nan, np.nan),
            self._miscalibration: Interval(miscalibration, np.nan, np.nan),
        }

    @property
    def _posterior(self) -> str:
        """The mean posterior of the rarest class, as a quantity."""
        return f"mean probability of {quoted(self.cost.classes[self.cost.ratios.rare])}"

    @property
    def _miscalibration(self) -> str:
        """The miscalibration of the posterior of the rarest class, as a quantity."""
        return f"miscalibration of {quoted(self.cost.classes[self.cost.ratios.rare])}"

    def table(self) -> pd.DataFrame:
        """Return a line for each correction; the first is uncorrected."""
        if not self.is_possible:
            return pd.DataFrame()
        cost, lines = self.cost, self.frame()
        headings = {
            "correction": "correction",
            self.loss_name: f"{self.loss_name}{' (%)' if self.is_share else ''}",
            "recovered": "recovered",
        }
        if cost.rare is not None:
            rare = cost.classes[cost.rare]
            headings[_recall_change(rare)] = f"change of recall of {quoted(rare)}"
        headings[OTHERS] = "change for others"
        headings |= {_FILE_ERROR: "change in file"}
        headings |= {self._miscalibration: "miscalibration", self._posterior: "posterior"}
        lines["text"] = [
            self._text(quantity, value)
            for quantity, value in zip(lines["quantity"], intervals(lines), strict=True)
        ]
        texts = pivot(lines, "correction", columns="quantity", values="text").fillna("")
        texts = texts[[name for name in headings if name in texts]].rename(columns=headings)
        chosen = cost.recommended(self.chosen, self.loss)
        recommended = None if chosen is None else chosen.name
        return texts.assign(
            correction=[
                f"{report.correction_name(name)}{' (recommended)' if name == recommended else ''}"
                for name in texts["correction"]
            ]
        )

    def table_help(self) -> Mapping[str, str]:
        """Return what the columns of the table mean."""
        rare = quoted(self.cost.classes[self.cost.ratios.rare])
        return {
            "recovered": "Of the loss, against uncorrected.",
            "change for others": "Change of the mean recall of the other classes, in points.",
            "change in file": "Change of the error at the class shares of the file, in points.",
            "miscalibration": f"Of the posterior of {rare}, at the class shares of the file.",
            "posterior": f"Mean posterior of {rare}, at the class shares of the file.",
        }

    def _text(self, quantity: str, value: Interval) -> str:
        """Write a quantity of the frame with its interval."""
        if quantity in (self.loss_name, "recovered"):
            return self.write(value)
        if quantity == self._posterior:
            return "–" if np.isnan(value.value) else percent(value.value)
        if quantity == self._miscalibration:
            return "–" if np.isnan(value.value) else f"{value.value:.4f}"
        return report.format_loss(value, "recall")

    def plot(self) -> go.Figure | None:
        """Return a bar for each correction: what it recovers, and what the others lose."""
        if not self.is_possible:
            return None
        corrections = self.cost.corrected(self.chosen, self.loss)
        return plots.remedies(
            [report.correction_name(correction.name) for correction in corrections],
            [correction.recovered for correction in corrections],
            [correction.others for correction in corrections] if self.is_share else None,
            score=self.loss_name,
            title=f"What corrections recover: {self.loss_name}",
            height=HEIGHT,
            basis="95 % intervals, paired." if len(self.cost.seeds) > 1 else "The first split.",
            **self.scaling,
        )

    def notes(self) -> tuple[str, ...]:
        """State what is not available and why, and how the others are made."""
        left_out = report.left_out(self.cost.failures, self.cost.settings, self.cost.classes)
        if not self.is_possible:
            return tuple(left_out)
        missing = self.cost.unavailable.get(self.chosen, {})
        recommended = self.cost.recommended(self.chosen, self.loss)
        return (
            *(
                f"{report.correction_name(name).capitalize()}: not available. {why}"
                for name, why in missing.items()
            ),
            "Balanced weights + corrected priors is scikit-learn's class_weight, aimed at the "
            "deployment prevalence. The tuned threshold is chosen by cross-validation inside the "
            "training set. Changes from uncorrected, in points, paired by split. "
            "Miscalibration: what recalibration would take off the Brier score of the posterior of "
            f"{quoted(self.cost.classes[self.cost.ratios.rare])}, at the file's shares; by chance "
            "it is above 0 even if the model is calibrated.",
            *([] if recommended is None else [f"The recommendation holds if {self.condition}."]),
            *left_out,
        )


def _count_of_rarest(so_far: SimpleNamespace) -> int:
    cost = so_far.cost
    return 1 if cost.rare is None else int(cost.counts[cost.rare])


@dataclass(frozen=True, eq=False)
class MoreRowsDisplay(LossDisplay):
    """What more training rows of the rarest class would bring, by extrapolation."""

    title: ClassVar[str] = "More rows"
    made_by: ClassVar[str] = "cost.more_rows"
    page_key: ClassVar[str] = "balance.more"
    is_tabulated: ClassVar[bool] = False

    more: (
        Annotated[
            int,
            Field(
                "More training rows",
                "Rows of the rarest class that might be collected.",
                low=1,
                high=1_000_000,
                auto=_count_of_rarest,
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
        """State by how much they would lower the loss, if they are shown to."""
        more = self.setting("more")
        if self.cost.rare is None:
            return "No class is rarer in the file than in deployment."
        gain = self.cost.with_more_rows(self.chosen, more, self.loss)
        rare = class_named(self.cost.classes[self.cost.rare])
        if np.isnan(gain.value):
            return f"Too few sizes of {rare} have been computed to extrapolate for {self.label}."
        shown, link = "would", " by"
        if gain.low <= 0 <= gain.high:
            shown, link = "are not shown to", ":"
        return (
            f"{more:,} more training rows of {rare} (now "
            f"{int(self.cost.counts[self.cost.rare]):,}) {shown} lower the {self.loss_in_words} of "
            f"{self.label}{link} {self.change(gain)}, extrapolated, on top of balanced weights + "
            "corrected priors."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each size of the rarest class: the mean loss over splits."""
        sizes, values = self._seen
        return pd.DataFrame(
            {"training rows": int(size), self.loss_name: float(line.mean())}
            for size, line in zip(sizes, values, strict=True)
        )

    def notes(self) -> tuple[str, ...]:
        """State what the extrapolation assumes."""
        if self.plot() is None:
            return ()
        rare = quoted(self.cost.classes[self.cost.rare])
        return (f"Assumed: the loss is a + b / n with n training rows of {rare}.",)

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
