"""Display of what each feature is worth: the score without it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import fields, metrics, model_selection, plots
from lincore.displays.model.model_display import ModelDisplay
from lincore.errors import DataError
from lincore.fields import Field
from lincore.metrics import SCORES, Results
from lincore.model_selection.dropped_features import WITHOUT
from lincore.utils import listed, p_value, part_of, quoted, true_minus

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.metrics import Difference


def _scores(so_far: SimpleNamespace) -> list[str]:
    return list(metrics.available_scores(so_far.model.results))


def _first_score(so_far: SimpleNamespace) -> str:
    return "log loss" if "log loss" in _scores(so_far) else "accuracy"


@dataclass(frozen=True, eq=False)
class DroppedFeaturesDisplay(ModelDisplay):
    """How much worse the model is without each of its features."""

    title: ClassVar[str] = "Features left out"
    made_by: ClassVar[str] = "model.dropped_features"
    page_key: ClassVar[str] = "classify.dropped"

    known: Results | None = None
    score: (
        Annotated[
            str,
            Field("Score", "What becomes worse without a feature.", longest=60, choices=_scores,
                  auto=_first_score),
        ]
        | None
    ) = None  # fmt: skip

    @property
    def deciding(self) -> str:
        """The score that was chosen, or the first one."""
        return str(self.setting("score"))

    @cached_property
    def refitted(self) -> Results | str:
        """The test results with and without each feature, or why there are none."""
        try:
            return self.known or model_selection.drop_features(self.model)
        except DataError as error:
            return str(error)

    @cached_property
    def losses(self) -> list[Difference]:
        """What is lost without each feature, the largest loss first; positive is worse without."""
        if isinstance(self.refitted, str):
            return []
        own, *others = self.refitted.methods
        sign = 1 if SCORES[self.deciding].greater_is_better else -1
        pairs = [(own, name) if sign > 0 else (name, own) for name in others]
        differences = metrics.pairwise_differences(self.refitted, self.deciding, 0.0, pairs)
        return sorted(differences, key=lambda d: -np.nan_to_num(d.value, nan=-np.inf))

    @property
    def _unit(self) -> tuple[str, float, int]:
        """The unit of a loss, its scale, and its decimals."""
        name = self.deciding
        return (f"points of {name}", 100, 1) if SCORES[name].is_share else (name, 1, 3)

    def finding(self) -> str:
        """Return the feature without which the model is worst, if any is shown to matter."""
        if isinstance(self.refitted, str):
            return self.refitted
        lost = self.frame()
        clear = lost[(lost.p_holm < metrics.ALPHA) & (lost.loss > 0)]
        if clear.empty:
            return f"{self.method} is not shown to get worse without any single feature."
        unit, scale, digits = self._unit
        first, number = clear.iloc[0], part_of(len(clear), len(lost))
        matter = "is shown to matter by itself"
        if len(clear) > 1:
            matter = "are shown to matter, each by itself"
        amount, low, high = (
            true_minus(f"{scale * first[column]:.{digits}f}") for column in ("loss", "low", "high")
        )
        return (
            f"{self.method} loses most without {quoted(first.feature)}: {amount} {unit} ({low} to "
            f"{high}). {number} features {matter}."
        )

    def scope(self) -> str:
        """Return the numbers of rows."""
        if isinstance(self.refitted, str):
            return ""
        return f"Fitted again to {self.trained} without each feature; judged on {self.tested}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each feature: what is lost without it, interval and p-values."""
        names = ["feature", "loss", "low", "high", "p", "p_holm"]
        lines = [
            ((d.second if d.first == self.method else d.first).removeprefix(WITHOUT), *d[3:8])
            for d in self.losses
        ]
        return pd.DataFrame(lines, columns=names)

    def table(self) -> pd.DataFrame:
        """Return the same, shares in points."""
        lines, (unit, scale, digits) = self.frame(), self._unit
        if lines.empty:
            return pd.DataFrame()
        amounts = (scale * lines[["loss", "low", "high"]]).round(digits)
        return pd.DataFrame(
            {
                "without": lines.feature,
                f"worse by ({unit})": amounts.loss,
                "from": amounts.low,
                "to": amounts.high,
                "p": lines.p.map(p_value),
                "p (Holm)": lines.p_holm.map(p_value),
            }
        )

    def plot(self) -> go.Figure | None:
        """Return what is lost without each feature, with intervals."""
        lines, (unit, scale, _) = self.frame(), self._unit
        if lines.empty:
            return None
        loss, low, high = (scale * lines[column] for column in ("loss", "low", "high"))
        return plots.coefficients(
            lines.feature.tolist(),
            loss,
            low=low,
            high=high,
            unit=f"worse by ({unit})",
            title=self.finding(),
            is_ordered=True,
        )

    def notes(self) -> tuple[str, ...]:
        """Return how to read a loss, and the tests."""
        if not self.losses:
            return ()
        known = {name.removeprefix(WITHOUT) for name in self.refitted.methods}  # type: ignore[union-attr]
        missing = [name for name in map(str, self.model.data.feature_names) if name not in known]
        tests = listed(list(dict.fromkeys(d.test for d in self.losses)))
        return (
            "A loss is how much worse the score gets if the feature is left out and the classifier "
            "learns from the others. Either of two correlated features may be left out without "
            f"loss, though not both. Test: {tests}; p (Holm) is corrected for {len(self.losses)} "
            "features.",
            *([f"Not fitted without {listed(missing, most=6)}."] if missing else []),
        )

    def call(self) -> str:
        """Return the expression that makes this display: it fits by itself."""
        return fields.call_text(self, self.made_by)
