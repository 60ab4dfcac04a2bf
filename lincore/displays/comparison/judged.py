"""`JudgedDisplay`: what displays of a comparison have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Annotated

import numpy as np
import pandas as pd

from lincore import metrics, report
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.metrics import ROPE, SCORES, Results
from lincore.utils import listed

#: Maximum number of methods named in a sentence about streamed rows.
_MOST_NAMED = 4


def _scores(so_far: SimpleNamespace) -> list[str]:
    leading = _leading(so_far)
    return sorted(metrics.available_scores(so_far.results), key=lambda name: name != leading)


def _leading(so_far: SimpleNamespace) -> str:
    return metrics.leading_score(so_far.results.class_counts)


def in_points(so_far: SimpleNamespace) -> tuple[str, float]:
    """Return the unit of differences of the score and its factor: a rule."""
    score = so_far.score or _leading(so_far)
    return ("points", 100) if SCORES[score].is_share else ("", 1)


#: The deciding score of a comparison, for displays and for its question.
SCORE_FIELD = Field(
    "Score",
    "Decides the headline, the order and the groups: by default accuracy, or balanced accuracy if "
    "the classes are unequal.",
    longest=60,
    choices=_scores,
    auto=_leading,
)
ROPE_FIELD = Field(
    "Region of practical equivalence",
    "Differences whose whole interval is smaller than this are called equivalent, however "
    "significant they are.",
    low=0,
    high=1,
    step=0.005,
    unit=in_points,
)


@dataclass(frozen=True, eq=False)
class JudgedDisplay(Display):
    """A display of results by one score."""

    results: Results
    score: Annotated[str, SCORE_FIELD] | None = None
    rope: Annotated[float, ROPE_FIELD] = ROPE

    @cached_property
    def deciding(self) -> str:
        """The score that was chosen, or the leading one."""
        score: str = self.setting("score")
        return score

    @cached_property
    def ranked(self) -> Results:
        """The results, the best method first."""
        return metrics.rank_methods(self.results, self.deciding)

    @cached_property
    def scored(self) -> pd.DataFrame:
        """The methods that have the score, with its intervals, the best first."""
        scores = metrics.score_table(self.ranked, [self.deciding])
        return scores[scores["value"].notna()].reset_index(drop=True)

    @property
    def labels(self) -> list[str]:
        """Labels of the methods, the best first."""
        return [self.results.settings.label(name) for name in self.ranked.methods]

    @property
    def is_share(self) -> bool:
        """True if the score is read in per cent."""
        return SCORES[self.deciding].is_share

    @property
    def unit_of_differences(self) -> tuple[str, int, int]:
        """The unit in which a difference is shown, its scale, and its decimals."""
        return ("points", 100, 1) if self.is_share else (self.deciding, 1, 3)

    @cached_property
    def differences(self) -> list[metrics.Difference]:
        """The pairs, by the labels of the models, in the order of the ranked methods."""
        label = self.results.settings.label
        return [
            d._replace(first=label(d.first), second=label(d.second))
            for d in metrics.pairwise_differences(self.ranked, self.deciding, self.rope)
        ]

    def scope(self) -> str:
        """State which rows were predicted, by models trained on how many."""
        results = self.results
        units, rows = metrics.find_sampling_units(results), results.settings.rows
        n_tested = len(np.unique(results.rows))
        least, most = int(results.n_train.min()), int(results.n_train.max())
        others = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        learned = f"by models trained on {others} others."
        if units.one_fit:
            tested = f"On {n_tested:,} test {rows}, {learned}"
        else:
            times = "once" if units.repeats <= 1 else f"{units.repeats:.3g} times"
            tested = (
                f"Over {units.n_folds:,} folds: {n_tested:,} {rows}, each predicted {times}, "
                f"{learned}"
            )
        more = (self._streamed(), self._grouping(), report.weighting(results))
        return " ".join(filter(None, [tested, *more]))

    def _streamed(self) -> str:
        """State which methods also learned from streamed rows; "" if none did."""
        counts, label = self.results.settings.streamed, self.results.settings.label
        names = [name for name in self.results.methods if counts.get(name)]
        if not names:
            return ""
        models = listed([label(name) for name in names], most=_MOST_NAMED)
        return f"{models} also learned from {counts[names[0]]:,} streamed rows."

    def _grouping(self) -> str:
        """State whether rows of one group were kept together; "" if the data have no groups."""
        if self.results.settings.row_groups is None:
            return ""
        if self.results.settings.groups_divided:
            return (
                "Rows of one group are in both training and test sets, which biases scores upwards "
                "if new rows come from new groups."
            )
        return "Rows of one group are kept together."
