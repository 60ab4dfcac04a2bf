"""Displays of the scores of a model, over all classes and of each class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd

from lincore import metrics, report
from lincore.displays.model.model_display import ModelDisplay
from lincore.utils import count, percent, quoted, quoted_pair

_BASELINE = "Majority class"


@dataclass(frozen=True, eq=False)
class ModelScoresDisplay(ModelDisplay):
    """Every score of a classifier with its interval, beside that of a baseline."""

    title: ClassVar[str] = "Scores"
    made_by: ClassVar[str] = "model.scores"
    is_reported: ClassVar[bool] = True

    def finding(self) -> str:
        """Return the leading score, and the most frequent error."""
        return report.classification_finding(self.results, self.method)

    def scope(self) -> str:
        """State whether the model beats the majority-class baseline."""
        return report.baseline_finding(self.results, self.method, subject=self.method)

    def frame(self) -> pd.DataFrame:
        """Return a line for each score: value, interval, baseline, meaning."""
        scores = self.scores(*metrics.SCORES)
        guesses = metrics.baseline_results(self.results)
        baseline = [
            metrics.estimate(guesses, _guesser(name), name).value for name in scores["score"]
        ]
        helps = [metrics.SCORES[name].help for name in scores["score"]]
        return scores.assign(baseline=baseline, **{"what it is": helps})

    def table(self) -> pd.DataFrame:
        """Return the same as text, each score in its unit."""
        lines = self.frame()
        baseline = lines.assign(value=lines["baseline"], low=np.nan, high=np.nan)
        return pd.DataFrame(
            {
                "score": lines["score"],
                "value": report.score_texts(lines),
                "baseline": report.score_texts(baseline),
                "what it is": lines["what it is"],
            }
        )

    def notes(self) -> tuple[str, ...]:
        """Return the rows, the rules of the intervals, and what the baseline is."""
        rules = report.interval_method(self.results, *metrics.available_scores(self.results))
        return (
            f"On {self.tested}. {rules} Baseline: always the largest class, or the shares of the "
            "classes as posterior.",
            *filter(None, [report.missing_intervals_note(self.results)]),
        )


@dataclass(frozen=True, eq=False)
class MainScoresDisplay(ModelScoresDisplay):
    """The scores that are read first, each with its interval, and that of the baseline.

    If classes are unequal these are the leading score, MCC, accuracy and the recall of the rarest
    class; otherwise accuracy and the log loss.
    """

    title: ClassVar[str] = "Main scores"
    made_by: ClassVar[str] = "model.main_scores"

    @cached_property
    def leading(self) -> str:
        """The score that decides."""
        return metrics.leading_score(self.results.class_counts)

    def frame(self) -> pd.DataFrame:
        """Return a line for each score, the last that of the baseline, without an interval."""
        scores = [self.scores(*report.headline_score_names(self.results))]
        if self.leading != "accuracy":
            scores.append(self.scores("recall").iloc[[int(report.rarest_class(self.results))]])
        guess = metrics.majority_baseline_score(self.results, self.leading)
        baseline = (_BASELINE, self.leading, "", guess, np.nan, np.nan)
        scores.append(pd.DataFrame([baseline], columns=scores[0].columns))
        return pd.concat(scores, ignore_index=True)

    def table(self) -> pd.DataFrame:
        """Return value and interval as text, or why there are none, and the meaning of each."""
        scores, lines = self.frame(), []
        for method, score, label, text in zip(
            *(scores[name] for name in ("method", "score", "class")),
            report.score_texts(scores),
            strict=True,
        ):
            number, _, ends = text.removesuffix(")").partition(" (")
            if method == _BASELINE:
                name, ends = "majority-class baseline", self.leading
                meaning = f"The {self.leading} of always predicting the largest training class."
            elif label:
                name = f"recall of {quoted(label)}"
                meaning = "Share of the test rows of the rarest class that are predicted as such."
            else:
                name, few = score, report.missing_interval_note(self.results, score, self.method)
                meaning = f"{metrics.SCORES[name].help} Over {self.tested}"
                meaning += f", {few}." if few else ", with its 95 % interval."
                ends = ends or ("too few rows" if few else "" if number else "no posteriors")
            lines.append((name, number or "none", ends, meaning))
        return pd.DataFrame(lines, columns=["score", "value", "interval", "what it is"])

    def notes(self) -> tuple[str, ...]:
        """Return the rules of the intervals."""
        names = report.headline_score_names(self.results)
        return tuple(filter(None, [report.interval_method(self.results, *names)]))


@dataclass(frozen=True, eq=False)
class ClassScoresDisplay(ModelDisplay):
    """Recall, precision and F1 of every class, with intervals."""

    title: ClassVar[str] = "Scores by class"
    made_by: ClassVar[str] = "model.classes"
    is_reported: ClassVar[bool] = True

    def finding(self) -> str:
        """Return the classes of the lowest and the highest recall."""
        recalls = self.scores("recall").dropna(subset="value").sort_values("value", kind="stable")
        if recalls.empty:
            return "No class was tested."
        low, high = recalls.iloc[0], recalls.iloc[-1]
        if low["value"] == high["value"]:
            return f"Every class has a recall of {percent(low['value'])}."
        ends = []
        for end, label in zip((low, high), quoted_pair(low["class"], high["class"]), strict=True):
            n_tied = int((recalls["value"] == end["value"]).sum()) - 1
            others = f" and {count(n_tied, 'other class', 'other classes')}" if n_tied else ""
            ends.append(f"{label}{others} ({percent(end['value'])})")
        return f"Recall is lowest for {ends[0]} and highest for {ends[1]}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each class and score, recall and precision with their intervals."""
        return self.scores(*metrics.CLASS_SCORES)

    def table(self) -> pd.DataFrame:
        """Return a line for each class, each score as text."""
        columns = {"class": list(map(str, self.results.classes))}
        for name, lines in self.frame().groupby("score", sort=False):
            columns[str(name)] = report.score_texts(lines)
        return pd.DataFrame(columns)


def _guesser(score: str) -> str:
    """Return the baseline of a score: that with posteriors for scores of posteriors."""
    return "Prior only" if metrics.SCORES[score].needs_posteriors or score == "AUC" else _BASELINE
