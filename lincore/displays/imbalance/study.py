"""What displays of a study of imbalance have in common."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar

import numpy as np

from lincore import imbalance, inspection, report
from lincore.data import Dataset
from lincore.displays.base import Display, first_of
from lincore.fields import Field
from lincore.imbalance import REMEDIES, BalanceStudy, BayesReference
from lincore.metrics import Interval, Results
from lincore.plots.base import shorten_all
from lincore.utils import decimals, listed, percent, points, quoted, shorten

UNCORRECTED = "uncorrected"
#: Maximum number of classes counted by name, and of recalls that are columns of a table.
NAMED = 6
#: Characters of a class's name in a sentence.
LONGEST = 24
# Reduced classes that are named in a sentence.
_MOST_NAMED = 3


def _methods(so_far: SimpleNamespace) -> dict[str, str]:
    return {name: so_far.study.settings.label(name) for name in so_far.study.methods}


def _losses(so_far: SimpleNamespace) -> tuple[str, ...]:
    return tuple(so_far.study.loss_names)


def _leading(so_far: SimpleNamespace) -> str:
    return str(so_far.study.leading_loss)


@dataclass(frozen=True, eq=False)
class StudyDisplay(Display):
    """A display of what a smaller class does to one of the models."""

    study: BalanceStudy
    method: (
        Annotated[
            str,
            Field("Model", "The model that is shown.", longest=500, choices=_methods,
                  auto=first_of(_methods)),
        ]
        | None
    ) = None  # fmt: skip

    @property
    def chosen(self) -> str:
        """The method that is shown."""
        return str(self.setting("method"))

    @property
    def label(self) -> str:
        """What that method is called."""
        return self.study.settings.label(self.chosen)

    def scope(self) -> str:
        """Return the splits, and the rows of each class."""
        return f"{self._basis()} {rows_of(self.study)}"

    def _basis(self) -> str:
        study, n = self.study, len(self.study.seeds)
        weighted = report.weights_in_sizes(study.counts["full"], study.totals["full"])
        if n == 1:
            return f"One split so far, so no intervals.{weighted}"
        unit = "splits" if study.new_splits else "choices of the training rows, one test set"
        wanted = study.settings.repeats
        number = f"{n} of {wanted}" if n < wanted else str(n)
        rows = f"{study.n_test:,} test rows each"
        return f"Mean of {number} {unit} ({rows}), with 95 % intervals.{weighted}"

    def call(self) -> str:
        """Return the expression that makes this display, that of the first split if it is alone."""
        text = super().call()
        return text if len(self.study.seeds) > 1 else f"first{text.removeprefix('study')}"


@dataclass(frozen=True, eq=False)
class StudyLossDisplay(StudyDisplay):
    """A display of one loss, over all splits."""

    loss: (
        Annotated[
            str,
            Field(
                "Loss",
                "What is counted: errors, errors by class, log loss, or the recall of one class.",
                longest=500,
                choices=_losses,
                auto=_leading,
            ),
        ]
        | None
    ) = None

    @property
    def shown(self) -> str:
        """The loss that was chosen, or the leading one."""
        return str(self.setting("loss"))

    @property
    def is_possible(self) -> bool:
        """True if the model has this loss."""
        return not np.isnan(self.attribution.full.value)

    @property
    def scaling(self) -> dict[str, Any]:
        """The unit, scale and basis of figures."""
        in_nats, several = self.shown == "log loss", len(self.study.seeds) > 1
        return {"unit": "" if in_nats else "points", "scale": 1.0 if in_nats else 100.0} | {
            "basis": f"95 % intervals{self._over}." if several else "One split."
        }

    _over: ClassVar[str] = " over splits"

    @cached_property
    def attribution(self) -> imbalance.Attribution:
        """The loss and its parts."""
        return self.study.attribution(self.chosen, self.shown)

    def number(self, value: float) -> str:
        """Write a value of the loss, or a change of it, without its unit."""
        return decimals(value) if self.shown == "log loss" else points(value)

    def amount(self, value: float) -> str:
        """Write a change of the loss."""
        return f"{self.number(value)} {'nats' if self.shown == 'log loss' else 'points'}"

    def change(self, value: Interval) -> str:
        """Write a change of the loss with its interval."""
        if np.isnan(value.low):
            return self.amount(value.value)
        return f"{self.amount(value.value)} ({self.number(value.low)} to {self.number(value.high)})"

    def as_cost(self, change: Interval) -> Interval:
        """Return a change as a loss: a recall that falls is one."""
        if not self.study.named(self.shown).greater_is_better:
            return change
        return Interval(-change.value, -change.high, -change.low)

    @property
    def reduced_classes(self) -> str:
        """The classes that were reduced, as words."""
        names = [quoted(label) for label in self.study.classes[self.study.is_reduced].tolist()]
        return f"{len(names)} classes" if len(names) > _MOST_NAMED else listed(names)

    def loss_finding(self) -> str:
        """State what the reduction did, and which part of the loss is largest."""
        split, loss = self.attribution, report.loss_in_words(self.shown)
        cost = self.as_cost(split.total)
        if np.isnan(cost.value):
            return f"{self.label} has no posterior probabilities, so it has no {loss}."
        before = report.after_splits(len(self.study.seeds), self.study.settings.repeats)
        full, reduced = (
            decimals(value) if self.shown == "log loss" else percent(value)
            for value in (split.full.value, split.reduced.value)
        )
        text = (
            f"{before}{'with' if before else 'With'} {self._sizes()}, the {loss} of {self.label} "
            f"goes from {full} to {reduced}"
        )
        if len(self.study.seeds) == 1:
            return f"{text}." if before else f"{text} on one split."
        if not cost.low > 0:
            return f"{text}: no loss distinguishable from chance."
        costs = {part: self.as_cost(interval).value for part, interval in split.parts.items()}
        most = max(costs, key=lambda part: costs[part])
        share = costs[most] / cost.value
        how_much = "all of the loss is" if share >= 0.995 else f"{percent(share, 0)} of the loss is"
        is_sure = self.as_cost(split.parts[most]).low > 0
        return f"{text}; {how_much} {most}{'' if is_sure else ', by itself not beyond chance'}."

    def _sizes(self) -> str:
        full, reduced = (
            self.study.counts[subset][self.study.is_reduced].sum() for subset in ("full", "reduced")
        )
        rows = f"training {self.study.settings.rows} of {self.reduced_classes}"
        return f"{reduced:,} instead of {full:,} {rows}"


def _remedies(so_far: SimpleNamespace) -> dict[str, str]:
    return {name: report.correction_name(name) for name in (UNCORRECTED, *REMEDIES)}


@dataclass(frozen=True, eq=False)
class OneSplitDisplay(StudyDisplay):
    """A display of one split: the models of the full set beside those of the reduced one."""

    data: Dataset | None = None
    remedy: Annotated[
        str,
        Field(
            "The reduced set",
            "Apply a correction: its effect is shown on the same reduced rows.",
            longest=60,
            choices=_remedies,
        ),
    ] = UNCORRECTED

    @property
    def condition(self) -> str:
        """The reduced set, as it is or with a correction."""
        return "reduced" if self.remedy == UNCORRECTED else self.remedy

    @property
    def conditions(self) -> tuple[str, ...]:
        """The sets that models are trained on, the corrected one last if there is one."""
        return tuple(dict.fromkeys(("full", "reduced", self.condition)))

    def results(self, condition: str) -> Results:
        """Return the predictions of the test rows."""
        return self.study.example.results[condition]

    def scope(self) -> str:
        """State that it shows one split, and the rows of each class."""
        return f"For one split only. {rows_of(self.study)}"


def set_name(condition: str) -> str:
    """Return the display name of a training set."""
    if condition in ("full", "reduced"):
        return f"{condition} set"
    return f"reduced set, {report.correction_name(condition)}"


def rows_of(study: BalanceStudy) -> str:
    """State how many rows of each class trained and tested on one split."""
    sizes = {name: counted(study.counts[name], study) for name in ("full", "reduced")}
    return (
        f"Full set: {sizes['full']}. Reduced set: {sizes['reduced']}. Test set, untouched: "
        f"{counted(tested(study), study)}."
    )


def tested(study: BalanceStudy) -> np.ndarray:
    """Return the test rows of each class on one split."""
    return np.bincount(study.example.results["full"].truth, minlength=len(study.classes))


def counted(counts: np.ndarray, study: BalanceStudy) -> str:
    """State the number of rows of each class, or only of reduced ones if there are many."""
    total = f"{int(counts.sum()):,} {study.settings.rows}"
    chosen = [*range(len(study.classes))]
    if len(chosen) > NAMED:
        chosen = np.flatnonzero(study.is_reduced)[:NAMED].tolist()
    # Shortened together, so that names that begin alike remain distinct.
    short = shorten_all(study.classes.tolist(), LONGEST)
    each = ", ".join(f"{int(counts[k]):,} {_quoted_name(short[k])}" for k in chosen)
    return f"{total} ({each}{', …' if len(study.classes) > NAMED else ''})"


def _quoted_name(label: object) -> str:
    """Return the label of a class as written after a count."""
    name = shorten(label, LONGEST)
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name):
        name = f"\u2068{name}\u2069"  # isolated, so that the counts beside it stay in order
    return quoted(name)


def true_view(study: BalanceStudy, data: Dataset, known: BayesReference) -> inspection.View:
    """Return a view of the Bayes classifier over the test rows, in two features."""
    test = study.example.split.test
    plane = inspection.feature_plane(data, (0, 1), test)
    return inspection.make_view(known.pipeline, data, test, plane)
