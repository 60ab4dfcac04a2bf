"""Displays of a comparison: scores, pairs, disagreements, recall, time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, metrics, plots, report
from lincore.data import Dataset
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.metrics import ROPE, SCORES, Results
from lincore.utils import p_equals

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Rows of a disagreement that are listed.
MOST_ROWS = 500


def _scores(so_far: SimpleNamespace) -> list[str]:
    leading = _leading(so_far)
    return sorted(metrics.available_scores(so_far.results), key=lambda name: name != leading)


def _leading(so_far: SimpleNamespace) -> str:
    return metrics.leading_score(so_far.results.class_counts)


def _points(so_far: SimpleNamespace) -> tuple[str, float]:
    return ("points", 100) if SCORES[so_far.score].is_share else ("", 1)


@dataclass(frozen=True, eq=False)
class JudgedDisplay(Display):
    """A display of results by one score."""

    results: Results
    score: (
        Annotated[
            str,
            Field(
                "Score",
                "Decides the headline, the order and the groups: by default accuracy, or balanced "
                "accuracy if the classes are unequal.",
                longest=60,
                choices=_scores,
                auto=_leading,
            ),
        ]
        | None
    ) = None
    rope: Annotated[
        float,
        Field(
            "Region of practical equivalence",
            "Differences whose whole interval is smaller than this are called equivalent, however "
            "significant they are.",
            low=0,
            high=1,
            step=0.005,
            unit=_points,
        ),
    ] = ROPE

    @cached_property
    def deciding(self) -> str:
        """The score that was chosen, or the leading one."""
        return self.score or metrics.leading_score(self.results.class_counts)

    @cached_property
    def ranked(self) -> Results:
        """The results, the best method first."""
        return metrics.rank_methods(self.results, self.deciding)

    @property
    def labels(self) -> list[str]:
        """Labels of the methods, the best first."""
        return [self.results.settings.label(name) for name in self.ranked.methods]

    @property
    def is_share(self) -> bool:
        """True if the score is read in per cent."""
        return SCORES[self.deciding].is_share

    @cached_property
    def differences(self) -> list[metrics.Difference]:
        """The pairs, by the labels of the models, in the order of the ranked methods."""
        label = self.results.settings.label
        return [
            d._replace(first=label(d.first), second=label(d.second))
            for d in metrics.pairwise_differences(self.ranked, self.deciding, self.rope)
        ]

    def scope(self) -> str:
        """Return the tested rows, and how many the models learned from."""
        return report.evaluation_scope(self.results)


@dataclass(frozen=True, eq=False)
class ScoresDisplay(JudgedDisplay):
    """Every score of every method with its interval, and which models are the best."""

    title: ClassVar[str] = "Scores"
    made_by: ClassVar[str] = "results.scores"

    def finding(self) -> str:
        """Return which models lead, and which others they beat."""
        return report.comparison_finding(self.ranked, self.deciding, self.rope)

    def scope(self) -> str:
        """Return the best score corrected for the choice, whether it beats guessing, the rows."""
        said = [report.best_finding(self.ranked, self.deciding)]
        if self.labels and self.deciding == metrics.leading_score(self.results.class_counts):
            best, label = self.ranked.methods[0], self.labels[0]
            said.append(report.baseline_finding(self.ranked, best, subject=label))
        return " ".join(filter(None, [*said, report.evaluation_scope(self.results)]))

    def frame(self) -> pd.DataFrame:
        """Return a line for each method and score, with its interval and group."""
        group = metrics.groups(self.ranked, self.deciding, self.rope)
        return pd.DataFrame(
            {
                "method": method,
                "label": self.results.settings.label(method),
                "score": name,
                **metrics.score(self.ranked, method, name)._asdict(),
                "group": group[method],
                "seconds": float(self.results.seconds[self.results.position(method)]),
            }
            for method in self.ranked.methods
            for name in metrics.available_scores(self.ranked)
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each model: group, and each score with its interval."""
        return pd.DataFrame(report.comparison_rows(self.ranked, self.deciding, self.rope))

    def table_help(self) -> Mapping[str, str]:
        """Return what group, corrected score and every score mean."""
        best = metrics.best_score(self.ranked, self.deciding)
        corrected = "" if best is None else report.best_heading(best, self.deciding)
        return {
            "group": f"No model of a group is shown to be worse than its best by {self.deciding}.",
            corrected: "The best of several is partly best by chance: its score corrected for the "
            "choice, by bootstrap.",
            report.rarest_heading(self.ranked): "Recall of the class with the fewest test rows, in "
            "per cent.",
            **{report.score_heading(name): score.help for name, score in SCORES.items()},
        }

    def plot(self) -> go.Figure:
        """Return the score of each method with its interval, baselines and groups."""
        group = metrics.groups(self.ranked, self.deciding, self.rope)
        drawn = [name for name in self.ranked.methods if group[name]]
        return plots.score_intervals(
            [self.results.settings.label(name) for name in drawn],
            [metrics.score(self.ranked, name, self.deciding) for name in drawn],
            score=self.deciding,
            baselines=metrics.baseline_scores(self.ranked, self.deciding),
            groups=[group[name] for name in drawn],
            as_percent=self.is_share,
        )

    def notes(self) -> tuple[str, ...]:
        """Return the rule of the intervals, what is missing and why, and warnings."""
        group = metrics.groups(self.ranked, self.deciding, self.rope)
        without = [
            f"{label}: {metrics.missing_score_reason(self.ranked, name, self.deciding)}"
            for name, label in zip(self.ranked.methods, self.labels, strict=True)
            if not group[name]
        ]
        return (
            report.interval_method(self.ranked, self.deciding),
            *([f"Without {self.deciding}: {'; '.join(without)}."] if without else []),
            *filter(None, [report.missing_intervals_note(self.ranked)]),
            *report.comparison_notes(self.ranked),
        )


@dataclass(frozen=True, eq=False)
class PairwiseDisplay(JudgedDisplay):
    """The difference of every two models, with its interval, test and verdict."""

    title: ClassVar[str] = "Pairwise comparisons"
    made_by: ClassVar[str] = "results.pairwise"

    def finding(self) -> str:
        """Return how many pairs differ, and what is known of the best two."""
        if not self.differences:
            return "A pairwise comparison needs two models."
        return report.difference_finding(self.differences[0])

    def frame(self) -> pd.DataFrame:
        """Return a line for each pair: difference, interval, p-values, verdict, test."""
        found = metrics.pairwise_differences(self.ranked, self.deciding, self.rope)
        return pd.DataFrame(found, columns=list(metrics.Difference._fields))

    def table(self) -> pd.DataFrame:
        """Return the same with differences of shares in points."""
        rows = pd.DataFrame(report.pairwise_rows(self.ranked, self.deciding, self.rope))
        return rows.round(1 if self.is_share else 3)

    def plot(self) -> go.Figure | None:
        """Return each difference with its interval and the region of practical equivalence."""
        if not self.differences:
            return None
        short = dict(zip(self.labels, report.short_names(self.ranked.methods), strict=True))
        return plots.pairwise_effects(
            [
                d._replace(first=short[d.first], second=short[d.second])
                for d in self.differences
                if np.isfinite(d.value)
            ],
            score=self.deciding,
            rope=self.rope,
            as_percent=self.is_share,
        )

    def notes(self) -> tuple[str, ...]:
        """Return tests and corrections, shared errors, and the test of all models together."""
        if not self.differences:
            return ()
        found = [report.pairwise_note(self.ranked, self.deciding, self.rope)]
        blind = report.never_predicted_finding(self.ranked, list(self.ranked.methods))
        if blind and any(d.verdict == "equivalent" for d in self.differences):
            found.append(f"Models can be equivalent in a fault. {' '.join(blind)}")
        units = metrics.find_sampling_units(self.ranked)
        if self.deciding == "accuracy" and units.one_fit and units.independent_rows:
            some_pair = any(d.better is not None for d in self.differences)
            omnibus = metrics.cochran_test(self.ranked)
            found.append(report.cochran_finding(omnibus, some_pair=some_pair))
        return tuple(found)


def _methods(so_far: SimpleNamespace) -> dict[str, str]:
    return {name: so_far.results.settings.label(name) for name in so_far.results.methods}


def _first(so_far: SimpleNamespace) -> str:
    return str(metrics.rank_methods(so_far.results).methods[0])


def _others(so_far: SimpleNamespace) -> dict[str, str]:
    return {name: label for name, label in _methods(so_far).items() if name != so_far.first}


def _differing(so_far: SimpleNamespace) -> str:
    """Return the best method whose predictions differ from those of the first."""
    results = metrics.rank_methods(so_far.results)
    others = [name for name in results.methods if name != so_far.first]
    own = results.predicted[results.position(so_far.first)]
    differ = [(results.predicted[results.position(name)] != own).any() for name in others]
    return others[differ.index(True) if True in differ else 0] if others else ""


_WHICH = ("first", "second", "neither")


def _which(so_far: SimpleNamespace) -> dict[str, str]:
    if len(so_far.results.methods) < 2:
        return {}
    found = metrics.find_disagreements(so_far.results, so_far.first, so_far.second)
    labels = _methods(so_far)
    named = (
        f"{labels[so_far.first]} alone is correct",
        f"{labels[so_far.second]} alone is correct",
        "Neither is correct",
    )
    counts = [int(part.sum()) for part in (found.only_first, found.only_second, found.neither)]
    return {
        which: f"{name} ({count:,})"
        for which, name, count in zip(_WHICH, named, counts, strict=True)
        if count
    }


def _commonest(so_far: SimpleNamespace) -> str | None:
    return next(iter(_which(so_far)), None)


@dataclass(frozen=True, eq=False)
class DisagreementsDisplay(JudgedDisplay):
    """The rows on which two models disagree, and which of the two is correct there."""

    title: ClassVar[str] = "Disagreements"
    made_by: ClassVar[str] = "results.disagreements"

    data: Dataset | None = None
    first: (
        Annotated[
            str,
            Field(
                "First model",
                "One of the two whose predictions are compared.",
                longest=500,
                choices=_methods,
                auto=_first,
            ),
        ]
        | None
    ) = None
    second: (
        Annotated[
            str,
            Field("Second model", "The other one.", longest=500, choices=_others, auto=_differing),
        ]
        | None
    ) = None
    which: (
        Annotated[
            str,
            Field(
                "Which",
                "The errors of largest posterior come first.",
                longest=20,
                choices=_which,
                auto=_commonest,
            ),
        ]
        | None
    ) = None

    @cached_property
    def pair(self) -> tuple[str, str]:
        """The two methods."""
        so_far = SimpleNamespace(results=self.results, first=self.first or "")
        so_far.first = self.first or _first(so_far)
        return so_far.first, self.second or _differing(so_far)

    @cached_property
    def found(self) -> metrics.Disagreement:
        """The rows of the whole disagreement."""
        return metrics.find_disagreements(self.results, *self.pair)

    @cached_property
    def part(self) -> metrics.Disagreement:
        """The rows that are listed."""
        so_far = SimpleNamespace(results=self.results, first=self.pair[0], second=self.pair[1])
        which = self.which or _commonest(so_far)
        if which is None:
            return self.found
        names = ("only_first", "only_second", "neither")
        return self.found.where(getattr(self.found, names[_WHICH.index(which)]))

    @property
    def is_possible(self) -> bool:
        """True if there are two methods."""
        return len(self.results.methods) > 1

    def finding(self) -> str:
        """Return how often the two disagree, and who is correct then."""
        if not self.is_possible:
            return "Disagreements need two models."
        labels = map(self.results.settings.label, self.pair)
        return report.disagreement_finding(self.found, *labels, rows=self.results.settings.rows)

    def frame(self) -> pd.DataFrame:
        """Return the rows: truth, both predictions and their probabilities."""
        return self._lines(self.found) if self.is_possible else pd.DataFrame()

    def _lines(self, part: metrics.Disagreement) -> pd.DataFrame:
        classes = self.results.classes
        found = pd.DataFrame({"row": part.rows, "class": classes[part.truth]})
        for method, predicted, proba in zip(self.pair, part.predicted, part.proba, strict=True):
            label = self.results.settings.label(method)
            found[f"{label} predicts"] = classes[predicted]
            if np.isfinite(proba).all():
                found[f"{label}: p"] = proba
        return found

    def table(self) -> pd.DataFrame:
        """Return those that `which` asks for beside the columns of the data, at most 500."""
        if not self.is_possible:
            return pd.DataFrame()
        found = self._lines(self.part).head(MOST_ROWS)
        if found.empty or self.data is None or self.data.kind.is_images:
            return found.round(3)
        own = found.drop(columns=["row", "class"]).round(3)
        columns = {str(name): own[name].tolist() for name in own}
        return inspection.row_table(self.data, found["row"].to_numpy(), columns)

    def images(self) -> tuple[np.ndarray, list[str]] | None:
        """Return the rows that are listed and a caption each, where they are images."""
        if self.data is None or not self.data.kind.is_images or not self.is_possible:
            return None
        said = self.results.classes[self.part.predicted]
        return self.part.rows, [f"{a} / {b}" for a, b in zip(*said.tolist(), strict=True)]

    def notes(self) -> tuple[str, ...]:
        """Return the test of the two, and which rows are listed."""
        if not self.is_possible:
            return ()
        notes = [self._test()]
        if self.results.repetition.max(initial=0):
            noun = self.results.settings.rows
            notes.append(f"Of the first repetition, in which each of the {noun} is tested once.")
        if self.images() is not None:
            first, second = map(self.results.settings.label, self.pair)
            notes.append(f"Over each image: prediction of {first} / of {second}.")
        return tuple(filter(None, notes))

    def _test(self) -> str:
        """Return what the test of the deciding score says of the two, as among all pairs."""
        pair = {self.results.settings.label(name) for name in self.pair}
        for d in self.differences:
            if {d.first, d.second} == pair:
                p = "" if d.p != d.p else f" {p_equals(d.p)}; {p_equals(d.p_holm)} "
                after = f"{p}after Holm over all pairs." if p else ""
                return f"{report.difference_finding(d)} {d.test}:{after}"
        return ""


@dataclass(frozen=True, eq=False)
class RecallDisplay(JudgedDisplay):
    """The recall of every class by every method."""

    title: ClassVar[str] = "Recall by class"
    made_by: ClassVar[str] = "results.recall"

    def finding(self) -> str:
        """Return which class is recalled worst."""
        return str(self.plot().layout.meta["title"])

    def frame(self) -> pd.DataFrame:
        """Return a line for each method and class, with the interval of its recall."""
        return pd.DataFrame(
            {"method": method, "class": str(label), **found._asdict()}
            for method in self.ranked.methods
            for label, found in zip(
                self.results.classes, metrics.recall(self.ranked, method), strict=True
            )
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each class, the recall by each model as text."""
        return pd.DataFrame(report.recall_rows(self.ranked))

    def plot(self) -> go.Figure:
        """Return the map of recalls, classes by models."""
        recalls = [[r.value for r in metrics.recall(self.ranked, m)] for m in self.ranked.methods]
        names = report.short_names(self.ranked.methods)
        return plots.recall_map(recalls, names, self.results.classes)

    def notes(self) -> tuple[str, ...]:
        """Return the order of the models, and why some cells are blank."""
        n_classes = len(self.results.classes)
        n_blank = n_classes - len(np.unique(self.results.truth))
        rows = self.results.settings.rows
        blank = f" Blank: {n_blank} of {n_classes} classes, without test {rows}." if n_blank else ""
        return (f"In per cent. Models from left to right as above, the best first.{blank}",)


@dataclass(frozen=True, eq=False)
class TimesDisplay(JudgedDisplay):
    """The time to fit each method beside its score."""

    title: ClassVar[str] = "Time"
    made_by: ClassVar[str] = "results.times"

    @cached_property
    def drawn(self) -> list[str]:
        """The methods that have the score."""
        group = metrics.groups(self.ranked, self.deciding, self.rope)
        return [name for name in self.ranked.methods if group[name]]

    def finding(self) -> str:
        """Return which model is fast and which is good."""
        return str(self.plot().layout.meta["title"])

    def frame(self) -> pd.DataFrame:
        """Return a line for each method: seconds, and the score with its interval."""
        return pd.DataFrame(
            {
                "method": name,
                "seconds": float(self.results.seconds[self.results.position(name)]),
                **metrics.score(self.ranked, name, self.deciding)._asdict(),
            }
            for name in self.drawn
        )

    def table(self) -> pd.DataFrame:
        """Return nothing: the figure holds all of it."""
        return pd.DataFrame()

    def plot(self) -> go.Figure:
        """Return seconds against the score; colours and shapes as the models were chosen."""
        chosen = sorted(self.ranked.methods, key=list(self.results.settings.labels).index)
        return plots.seconds_and_score(
            [float(self.results.seconds[self.results.position(name)]) for name in self.drawn],
            [metrics.score(self.ranked, name, self.deciding) for name in self.drawn],
            [self.results.settings.label(name) for name in self.drawn],
            looks=[chosen.index(name) for name in self.drawn],
            score=self.deciding,
            as_percent=self.is_share,
        )

    def notes(self) -> tuple[str, ...]:
        """Return how often each model was fitted, and where."""
        fits = metrics.find_sampling_units(self.results).n_folds
        times = f"{fits:,} times" if fits > 1 else "once"
        return (
            f"Time to fit a model {times}, the steps before it included, on "
            f"{self.results.settings.data}; measured on the machine that ran it, so it varies a "
            "little.",
        )
