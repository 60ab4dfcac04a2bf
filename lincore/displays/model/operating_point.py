"""Display of an operating point: scores, cost and gains at a threshold, or at costs of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from lincore import imbalance, metrics, plots, report
from lincore.displays.model.curves import PrecisionRecallDisplay, RocDisplay
from lincore.displays.model.model_display import ModelDisplay, class_labels
from lincore.fields import Between, Field, per_cent
from lincore.utils import decimals, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.metrics import Gains, Results, TunedThreshold
    from lincore.model_selection import FittedClassifier

#: Scores of the whole matrix.
_SCORES = ("balanced accuracy", "MCC", "accuracy")
_USUAL, _DEPTH = "by default", "share of rows predicted"
#: Scores that are written like these.
_UNITS = {
    _DEPTH: "recall",
    "expected cost per row": "log loss",
    "lift": "log loss",
}
_COLUMNS = ["score", "class", "value", "low", "high", _USUAL]


_held_out: WeakKeyDictionary[FittedClassifier, Results] = WeakKeyDictionary()


def held_out(model: FittedClassifier, known: Results | None = None) -> Results:
    """Return the predictions of `FittedClassifier.held_out`, computed once or known already."""
    if known is not None or model not in _held_out:
        _held_out[model] = model.held_out() if known is None else known
    return _held_out[model]


def has_held_out(model: FittedClassifier) -> bool:
    """Return whether `held_out` has the predictions of a model."""
    return model in _held_out


def _rarest(so_far: SimpleNamespace) -> int:
    return int(report.rarest_class(so_far.model.results))


def _are_two(so_far: SimpleNamespace) -> bool:
    return bool(so_far.model.data.n_classes == 2)


def _are_more(so_far: SimpleNamespace) -> bool:
    return not _are_two(so_far)


def _is_by_threshold(so_far: SimpleNamespace) -> bool:
    return _are_two(so_far) and bool(so_far.by == "threshold")


def _is_by_folds(so_far: SimpleNamespace) -> bool:
    return _are_two(so_far) and bool(so_far.by == "cross-validation")


def _threshold_wording(so_far: SimpleNamespace) -> tuple[str, str]:
    label = quoted(so_far.model.data.classes[so_far.of_class])
    return f"Threshold for {label}", f"{label} is predicted from this posterior on. No refitting."


def _cost_wording(so_far: SimpleNamespace) -> tuple[str, str]:
    label = quoted(so_far.model.data.classes[so_far.of_class])
    return (
        "Cost of a miss",
        f"The cost of a row of {label} that is not predicted as such, in false alarms.",
    )


@dataclass(frozen=True, eq=False)
class OperatingPointDisplay(ModelDisplay):
    """Scores, expected cost and cumulative gains at a threshold, or at costs of errors."""

    title: ClassVar[str] = "Operating point"
    made_by: ClassVar[str] = "model.operating_point"
    page_key: ClassVar[str] = "classify.operating"

    of_class: (
        Annotated[
            int,
            Field(
                "Positive class",
                "The class that calls for action: a miss is a row of it that is not predicted as "
                "such, a false alarm a row of another class that is.",
                choices=class_labels,
                auto=_rarest,
            ),
        ]
        | None
    ) = None
    by: Annotated[
        Literal["threshold", "costs", "cross-validation"],
        Field(
            "Chosen by",
            "By hand; as the threshold of least expected cost for calibrated posteriors; or by "
            "five-fold cross-validation on the training rows.",
            choices={
                "threshold": "Threshold",
                "costs": "Costs",
                "cross-validation": "Cross-validation",
            },
            when=_are_two,
        ),
    ] = "threshold"
    threshold: (
        Annotated[
            float,
            Field(
                "Threshold",
                "The positive class is predicted from this posterior on.",
                low=0,
                high=1,
                step=0.01,
                auto=lambda so_far: 0.5,
                unit=per_cent,
                slide=True,
                wording=_threshold_wording,
                when=_is_by_threshold,
            ),
        ]
        | None
    ) = None
    score: Annotated[
        str,
        Field(
            "Optimise",
            "Mean over the folds; F1 is that of the positive class.",
            choices=metrics.THRESHOLD_SCORES,
            when=_is_by_folds,
        ),
    ] = "balanced accuracy"
    miss_cost: Annotated[
        float,
        Field(
            "Cost of a miss",
            "In false alarms.",
            low=0.001,
            high=1_000_000,
            wording=_cost_wording,
            when=_are_two,
        ),
    ] = 1.0
    costs: Annotated[
        tuple[Annotated[float, Between(0)], ...],
        Field(
            "Costs of errors",
            "More than two classes: a row for each true class, a column for each predicted one; by "
            "default 1 for every error.",
            longest=10_000,
            when=_are_more,
        ),
    ] = ()

    @property
    def obstacle(self) -> str:
        """Why there is no threshold; "" if there is one."""
        if not metrics.has_posteriors(self.results, self.method):
            return f"{self.method} has no posteriors, so there is no operating point to choose."
        return ""

    @property
    def has_threshold(self) -> bool:
        """True for two classes; more are decided by the costs of errors."""
        return self.model.data.n_classes == 2

    @cached_property
    def code(self) -> int:
        """The positive class."""
        return int(self.setting("of_class"))

    @property
    def label(self) -> str:
        """The label of the positive class, in quotes."""
        return quoted(self.model.data.classes[self.code])

    @cached_property
    def tuned(self) -> TunedThreshold:
        """The threshold chosen by cross-validation."""
        inner = held_out(self.model)
        return metrics.tune_threshold(inner, self.method, self.code, self.score, self.miss_cost)

    @cached_property
    def chosen(self) -> float:
        """The threshold."""
        if self.by == "costs":
            return 1 / (1 + self.miss_cost)
        if self.by == "cross-validation":
            return self.tuned.threshold
        return float(self.setting("threshold"))

    @cached_property
    def decided(self) -> FittedClassifier:
        """The model at the operating point, with its results."""
        if self.obstacle:
            return self.model
        if not self.has_threshold:
            return self.model.at(costs=self.matrix) if self.costs else self.model
        is_usual = self.by == "threshold" and self.threshold is None
        return self.model if is_usual else self.model.at(self.chosen, self.code)

    @cached_property
    def matrix(self) -> Sequence[Sequence[float]]:
        """The costs, true classes along the first axis."""
        if self.has_threshold:
            return metrics.cost_table(self.code, self.miss_cost)
        return imbalance.costs_of(self.costs, self.model.data.n_classes)

    def roc(self) -> RocDisplay:
        """Return the ROC curve of the positive class, with the operating point."""
        return RocDisplay(self.decided, (self.code,))

    def precision_recall(self) -> PrecisionRecallDisplay:
        """Return its precision-recall curve, with the operating point."""
        return PrecisionRecallDisplay(self.decided, (self.code,))

    def threshold_of(self, curve: Literal["roc", "precision_recall"], position: int) -> float:
        """Return a threshold that decides as a point of a curve, by its position in it."""
        if curve == "roc":
            thresholds = metrics.roc_curve(self.results, self.method)[self.code].thresholds
        else:
            of_classes = metrics.precision_recall_curve(self.results, self.method)
            thresholds = of_classes[self.code].thresholds
        return metrics.threshold_between(thresholds, position)

    @cached_property
    def gains(self) -> Gains:
        """The cumulative gains of the positive class."""
        return metrics.cumulative_gains(self.results, self.method, self.code)

    @cached_property
    def reached(self) -> tuple[float, float]:
        """Share of the rows predicted as the positive class, and its recall."""
        return self._depth_and_recall(self.decided.results)

    def _depth_and_recall(self, results: Results) -> tuple[float, float]:
        counts = metrics.confusion_matrix(results, self.method)
        n_predicted, n_class = counts[:, self.code].sum(), counts[self.code].sum()
        return n_predicted / counts.sum(), counts[self.code, self.code] / max(n_class, 1e-300)

    def finding(self) -> str:
        """State recall and precision of the positive class at the threshold, or the cost."""
        if self.obstacle:
            return self.obstacle
        if not self.has_threshold:
            chosen_cost, usual = (
                metrics.expected_cost(results, self.method, self.matrix)
                for results in (self.decided.results, self.results)
            )
            cost = report.format_loss(chosen_cost, "log loss")
            if not self.costs:
                return f"If every error costs 1, {self.method} costs {cost} per row."
            return (
                f"{self.method} costs {cost} per row if it decides by least expected cost, and "
                f"{decimals(usual.value)} if it decides by the largest posterior."
            )
        condition = f"At a threshold of {metrics.threshold_text(self.chosen)} for {self.label}"
        lines = self._lines.set_index(["score", "class"])
        label = str(self.model.data.classes[self.code])
        if not self.reached[0]:
            return f"{condition}, {self.method} predicts no row as {self.label}."
        recall, precision = (
            report.format_score(
                metrics.Interval(*lines.loc[(name, label), ["value", "low", "high"]]), name
            )
            for name in ("recall", "precision")
        )
        return (
            f"{condition}, {self.method} finds {recall} of the {self.label} rows, and {precision} "
            "of the rows predicted as such are correct."
        )

    def scope(self) -> str:
        """State how the threshold was chosen, and the rows."""
        if self.obstacle:
            return ""
        rule = "Threshold chosen by hand"
        if not self.has_threshold:
            rule = "Predicted: the class of least expected cost, for calibrated posteriors"
        elif self.by == "costs":
            rule = (
                f"Threshold of least expected cost for calibrated posteriors if a miss costs "
                f"{self.miss_cost:g} {'false alarm' if self.miss_cost == 1 else 'false alarms'}"
            )
        elif self.by == "cross-validation":
            rule = (
                f"Threshold of the {'least' if self.score == 'expected cost' else 'best'} "
                f"{self.score} ({decimals(self.tuned.value)}) in five-fold cross-validation on "
                f"{self.trained}"
            )
        return f"{rule}. Scores on {self.tested}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each score: at the operating point, and by the largest posterior."""
        return pd.DataFrame() if self.obstacle else self._lines.copy()

    @cached_property
    def _lines(self) -> pd.DataFrame:
        chosen, usual = (self._scores(results) for results in (self.decided.results, self.results))
        return chosen.assign(**{_USUAL: usual["value"]})[_COLUMNS]

    def _scores(self, results: Results) -> pd.DataFrame:
        classes = metrics.score_table(results, metrics.CLASS_SCORES).dropna(subset="score")
        of_class = classes["class"] == str(self.model.data.classes[self.code])
        is_shown = of_class | (classes["score"] == "recall")
        whole = metrics.score_table(results, _SCORES)
        depth, recall = self._depth_and_recall(results)
        label = str(self.model.data.classes[self.code])
        cost = metrics.expected_cost(results, self.method, self.matrix)
        more = [
            ("expected cost per row", "", *cost),
            (_DEPTH, label, depth, np.nan, np.nan),
            ("lift", label, recall / depth if depth else np.nan, np.nan, np.nan),
        ]
        added = pd.DataFrame(more, columns=_COLUMNS[:5])
        tables = [
            classes[is_shown].sort_values("class", key=lambda c: c != label, kind="stable"),
            whole,
        ]
        return pd.concat([*(scores[_COLUMNS[:5]] for scores in tables), added], ignore_index=True)

    def table(self) -> pd.DataFrame:
        """Return the same as text, each score in its unit."""
        if self.obstacle:
            return pd.DataFrame()
        lines = self.frame()
        named = [
            f"{score} of {quoted(label)}"
            if score in metrics.CLASS_SCORES
            else f"{score} as {quoted(label)}"
            if score == _DEPTH
            else score
            for score, label in zip(lines["score"], lines["class"], strict=True)
        ]
        units = lines["score"].replace(_UNITS)
        usual = lines.assign(score=units, value=lines[_USUAL], low=np.nan, high=np.nan)
        return pd.DataFrame(
            {
                "score": named,
                "value": report.score_texts(lines.assign(score=units)),
                _USUAL: report.score_texts(usual),
            }
        )

    def table_help(self) -> Mapping[str, str]:
        """Return what the decision by default is."""
        threshold = "; a threshold of 50 %" if self.has_threshold else ""
        return {_USUAL: f"The class with the largest posterior{threshold}."}

    def plot(self) -> go.Figure | None:
        """Return the cumulative gains, with the operating point."""
        if self.obstacle:
            return None
        return plots.gains(self.gains, code=self.code, point=self.reached)

    def notes(self) -> tuple[str, ...]:
        """Return what the scores depend on, and what costs and lift are."""
        if self.obstacle:
            return ()
        notes = []
        if not self.has_threshold:
            notes.append(report.costs_in_words(self.matrix, self.model.data.classes))
        elif self.by == "threshold":
            notes.append(
                "If the threshold is chosen by looking at these test rows, the scores are "
                "optimistic. Cross-validation chooses it on the training rows alone."
            )
        elif self.by == "costs":
            notes.append(
                "The threshold follows from the costs alone (Elkan 2001), if the posteriors are "
                "calibrated: see Calibration."
            )
        else:
            notes.append(
                "The folds have models of their own, whose posteriors may differ a little from "
                "those of this model."
            )
        rule = report.interval_method(self.decided.results, "accuracy", "balanced accuracy", "MCC")
        notes.append(
            f"{rule.removesuffix('.')}; recall and precision as accuracy; expected cost by "
            "Price–Bonett."
        )
        costs = f"A false alarm costs 1, a miss {self.miss_cost:g}. " if self.has_threshold else ""
        notes.append(
            f"{costs}Lift: precision over the share of {self.label} among the test rows "
            f"({percent(self.gains.share)})."
        )
        return tuple(notes)
