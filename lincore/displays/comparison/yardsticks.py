"""`YardsticksDisplay`: the best model of a comparison beside far more flexible ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import pandas as pd

from lincore import metrics, plots, report
from lincore.displays.base import intervals
from lincore.displays.comparison.judged import JudgedDisplay
from lincore.displays.comparison.pairs import difference_finding, difference_phrase
from lincore.metrics import Results
from lincore.metrics.intervals import FEWEST_ROWS
from lincore.utils import p_value

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True, eq=False)
class YardsticksDisplay(JudgedDisplay):
    """What flexible classifiers achieve on the same splits: the cost of staying linear."""

    title: ClassVar[str] = "Yardsticks"
    made_by: ClassVar[str] = "results.against_yardsticks"
    page_key: ClassVar[str] = "compare.yardsticks"

    @cached_property
    def joined(self) -> Results | None:
        """The methods, the best first, then the yardsticks, the best first; None without any."""
        others = self.results.yardsticks
        if others is None or not others.methods:
            return None
        return self.ranked.joined(metrics.rank_methods(others, self.deciding))

    @cached_property
    def differences(self) -> list[metrics.Difference]:
        """The best model against each yardstick, by their labels, the best yardstick first."""
        if self.joined is None:
            return []
        best, label = self.ranked.methods[0], self.joined.settings.label
        pairs = [(best, name) for name in self.joined.methods[len(self.ranked) :]]
        differences = metrics.pairwise_differences(self.joined, self.deciding, self.rope, pairs)
        return [d._replace(first=label(d.first), second=label(d.second)) for d in differences]

    def finding(self) -> str:
        """State whether a yardstick is better than the best model, and by how much."""
        if not self.differences:
            return (
                "No yardstick was fitted: a flexible model on the same splits shows what staying "
                "linear costs."
            )
        decisive = next((d for d in self.differences if d.better == d.second), None)
        if decisive is not None:
            return difference_finding(decisive)
        # A best model that beats a yardstick is not reported: it was chosen by these rows.
        tested = next((d for d in self.differences if d.p == d.p), self.differences[0])
        return f"No flexible model is shown to be better: {difference_phrase(tested)}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each yardstick: the best model minus it, with interval and test."""
        return pd.DataFrame(self.differences, columns=list(metrics.Difference._fields))

    def table(self) -> pd.DataFrame:
        """Return the same with the score of the yardstick, differences of shares in points."""
        if self.joined is None:
            return pd.DataFrame()
        lines, (unit, scale, digits) = self.frame(), self.unit_of_differences
        amounts = (scale * lines[["value", "low", "high"]]).round(digits)
        texts = report.score_texts(metrics.score_table(self.joined, [self.deciding]))
        return pd.DataFrame(
            {
                "yardstick": lines["second"],
                self.deciding: texts[len(self.ranked) :],
                f"{lines['first'][0]} minus yardstick ({unit})": amounts["value"],
                "from": amounts["low"],
                "to": amounts["high"],
                "p": lines["p"].map(p_value),
                "p (Holm)": lines["p_holm"].map(p_value),
            }
        )

    def plot(self) -> go.Figure | None:
        """Draw the score of every model and of the yardsticks, with intervals."""
        if self.joined is None:
            return None
        scored = metrics.score_table(self.joined, [self.deciding])
        return plots.score_intervals(
            scored["method"].map(self.joined.settings.label).tolist(),
            intervals(scored),
            score=self.deciding,
            as_percent=self.is_share,
        )

    def notes(self) -> tuple[str, ...]:
        """Return what the yardsticks are, and what favours the best model."""
        others = self.results.yardsticks
        if others is None:
            return ()
        failed = [
            f"{others.settings.label(n)}: {why}." for n, why in others.settings.failed.items()
        ]
        chosen = (
            f" {self.labels[0]} is the best of {len(self.ranked)} on these rows, which favours it."
            if len(self.ranked) > 1
            else ""
        )
        zeros = (
            " Posteriors of a forest are often 0, and a row of that class costs 36 nats: with "
            f"fewer than {FEWEST_ROWS} such rows there is no interval."
            if self.deciding == "log loss"
            else ""
        )
        return (
            "Gradient boosting and the random forest are scikit-learn’s with their defaults, after "
            "the same steps. They are left out of the headline, groups and corrections of "
            f"the comparison.{chosen}{zeros}",
            *failed,
        )
