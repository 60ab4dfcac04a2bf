"""Displays of stepwise selection within the folds: how stable it is, and what it hides outside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import pandas as pd

from lincore import metrics, plots, report
from lincore.displays.base import Display, first_of
from lincore.displays.comparison.judged import JudgedDisplay
from lincore.fields import Field
from lincore.metrics import SCORES, Difference, FeatureSelections, Results
from lincore.utils import count, listed, number, p_value, true_minus

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Features that a sentence names.
_MOST_NAMED = 6


def _selecting(so_far: SimpleNamespace) -> dict[str, str]:
    settings = so_far.results.settings
    return {name: settings.label(name) for name in so_far.results.selections}


def _several(so_far: SimpleNamespace) -> bool:
    return len(so_far.results.selections) > 1


@dataclass(frozen=True, eq=False)
class SelectedFeaturesDisplay(Display):
    """In how many folds a method selected each feature."""

    title: ClassVar[str] = "Stepwise selection"
    made_by: ClassVar[str] = "results.selection"
    page_key: ClassVar[str] = "compare.selection"

    results: Results
    method: (
        Annotated[
            str,
            Field("Model", "The model whose selections are counted.", choices=_selecting,
                  auto=first_of(_selecting), when=_several),
        ]
        | None
    ) = None  # fmt: skip

    @property
    def name(self) -> str:
        """The method that was chosen, or the first one that selects."""
        return str(self.setting("method"))

    @property
    def selections(self) -> FeatureSelections | None:
        """The selections; None if no method selects."""
        return self.results.selections.get(self.name)

    def finding(self) -> str:
        """State how many features were selected, and how many in every fold."""
        selections, label = self.selections, self.results.settings.label(self.name)
        if selections is None:
            return "No model selects its features: LDA can, stepwise."
        n_folds, p = selections.chosen.shape
        sizes, often = selections.chosen.sum(axis=1), selections.chosen.sum(axis=0)
        always = [
            f for f, times in zip(selections.features, often, strict=True) if times == n_folds
        ]
        features = count(p, "feature")
        named = f": {listed(always, most=_MOST_NAMED)}" if always else ""
        if not sizes.any():
            return f"{label} selected none of {features}{' in any fold' if n_folds > 1 else ''}."
        if n_folds == 1:
            return f"{label} selected {sizes[0]} of {features}{named}."
        if len(always) == sizes.max():
            same = f"the same {len(always)} of {features}"
            return f"{label} selected {same} in all {n_folds} folds{named}."
        span = " to ".join(map(str, dict.fromkeys((sizes.min(), sizes.max()))))
        return (
            f"{label} selected {span} of {features} in each of {n_folds} folds, {len(always)} of "
            f"them in every fold{named}."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each feature, the most often selected first."""
        if self.selections is None:
            return pd.DataFrame()
        chosen = self.selections.chosen
        lines = pd.DataFrame(
            {
                "feature": self.selections.features,
                "folds": chosen.sum(axis=0),
                "share": chosen.mean(axis=0),
            }
        )
        others = self.results.preselected
        if others is not None and f"{self.name} on all rows" in others.selections:
            lines["all rows"] = others.selections[f"{self.name} on all rows"].chosen[0]
        return lines.sort_values("folds", ascending=False, kind="stable", ignore_index=True)

    def table(self) -> pd.DataFrame:
        """Return the same, for people."""
        lines = self.frame()
        if lines.empty:
            return lines
        assert self.selections is not None
        heading = f"selected (of {count(len(self.selections.chosen), 'fold')})"
        shown = lines[["feature", "folds"]].rename(columns={"folds": heading})
        if "all rows" in lines:
            shown["on all rows"] = [
                "selected" if is_selected else "" for is_selected in lines["all rows"]
            ]
        return shown

    def plot(self) -> go.Figure | None:
        """Return the share of folds in which each feature was selected."""
        lines = self.frame()
        if lines.empty or not lines["folds"].any():
            return None
        chosen = lines[lines["folds"] > 0]
        return plots.coefficients(
            chosen["feature"].tolist(),
            100 * chosen["share"],
            unit="share of folds (%)",
            title=self.finding(),
        )

    def notes(self) -> tuple[str, ...]:
        """Return how features enter, and why new data would change more."""
        if self.selections is None:
            return ()
        rule = (
            "In every training set anew, features enter while their partial F is at least 3.84 and "
            "leave at 2.71 or less; Wilks’ lambda is smallest with the one that enters."
        )
        if len(self.selections.chosen) == 1:
            return (f"{rule} Folds show how stable the selection is.",)
        return (
            f"{rule} The training sets of two folds share most of their rows: new data would "
            "change the selection more than another fold does.",
        )


@dataclass(frozen=True, eq=False)
class SelectionOptimismDisplay(JudgedDisplay):
    """How much better a model seems if its features are selected on all rows before the splits."""

    title: ClassVar[str] = "Selection before the splits"
    made_by: ClassVar[str] = "results.selection_optimism"
    page_key: ClassVar[str] = "compare.selection.optimism"

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The methods that select, and the same with features selected on all rows."""
        others = self.results.preselected
        if others is None:
            return []
        named = [(name, f"{name} on all rows") for name in self.ranked.methods]
        return [(name, preselected) for name, preselected in named if preselected in others.methods]

    @cached_property
    def joined(self) -> Results | None:
        """Both kinds of methods."""
        others = self.results.preselected
        return self.results.joined(others) if others is not None and self.pairs else None

    @cached_property
    def differences(self) -> list[Difference]:
        """What each method seems to gain, by its name; positive is better on all rows."""
        if self.joined is None:
            return []
        higher = SCORES[self.deciding].greater_is_better
        pairs = [
            (preselected, name) if higher else (name, preselected)
            for name, preselected in self.pairs
        ]
        return metrics.pairwise_differences(self.joined, self.deciding, 0.0, pairs)

    def finding(self) -> str:
        """State the optimism of the best method that selects."""
        if not self.differences:
            return (
                "No model was fitted to features selected on all rows: that needs the same inputs "
                "in every training set."
                if self.results.selections
                else "No model selects its features: LDA can, stepwise."
            )
        line = self.frame().iloc[0]
        label, (unit, scale, digits) = line["model"], self.unit_of_differences
        within_folds, on_all_rows = (
            number(line[k], self.is_share) for k in ("in each fold", "on all rows")
        )
        amount, low, high = (
            true_minus(f"{scale * line[k]:.{digits}f}") for k in ("optimism", "low", "high")
        )
        report_phrase = (
            f"{report.a_score(self.deciding)} of {on_all_rows} instead of {within_folds}"
        )
        optimism = f"{amount} {unit} ({low} to {high})"
        if line["low"] > 0:
            return (
                f"If its features were selected on all rows before the splits, {label} would "
                f"report {report_phrase}: {optimism} of optimism."
            )
        return (
            f"Selecting the features of {label} on all rows before the splits is not shown to "
            f"report a better score: {report_phrase}, a difference of {optimism}."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each method: both scores, and their difference with interval."""
        if self.joined is None:
            return pd.DataFrame()
        scores = metrics.score_table(self.joined, [self.deciding]).set_index("method")["value"]
        label = self.results.settings.label
        return pd.DataFrame(
            {
                "model": label(name),
                "in each fold": scores[name],
                "on all rows": scores[preselected],
                "optimism": difference.value,
                "low": difference.low,
                "high": difference.high,
                "p": difference.p,
            }
            for (name, preselected), difference in zip(self.pairs, self.differences, strict=True)
        )

    def table(self) -> pd.DataFrame:
        """Return the same with scores and intervals as text."""
        if self.joined is None:
            return pd.DataFrame()
        lines, (unit, scale, digits) = self.frame(), self.unit_of_differences
        amounts = (scale * lines[["optimism", "low", "high"]]).round(digits)
        scored = metrics.score_table(self.joined, [self.deciding])
        texts = dict(zip(scored["method"], report.score_texts(scored), strict=True))
        return pd.DataFrame(
            {
                "model": lines["model"],
                f"{self.deciding}, selected in each training set": [
                    texts[name] for name, _ in self.pairs
                ],
                "selected on all rows": [texts[preselected] for _, preselected in self.pairs],
                f"optimism ({unit})": amounts["optimism"],
                "from": amounts["low"],
                "to": amounts["high"],
                "p": lines["p"].map(p_value),
            }
        )

    def notes(self) -> tuple[str, ...]:
        """Return why the score is biased, and what the interval covers."""
        if not self.differences:
            return ()
        tests = listed(list(dict.fromkeys(difference.test for difference in self.differences)))
        return (
            "Selection on all rows has seen the test rows, so that its score is biased; it is "
            "shown only for comparison with such reports. Both are fitted and tested on the same "
            "rows. "
            f"Test: {tests}.",
        )
