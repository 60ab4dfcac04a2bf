"""Displays of a comparison: scores, recall by class, time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from lincore import metrics, plots, report
from lincore.displays.base import intervals, pivot
from lincore.displays.comparison.judged import JudgedDisplay
from lincore.displays.comparison.notes import comparison_notes
from lincore.metrics import SCORES
from lincore.utils import count, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

# The order of scores after the leading one.
_ORDER = ("balanced accuracy", "accuracy", "MCC", "log loss", "AUC", "macro F1", "Brier")

# See "Permuted labels" in docs/coverage.md.
_P_OVER_FOLDS = (
    "Over folds p by permutation is corrected after Nadeau and Bengio (2003), because the models "
    "are not fitted again to the permuted labels."
)


@dataclass(frozen=True, eq=False)
class ScoresDisplay(JudgedDisplay):
    """Every score of every method with its interval, and which models are the best."""

    title: ClassVar[str] = "Scores"
    made_by: ClassVar[str] = "results.scores"
    is_reported: ClassVar[bool] = True

    def finding(self) -> str:
        """State which models lead, and which others they beat."""
        return report.comparison_finding(self.ranked, self.deciding, self.rope)

    def scope(self) -> str:
        """Return details of the finding, the best score corrected, a baseline, and the rows."""
        details = report.comparison_details(self.ranked, self.deciding, self.rope)
        sentences = [details, self._best_finding(), self._against_baseline, super().scope()]
        return " ".join(filter(None, sentences))

    @cached_property
    def _against_baseline(self) -> str:
        """Whether the best model beats the majority class; empty if another score decides."""
        if not self.labels or self.deciding != metrics.leading_score(self.results.class_counts):
            return ""
        return report.baseline_finding(self.ranked, self.ranked.methods[0], subject=self.labels[0])

    @cached_property
    def best(self) -> metrics.BestScore | None:
        """The best of several methods, and its score corrected for the choice."""
        best = metrics.best_score(self.ranked, self.deciding)
        return None if best is None or best.n_methods < 2 else best

    def _best_finding(self) -> str:
        if self.best is None:
            return ""
        raw, corrected = (
            report.format_score(interval, self.deciding)
            for interval in (self.best.raw._replace(low=np.nan, high=np.nan), self.best.corrected)
        )
        values = [metrics.score(self.ranked, m, self.deciding).value for m in self.ranked.methods]
        n_tied = values.count(self.best.raw.value) - 1
        tied = f" (tied with {count(n_tied, 'other')})" if n_tied > 0 else ""
        return (
            f"Best of {self.best.n_methods} on these rows: "
            f"{self.results.settings.label(self.best.method)}{tied}, {self.deciding} {raw}; "
            f"corrected for the choice {corrected}."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each method and score, with its interval and group."""
        scores = metrics.score_table(self.ranked, metrics.available_scores(self.ranked))
        scores.insert(1, "label", scores["method"].map(self.results.settings.label))
        seconds = dict(zip(self.results.methods, self.results.seconds.tolist(), strict=True))
        return scores.assign(
            group=scores["method"].map(self.group), seconds=scores["method"].map(seconds)
        )

    @cached_property
    def group(self) -> dict[str, int]:
        """The group of each method: 1 has the best one; 0 for a method without the score."""
        return metrics.groups(self.ranked, self.deciding, self.rope)

    def table(self) -> pd.DataFrame:
        """Return a line for each model: group, and each score with its interval."""
        scores, methods = metrics.score_table(self.ranked), self.ranked.methods
        scores["text"] = [
            text.replace(" %", "") or metrics.missing_score_reason(self.ranked, method, name)
            for text, method, name in zip(
                report.score_texts(scores), scores["method"], scores["score"], strict=True
            )
        ]
        texts = pivot(scores, "method", columns="score", values="text")
        groups = [self.group[name] or None for name in methods]
        columns: dict[str, Sequence[object]] = {"model": self.labels, "group": groups}
        for name in sorted(SCORES, key=lambda name: (name != self.deciding, _ORDER.index(name))):
            columns[score_heading(name)] = list(texts.get(name, []))
            if name == self.deciding and metrics.is_imbalanced(self.results.class_counts):
                columns[self.recall_heading] = self._recall_of_the_rarest()
            if name == self.deciding and self.best is not None:
                corrected = report.format_score(self.best.corrected, name).replace(" %", "")
                columns[self.best_heading] = [
                    corrected if method == self.best.method else "" for method in methods
                ]
        return pd.DataFrame(columns)

    def _interval_rules(self) -> list[str]:
        """Return the rules of the intervals of the table; that of the AUC tells more by itself."""
        others = [name for name in metrics.available_scores(self.ranked) if name != self.deciding]
        if self.deciding == "AUC":
            return [
                report.interval_method(self.ranked, *names) for names in (["AUC"], others) if names
            ]
        return [report.interval_method(self.ranked, self.deciding, *others)]

    @property
    def recall_heading(self) -> str:
        """The column of the recall of the rarest class."""
        rarest = self.results.classes[report.rarest_class(self.results)]
        return f"recall of {quoted(rarest)} (%)"

    def _recall_of_the_rarest(self) -> list[str]:
        recalls = metrics.score_table(self.ranked, ["recall"])
        rarest = str(self.results.classes[report.rarest_class(self.results)])
        own = recalls[recalls["class"] == rarest]
        return [text.replace(" %", "") for text in report.score_texts(own)]

    @property
    def best_heading(self) -> str:
        """The column of the best score, corrected for the choice; "" if there is none."""
        if self.best is None:
            return ""
        return "corrected (%)" if self.is_share else "corrected"

    def table_help(self) -> Mapping[str, str]:
        """Return what group, corrected score and every score mean."""
        return {
            "group": f"No model of a group is shown to be worse than its best by {self.deciding}.",
            self.best_heading: "The best of several is partly best by chance: its score corrected "
            "for the choice, by bootstrap.",
            self.recall_heading: "Recall of the class with the fewest test rows, in per cent.",
            **{score_heading(name): score.help for name, score in SCORES.items()},
        }

    def plot(self) -> go.Figure:
        """Draw the score of each method with its interval, baselines and groups."""
        methods = self.scored["method"]
        return plots.score_intervals(
            methods.map(self.results.settings.label).tolist(),
            intervals(self.scored),
            score=self.deciding,
            baselines=metrics.baseline_scores(self.ranked, self.deciding),
            groups=methods.map(self.group).tolist(),
            as_percent=self.is_share,
        )

    def notes(self) -> tuple[str, ...]:
        """Return the rule of the intervals, what is missing and why, and warnings."""
        without = [
            f"{label}: {metrics.missing_score_reason(self.ranked, name, self.deciding)}"
            for name, label in zip(self.ranked.methods, self.labels, strict=True)
            if not self.group[name]
        ]
        over_folds = not metrics.find_sampling_units(self.ranked).one_fit
        return (
            *filter(None, self._interval_rules()),
            *([_P_OVER_FOLDS] if over_folds and "permutation" in self._against_baseline else []),
            *([f"Without {self.deciding}: {'; '.join(without)}."] if without else []),
            *filter(None, [report.missing_intervals_note(self.ranked)]),
            *comparison_notes(self.ranked),
        )


def score_heading(score: str) -> str:
    """Return the column heading of a score: "accuracy (%)", "log loss"."""
    return f"{score} (%)" if SCORES[score].is_share else score


@dataclass(frozen=True, eq=False)
class RecallDisplay(JudgedDisplay):
    """The recall of every class by every method."""

    title: ClassVar[str] = "Recall by class"
    made_by: ClassVar[str] = "results.recall"
    page_key: ClassVar[str] = "compare.recall"

    def frame(self) -> pd.DataFrame:
        """Return a line for each method and class, with the interval of its recall."""
        return metrics.score_table(self.ranked, ["recall"])

    def table(self) -> pd.DataFrame:
        """Return a line for each class, the recall by each model as text."""
        recalls = self.frame()
        recalls["text"] = report.score_texts(recalls)
        texts = pivot(recalls, "class", columns="method", values="text")
        return texts.set_axis(["class", *self.labels], axis="columns")

    def plot(self) -> go.Figure:
        """Return the map of recalls, classes by models."""
        shares = self.frame()["value"].to_numpy().reshape(-1, len(self.results.classes))
        names = report.short_names(self.ranked.methods)
        return plots.recall_map(shares, names, self.results.classes)

    def notes(self) -> tuple[str, ...]:
        """Return the order of the models, and why some cells are blank."""
        n_classes = len(self.results.classes)
        n_blank = n_classes - len(np.unique(self.results.truth))
        rows = self.results.settings.rows
        blank = f" Blank: {n_blank} of {n_classes} classes, without test {rows}." if n_blank else ""
        return (f"In per cent. Models from left to right, the best first.{blank}",)


@dataclass(frozen=True, eq=False)
class TimesDisplay(JudgedDisplay):
    """The time to fit each method beside its score."""

    title: ClassVar[str] = "Time"
    made_by: ClassVar[str] = "results.times"
    page_key: ClassVar[str] = "compare.seconds"
    is_tabulated: ClassVar[bool] = False

    def frame(self) -> pd.DataFrame:
        """Return a line for each method: seconds, and the score with its interval."""
        seconds = dict(zip(self.results.methods, self.results.seconds.tolist(), strict=True))
        return self.scored.assign(seconds=self.scored["method"].map(seconds))

    def plot(self) -> go.Figure:
        """Draw seconds against the score; a method keeps its colour and shape in any order."""
        chosen = sorted(self.ranked.methods, key=list(self.results.settings.labels).index)
        lines = self.frame()
        return plots.seconds_and_score(
            lines["seconds"],
            intervals(lines),
            lines["method"].map(self.results.settings.label).tolist(),
            looks=[chosen.index(name) for name in lines["method"]],
            score=self.deciding,
            as_percent=self.is_share,
        )

    def notes(self) -> tuple[str, ...]:
        """State how often each model was fitted, and where."""
        fits = metrics.find_sampling_units(self.results).n_folds
        times = f"{fits:,} times" if fits > 1 else "once"
        return (
            f"Time to fit a model {times} on {self.results.settings.data}, preprocessing included. "
            "It depends on the machine and varies a little.",
        )
