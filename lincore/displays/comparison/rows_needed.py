"""Display of the number of rows that narrower intervals and smaller differences would take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import ndtri

from lincore import fields, metrics, plots
from lincore.displays.comparison.judged import JudgedDisplay, in_points
from lincore.fields import Field
from lincore.metrics import Interval
from lincore.metrics.intervals import ADDED_ROWS, Z, wilson_rows
from lincore.utils import number, percent, points, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True, eq=False)
class RowsNeededDisplay(JudgedDisplay):
    """How many rows a narrower interval, or the power to find a difference, would take.

    Standard errors are assumed to be proportional to one over the square root of the number of
    rows; for the width of an interval the score is assumed to be in its middle.

    References
    ----------
    Lachin (1981), "Introduction to sample size determination and power analysis for clinical
    trials", equation 5; Brown, Cai, DasGupta (2001), "Interval estimation for a binomial
    proportion", for the widths.
    """

    title: ClassVar[str] = "Rows needed"
    made_by: ClassVar[str] = "results.rows_needed"
    page_key: ClassVar[str] = "compare.rows"

    half_width: Annotated[
        float,
        Field(
            "Interval ±",
            "Wanted half-width of a 95 % interval.",
            low=0,
            above=True,
            high=1,
            step=0.005,
            unit=in_points,
        ),
    ] = 0.02
    power: Annotated[
        float,
        Field(
            "Power",
            "How often a difference as large as the region of practical equivalence should be "
            "significant.",
            low=0.5,
            high=0.99,
            step=0.05,
            unit=fields.per_cent,
        ),
    ] = 0.8

    @property
    def rows(self) -> str:
        """What the tested rows are called."""
        one_fit = metrics.find_sampling_units(self.results).one_fit
        return f"test {self.results.settings.rows}" if one_fit else self.results.settings.rows

    def finding(self) -> str:
        """State how many rows would separate the best two models, or narrow the one interval."""
        lines = [
            line for line in self.frame().to_dict("records") if np.isfinite(line["rows needed"])
        ]
        lines.sort(key=lambda line: line["question"] != "difference")
        if not lines:
            return "The results have no intervals from which a number of rows would follow."
        first = lines[0]
        needed, size = (
            _rounded_up(first["rows needed"]),
            self._size(first["wanted"], first["score"]),
        )
        if first["question"] == "difference":
            purpose = f"find a difference of {size} between {first['of']} with {self._power}"
        else:
            purpose = f"give the {first['score']} of {first['of']} an interval of ± {size}"
        return f"About {needed} {self.rows} would {purpose}; there are {first['rows']:,}."

    @property
    def _power(self) -> str:
        return f"{percent(self.power, 0)} power"

    def frame(self) -> pd.DataFrame:
        """Return a line for the score and the rarest recall of the best model, and each pair."""
        best, label = self.ranked.methods[0], self.labels[0]
        n, counts = len(np.unique(self.results.rows)), self.results.class_counts
        rare = int(np.where(counts > 0, counts, np.inf).argmin())
        recalls = metrics.score_table(self.ranked, ["recall"])
        name = f"recall of {quoted(self.results.classes[rare])}"
        lines: list[dict[str, Any]] = []
        for score, table, share in (
            (self.deciding, self.scored[self.scored["method"] == best], np.nan),
            (name, recalls[recalls["method"] == best].iloc[[rare]], counts[rare] / counts.sum()),
        ):
            for ends in table[["value", "low", "high"]].itertuples(index=False, name=None):
                half = (ends[2] - ends[1]) / 2
                needed = n * self._rows_by_width(Interval(*ends), score)
                lines.append(
                    {"question": "interval", "of": label, "score": score, "rows": n, "now": half,
                     "wanted": self.half_width, "rows needed": needed,
                     "of these in the class": needed * share}
                )  # fmt: skip
        for difference in self.differences:
            error = (difference.high - difference.low) / 2 / Z
            if label in (difference.first, difference.second) and error > 0 and self.rope:
                needed = n * (error * (Z + ndtri(self.power)) / self.rope) ** 2
                pair = f"{difference.first} and {difference.second}"
                lines.append(
                    {"question": "difference", "of": pair, "score": self.deciding, "rows": n,
                     "now": difference.value, "wanted": self.rope, "rows needed": needed,
                     "of these in the class": np.nan}
                )  # fmt: skip
        return pd.DataFrame(lines)

    def _rows_by_width(self, now: Interval, name: str) -> float:
        """Return how many times as many rows would give the wanted half-width."""
        half, wanted = (now.high - now.low) / 2, self.half_width
        kind = metrics.SCORES["accuracy" if name.startswith("recall of ") else name]
        width = kind.highest - kind.lowest
        if kind.by_class:
            # Rows are added to every class: their share of the rarest one falls.
            counts = self.results.class_counts
            added = ADDED_ROWS / len(counts) / counts[counts > 0].min()
            added /= 2 if name == "AUC" else 1
            return max(float((1 + added) * (half / wanted) ** 2 - added), 0.0)
        if np.isinf(width):  # on a log scale
            return float((np.arcsinh(half / now.value) / np.arcsinh(wanted / now.value)) ** 2)
        if not 0 < 2 * max(half, wanted) < width:
            return float((half / wanted) ** 2)
        share, middle = (
            (place - kind.lowest) / width for place in (now.value, (now.low + now.high) / 2)
        )
        return wilson_rows(wanted / width, middle) / wilson_rows(half / width, share)

    def plot(self) -> go.Figure | None:
        """Return the rows needed for each line, as bars."""
        lines = self.frame()
        lines = lines[np.isfinite(lines["rows needed"])]
        if lines.empty:
            return None
        table = self.table().loc[lines.index]
        labels = [
            f"{what}: {wanted}" for what, wanted in zip(table["what"], table["wanted"], strict=True)
        ]
        return plots.coefficients(
            labels, lines["rows needed"], unit=f"{self.rows} needed", title=self.finding(),
            is_ordered=True,
        )  # fmt: skip

    def _size(self, value: float, score: str) -> str:
        is_share = self.is_share or score != self.deciding
        return f"{points(value)} points" if is_share else number(value)

    def table(self) -> pd.DataFrame:
        """Return the same as text."""
        lines = []
        for line in self.frame().to_dict("records"):
            is_pair = line["question"] == "difference"
            sign, preposition = ("", "between") if is_pair else ("± ", "of")
            now, wanted = (self._size(line[end], line["score"]) for end in ("now", "wanted"))
            lines.append(
                {
                    "what": f"{line['score']} {preposition} {line['of']}",
                    "now": f"{sign}{now}",
                    "wanted": f"{sign}{wanted}" + (f", {self._power}" if is_pair else ""),
                    "rows now": f"{line['rows']:,}",
                    "rows needed": _rounded_up(line["rows needed"]),
                    "of these in the class": _rounded_up(line["of these in the class"]),
                }
            )
        return pd.DataFrame(lines)

    def notes(self) -> tuple[str, ...]:
        """State on which assumptions the numbers rest."""
        return (
            "Computed from the intervals on this page, with classes as frequent and models as good "
            "as here: rows for a difference by Lachin (1981), rows for a width as if the score "
            "were in the middle of its interval, since a score of few rows may be too good by "
            "chance. The numbers are estimates themselves: from 100 rows, half of those for a "
            "difference are off by more than 20 %.",
        )


def _rounded_up(n: float) -> str:
    """Return a number of rows, rounded up to two digits."""
    if not np.isfinite(n):
        return ""
    step = 10 ** max(int(np.floor(np.log10(max(n, 1)))) - 1, 0)
    return f"{int(np.ceil(n / step - 1e-9) * step):,}"
