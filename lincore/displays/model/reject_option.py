"""Display of a reject option: for which rows a model abstains, and its errors on the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd

from lincore import metrics, plots, report
from lincore.displays.model.model_display import ModelDisplay
from lincore.displays.model.operating_point import held_out
from lincore.fields import Field, per_cent
from lincore.metrics import RejectOption
from lincore.plots.base.palette import ACCENT, BAD, GREY, INK, translucent
from lincore.utils import count, decimals, listed, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.metrics import Rejection, Results

SETS = {"sets": "Prediction sets", "sets by class": "Prediction sets by class"}
RULES = {"cost": "Cost of rejection", **SETS}
_ALL = "all classes"
_PER_CENT = ("coverage", "low", "high")


def _is_by_sets(so_far: SimpleNamespace) -> bool:
    return so_far.reject in SETS


def _is_by_cost(so_far: SimpleNamespace) -> bool:
    return bool(so_far.reject == "cost")


Coverage = Annotated[
    float,
    Field(
        "Coverage",
        "Share of rows whose set should contain their class: of all rows, or of every class.",
        low=0.5,
        high=0.999,
        choices={0.8: "80 %", 0.9: "90 %", 0.95: "95 %", 0.99: "99 %"},
        free=True,
        when=_is_by_sets,
    ),
]
RejectionCost = Annotated[
    float,
    Field(
        "Cost of rejection",
        "The cost of abstaining, as a share of the cost of an error: the model abstains if an "
        "error is likelier than that.",
        low=0,
        high=1,
        step=0.01,
        unit=per_cent,
        slide=True,
        when=_is_by_cost,
    ),
]


def rule_of(asked: Any, n_classes: int, inner: Callable[[], Results]) -> RejectOption | None:
    """Return the reject option of some settings; held-out predictions only if they are needed."""
    if asked.reject is None:
        return None
    if asked.reject == "cost":
        return RejectOption.of_cost(asked.rejection_cost, n_classes)
    by_class = asked.reject == "sets by class"
    results = inner()
    return metrics.conformal_sets(results, results.methods[0], asked.coverage, by_class=by_class)


@dataclass(frozen=True, eq=False)
class RejectOptionDisplay(ModelDisplay):
    """Rows for which a model abstains, by prediction sets of a given coverage or by costs."""

    title: ClassVar[str] = "Reject option"
    made_by: ClassVar[str] = "model.reject_option"
    page_key: ClassVar[str] = "classify.reject"

    reject: Annotated[
        Literal["cost", "sets", "sets by class"],
        Field(
            "Abstain by",
            "Cost: the model abstains if an error is likelier than abstaining costs. Prediction "
            "sets contain the true class as often as asked for, and the model abstains unless a "
            "set has one class; they are calibrated by five folds of the training rows.",
            choices=RULES,
        ),
    ] = "cost"
    coverage: Coverage = 0.9
    rejection_cost: RejectionCost = 0.2

    @property
    def obstacle(self) -> str:
        """Why the model cannot abstain; "" if it can."""
        if not metrics.has_posteriors(self.results, self.method):
            return f"{self.method} has no posteriors, so it cannot abstain."
        return ""

    @cached_property
    def rule(self) -> RejectOption:
        """The rule, calibrated on the training rows."""
        rule = rule_of(self, self.model.data.n_classes, lambda: held_out(self.model))
        assert rule is not None
        return rule

    @cached_property
    def rejection(self) -> Rejection:
        """The sets of the test rows."""
        return metrics.reject(self.results, self.method, self.rule)

    @property
    def has_sets(self) -> bool:
        """True for prediction sets, which may hold several classes."""
        return self.reject in SETS

    def finding(self) -> str:
        """State for how many rows the model abstains, and its errors on the others."""
        if self.obstacle:
            return self.obstacle
        line = self.frame().iloc[0]
        outcome = (
            f"predicts {line['one class']:,} of {self.tested} and abstains for "
            f"{line['rows'] - line['one class']:,}"
        )
        error = report.format_score(self.rejection.error, "recall")
        if not self.has_sets:
            plain = 1 - metrics.score(self.results, self.method, "accuracy").value
            errors = ""
            if error:
                errors = f" Of those predicted, {error} are misclassified, instead of "
                errors += f"{percent(plain)} of all."
            return (
                f"If abstaining costs {percent(self.rejection_cost, 0)} of an error, "
                f"{self.method} {outcome}.{errors}{self._of_rarest()}"
            )
        coverage = report.format_score(self.rejection.coverage, "recall")
        return (
            f"With prediction sets of {percent(self.coverage, 0)} coverage, {self.method} "
            f"{outcome}: {count(line['several classes'], 'set')} with several classes, "
            f"{line['no class']:,} with none. The true class is in {coverage} of the sets"
            f"{self._least()}."
        )

    def _of_rarest(self) -> str:
        """State what becomes of the rarest class, which the error of all rows hides."""
        if not metrics.is_imbalanced(self.results.class_counts):
            return ""
        code = int(report.rarest_class(self.results))
        line, label = self._lines.iloc[code + 1], quoted(self.model.data.classes[code])
        if not line["one class"]:
            return f" No row of {label}, the rarest class, is predicted."
        verb = "is" if line["misclassified"] == 1 else "are"
        rows = count(int(line["one class"]), "predicted row")
        return (
            f" Of {rows} of {label}, the rarest class, {line['misclassified']:,} {verb} "
            "misclassified."
        )

    def _least(self) -> str:
        """Name the class that is covered least."""
        values = [interval.value for interval in self.rejection.coverage_by_class]
        if not np.nanmin(values, initial=1) < 1:
            return ""
        code = int(np.nanargmin(values))
        least = report.format_score(self.rejection.coverage_by_class[code], "recall")
        return f", least often for {quoted(self.model.data.classes[code])}: {least}"

    def scope(self) -> str:
        """State on which rows the rule was calibrated."""
        if self.obstacle:
            return ""
        if not self.has_sets:
            return f"Abstains below a posterior of {percent(self.rule.thresholds[0], 0)} (Chow)."
        return (
            f"Calibrated on the {self.trained}, each predicted by a model that was fitted without "
            "its fold of five."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for all rows and one for each class: sets by size, coverage, errors."""
        return pd.DataFrame() if self.obstacle else self._lines.copy()

    @cached_property
    def _lines(self) -> pd.DataFrame:
        truth, sizes = self.results.truth, self.rejection.sets.sum(axis=1)
        is_wrong = (self.rejection.predicted >= 0) & (self.rejection.predicted != truth)
        labels = [_ALL, *map(str, self.model.data.classes)]
        every = np.ones(len(truth), dtype=bool)
        masks = [every, *(truth == code for code in range(len(labels) - 1))]
        lines = pd.DataFrame(
            [
                (
                    label, len(sizes[mask]), *np.bincount(sizes[mask].clip(max=2), minlength=3),
                    int(is_wrong[mask].sum()), sizes[mask].mean() if mask.any() else np.nan,
                )
                for label, mask in zip(labels, masks, strict=True)
            ],
            columns=[
                "class", "rows", "no class", "one class", "several classes", "misclassified",
                "mean size",
            ],
        )  # fmt: skip
        if not self.has_sets:
            return lines.drop(columns=["several classes", "mean size"])
        coverage = [self.rejection.coverage, *self.rejection.coverage_by_class]
        lines[list(_PER_CENT)] = pd.DataFrame(coverage)
        limits = self.rule.thresholds
        lines["threshold"] = [np.nan if self.rule.by_class else limits[0], *limits]
        return lines

    def table(self) -> pd.DataFrame:
        """Return the same, shares in per cent."""
        lines = self.frame()
        headings = {"coverage": "coverage (%)", "low": "from", "high": "to"}
        headings = {
            name: heading
            for name, heading in (headings | {"threshold": "threshold (%)"}).items()
            if name in lines
        }
        for name in headings:
            lines[name] *= 100
        digits = {**dict.fromkeys(headings, 1), "mean size": 2}
        return lines.round(digits).rename(columns=headings)

    def table_help(self) -> Mapping[str, str]:
        """Return what the columns mean."""
        return {
            "one class": "The model predicts this class; otherwise it abstains.",
            "misclassified": "Among the rows with one class.",
            "coverage (%)": "Share of rows whose class is in the set, with its interval.",
            "threshold (%)": "The class is in the set from this posterior on.",
        }

    def plot(self) -> go.Figure | None:
        """Return what becomes of the test rows of each class, as bars."""
        if self.obstacle:
            return None
        lines = self._lines
        parts = {
            "correct": lines["one class"] - lines["misclassified"],
            "misclassified": lines["misclassified"],
            "abstains: several": lines.get("several classes", 0 * lines["rows"]),
            "abstains: no class" if self.has_sets else "abstains": lines["no class"],
        }
        drawn = {name: values for name, values in parts.items() if values.any()}
        shares = np.array([values / lines["rows"].clip(lower=1) for values in drawn.values()])
        hues = dict(zip(parts, (ACCENT, BAD, GREY, translucent(GREY, 0.45)), strict=True))
        return plots.share_bars(
            lines["class"].tolist(),
            shares,
            list(drawn),
            title="Test rows that are predicted, by class",
            unit="share of test rows",
            stacked=True,
            colours=[hues[name] for name in drawn],
            # The translucent bar lies on a light or a dark page: its text has the page's colour.
            inks=[INK if name == list(parts)[-1] else "white" for name in drawn],
        )

    def notes(self) -> tuple[str, ...]:
        """Return the rule, what it needs, and classes with too few rows."""
        if self.obstacle:
            return ()
        rule = report.interval_method(self.results, "accuracy")
        if not self.has_sets:
            return (
                self._costs(),
                "Chow's rule (1970) has the least expected cost if the posteriors are calibrated: "
                "see Calibration.",
                rule,
            )
        shares = "whatever their class shares" if self.rule.by_class else "with the same shares"
        notes = [
            "Conformal sets: a class is in the set from a posterior on that all but "
            f"{percent(1 - self.coverage, 0)} of the held-out rows"
            f"{' of the class' if self.rule.by_class else ''} reach (Sadinle, Lei, Wasserman "
            f"2019). For new rows from the same classes, {shares}, the coverage is approximate, as "
            "the model that predicts is fitted to all training rows and not to four of five folds."
        ]
        right = metrics.score(self.results, self.method, "accuracy").value
        if right > self.coverage and self._lines["no class"].iloc[0]:
            notes.append(
                f"{self.method} is correct for {percent(right)} of the test rows, more than the "
                "coverage asked for: sets are empty where it is least certain."
            )
        few = [
            quoted(label)
            for label, limit in zip(self.model.data.classes, self.rule.thresholds, strict=True)
            if limit == 0
        ]
        if few and self.rule.by_class:
            notes.append(
                f"{listed(few, 5)} {'has' if len(few) == 1 else 'have'} too few training rows for "
                f"a coverage of {percent(self.coverage, 1)}, and so every set."
            )
        return (*notes, rule)

    def _costs(self) -> str:
        weight = self.results.settings.row_weights
        predicted, truth = self.rejection.predicted, self.results.truth
        paid = np.where(predicted < 0, self.rejection_cost, predicted != truth)
        plain = self.results.predicted[0] != truth
        costs = [decimals(np.average(cost, weights=weight)) for cost in (paid, plain)]
        return f"If an error costs 1, a row costs {costs[0]}, and {costs[1]} without abstaining."
