"""Displays of two models at a time: pairwise comparisons, disagreements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, metrics, plots, report
from lincore.data import Dataset
from lincore.displays.base import first_of
from lincore.displays.comparison.judged import JudgedDisplay
from lincore.fields import Field
from lincore.metrics import SCORES, Difference
from lincore.utils import count, decimals, p_equals, p_value, points

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Rows of a disagreement that are listed.
MOST_ROWS = 500


@dataclass(frozen=True, eq=False)
class PairwiseDisplay(JudgedDisplay):
    """The difference of every two models, with its interval, test and verdict."""

    title: ClassVar[str] = "Pairwise comparisons"
    made_by: ClassVar[str] = "results.pairwise"
    page_key: ClassVar[str] = "compare.pairs"
    is_reported: ClassVar[bool] = True

    def finding(self) -> str:
        """State how many pairs differ, and what is known of the best two."""
        if not self.differences:
            return "A pairwise comparison needs two models."
        return difference_finding(self.differences[0])

    def frame(self) -> pd.DataFrame:
        """Return a line for each pair: difference, interval, p-values, verdict, test."""
        differences = metrics.pairwise_differences(self.ranked, self.deciding, self.rope)
        return pd.DataFrame(differences, columns=list(metrics.Difference._fields))

    def table(self) -> pd.DataFrame:
        """Return the same with differences of shares in points."""
        if not self.differences:
            return pd.DataFrame()
        unit, scale, digits = self.unit_of_differences
        lines = pd.DataFrame(self.differences, columns=list(metrics.Difference._fields))
        amounts = (scale * lines[["value", "low", "high"]]).round(digits)
        return pd.DataFrame(
            {
                "first": lines["first"],
                "second": lines["second"],
                f"difference ({unit})": amounts["value"],
                "from": amounts["low"],
                "to": amounts["high"],
                "p": lines["p"].map(p_value),
                "p (Holm)": lines["p_holm"].map(p_value),
                "verdict": lines["verdict"],
            }
        )

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
        notes = [self._tests()]
        blind = report.never_predicted_finding(self.ranked, list(self.ranked.methods))
        if blind and any(d.verdict == "equivalent" for d in self.differences):
            notes.append(f"Equivalent models can share a fault. {' '.join(blind)}")
        units = metrics.find_sampling_units(self.ranked)
        if self.deciding == "accuracy" and units.one_fit and units.independent_rows:
            some_pair = any(d.better is not None for d in self.differences)
            omnibus = metrics.cochran_test(self.ranked)
            notes.append(cochran_finding(omnibus, some_pair=some_pair))
        return tuple(notes)

    def _tests(self) -> str:
        """Return the tests, the number of pairs, and the meaning of the verdicts."""
        n_tested = sum(not np.isnan(d.p) for d in self.differences)
        tests = dict.fromkeys(d.test for d in self.differences if not d.test.startswith("none"))
        names = f"Test: {', '.join(tests)}. " if tests else ""
        return (
            f"{names}p (Holm) is corrected for {count(n_tested, 'pair')}. Better: it is below "
            "0.05. Equivalent: the whole interval is inside the region of practical equivalence."
        )


def _several(so_far: SimpleNamespace) -> bool:
    return len(so_far.results.methods) > 1


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


#: Parts of a disagreement, by the values of the option that lists one of them.
_PARTS = {"first": "only_first", "second": "only_second", "neither": "neither"}


def _part_counts(disagreement: metrics.Disagreement) -> dict[str, int]:
    return {which: int(getattr(disagreement, part).sum()) for which, part in _PARTS.items()}


def _which(so_far: SimpleNamespace) -> dict[str, str]:
    if len(so_far.results.methods) < 2:
        return {}
    disagreement = metrics.find_disagreements(so_far.results, so_far.first, so_far.second)
    labels = _methods(so_far)
    names = {
        "first": f"Only {labels[so_far.first]} correct",
        "second": f"Only {labels[so_far.second]} correct",
        "neither": "Neither correct",
    }
    counts = _part_counts(disagreement).items()
    return {which: f"{names[which]} ({n_rows:,})" for which, n_rows in counts if n_rows}


@dataclass(frozen=True, eq=False)
class DisagreementsDisplay(JudgedDisplay):
    """The rows on which two models disagree, and which of the two is correct there."""

    title: ClassVar[str] = "Disagreements"
    made_by: ClassVar[str] = "results.disagreements"
    page_key: ClassVar[str] = "compare.rows"

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
                when=_several,
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
                "Errors with the largest posterior come first.",
                longest=20,
                choices=_which,
                auto=first_of(_which, None),
            ),
        ]
        | None
    ) = None

    @cached_property
    def pair(self) -> tuple[str, str]:
        """The two methods."""
        return self.setting("first"), self.setting("second")

    @cached_property
    def disagreement(self) -> metrics.Disagreement:
        """The rows of the whole disagreement."""
        return metrics.find_disagreements(self.results, *self.pair)

    @cached_property
    def shown(self) -> metrics.Disagreement:
        """The rows that are listed."""
        which = self.setting("which")
        if which is None:
            return self.disagreement
        return self.disagreement.where(getattr(self.disagreement, _PARTS[which]))

    @property
    def is_possible(self) -> bool:
        """True if there are two methods."""
        return len(self.results.methods) > 1

    def finding(self) -> str:
        """State how often the two disagree, and who is correct then."""
        if not self.is_possible:
            return "Disagreements need two models."
        first, second = map(self.results.settings.label, self.pair)
        n_rows, rows = f"{self.disagreement.n_rows:,}", self.results.settings.rows
        differ = len(self.disagreement.rows)
        if not differ:
            return f"{first} and {second} predict the same for all {n_rows} {rows}."
        only_first, only_second, neither = _part_counts(self.disagreement).values()
        return (
            f"{first} and {second} disagree on {differ:,} of {n_rows} {rows}: only {first} is "
            f"correct on {only_first:,}, only {second} on {only_second:,}"
            + (f", neither on {neither:,}." if neither else ".")
        )

    def frame(self) -> pd.DataFrame:
        """Return the rows: truth, both predictions and their probabilities."""
        return self._lines(self.disagreement) if self.is_possible else pd.DataFrame()

    def _lines(self, disagreement: metrics.Disagreement) -> pd.DataFrame:
        classes = self.results.classes
        lines = pd.DataFrame({"row": disagreement.rows, "class": classes[disagreement.truth]})
        for method, predicted, proba in zip(
            self.pair, disagreement.predicted, disagreement.proba, strict=True
        ):
            label = self.results.settings.label(method)
            lines[f"{label} predicts"] = classes[predicted]
            if np.isfinite(proba).all():
                lines[f"{label}: posterior"] = proba
        return lines

    def table(self) -> pd.DataFrame:
        """Return at most 500 of the rows selected by `which`, with the columns of the data."""
        if not self.is_possible:
            return pd.DataFrame()
        lines = self._lines(self.shown).head(MOST_ROWS)
        if lines.empty or self.data is None or self.data.kind.is_images:
            return lines.round(3)
        own = lines.drop(columns=["row", "class"]).round(3)
        columns = {str(name): own[name].tolist() for name in own}
        return inspection.row_table(self.data, lines["row"].to_numpy(), columns)

    def images(self) -> tuple[np.ndarray, list[str]] | None:
        """Return the listed rows, if they are images, with a caption each."""
        if self.data is None or not self.data.kind.is_images or not self.is_possible:
            return None
        predicted = self.results.classes[self.shown.predicted]
        return self.shown.rows, [f"{a} / {b}" for a, b in zip(*predicted.tolist(), strict=True)]

    def notes(self) -> tuple[str, ...]:
        """Return the test of the two, and which rows are listed."""
        if not self.is_possible:
            return ()
        notes = [self._test()]
        if self.results.repetition.max(initial=0):
            noun = self.results.settings.rows
            notes.append(f"From the first repetition, which tests each of the {noun} once.")
        if self.images() is not None:
            first, second = map(self.results.settings.label, self.pair)
            notes.append(f"Above each image: prediction of {first} / of {second}.")
        return tuple(filter(None, notes))

    def _test(self) -> str:
        """State the result of the test of these two, corrected for all pairs."""
        pair = {self.results.settings.label(name) for name in self.pair}
        for d in self.differences:
            if {d.first, d.second} == pair:
                if np.isnan(d.p):
                    return difference_finding(d)
                p_values = f"{p_equals(d.p)}; {p_equals(d.p_holm)} after Holm’s correction"
                return f"{difference_finding(d)} {d.test}: {p_values} for all pairs."
        return ""


def difference_finding(difference: Difference) -> str:
    """Compare two methods in one sentence."""
    first, second, score = difference.first, difference.second, difference.score
    if np.isnan(difference.value):
        return f"{first} and {second} cannot be compared by {score}."
    value, low, high = difference.value, difference.low, difference.high
    better = difference.better
    if better is not None:
        worse = second if better == first else first
        if value < 0:
            value, low, high = -value, -high, -low
        span = f"({_amount(low, score)} to {_amount(high, score)})"
        if np.isnan(low):
            span = f"({p_equals(difference.p)} by permutation; too few rows for an interval)"
        return f"{better} beats {worse} by {_amount(value, score)}{_unit(score)} {span}."
    if np.isnan(difference.p):
        return f"{difference_phrase(difference)}."
    both = f"{first} and {second}"
    if difference.verdict == "equivalent":
        return f"{both} are equivalent in practice: {difference_phrase(difference)}."
    return f"{both} are not significantly different: {difference_phrase(difference)}."


def difference_phrase(difference: Difference) -> str:
    """Return the difference of two methods with its interval, in the order of the two."""
    first, second, score = difference.first, difference.second, difference.score
    value, low, high = difference.value, difference.low, difference.high
    span = f"{first} minus {second} is {_amount(value, score)}{_unit(score)}"
    if np.isnan(difference.p):
        return f"{span}, without interval and test: too few rows show what posteriors of 0 cost"
    if np.isnan(low):
        return f"{span}, with too few rows for an interval ({p_equals(difference.p)})"
    ends = f"{_amount(low, score)} to {_amount(high, score)}"
    if difference.verdict == "not significant" and difference.p < metrics.ALPHA:
        ends += f"; {p_equals(difference.p_holm)} after Holm’s correction"
    return f"{span} ({ends})"


def cochran_finding(omnibus: metrics.Omnibus, *, some_pair: bool) -> str:
    """Report Cochran's test of all methods, and whether it agrees with the tests of pairs."""
    numbers = f"(Cochran’s Q = {omnibus.statistic:.1f}, Greenhouse–Geisser {p_equals(omnibus.p)})"
    if omnibus.p < metrics.ALPHA:
        contrast = "" if some_pair else ", though no two of them are significantly different"
        return f"Not all models are correct equally often {numbers}{contrast}."
    if some_pair:
        return f"All models together do not differ significantly {numbers}, though some pairs do."
    return f"How often the models are correct does not differ significantly {numbers}."


def _amount(value: float, score: str) -> str:
    return points(value) if SCORES[score].is_share else decimals(value)


def _unit(score: str) -> str:
    return f" points of {score}" if SCORES[score].is_share else f" of {score}"
