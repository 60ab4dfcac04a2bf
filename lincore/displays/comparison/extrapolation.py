"""Display of the error that more training rows would leave, by extrapolated learning curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import metrics, plots
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.metrics import ExtrapolatedLoss, Interval, Results
from lincore.model_selection import LearningCurve
from lincore.utils import interval, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Points of the drawn continuation.
_N_DRAWN = 7


def _last(so_far: Any) -> Results:
    results: dict[int, Results] = so_far.curve.results
    return results[max(results)]


def _rarest(so_far: Any) -> int:
    return int(_last(so_far).class_counts.argmin())


def _losses(so_far: Any) -> dict[str, str]:
    last = _last(so_far)
    rare, rows = quoted(last.classes[_rarest(so_far)]), last.settings.rows
    return {
        "error": f"all {rows}",
        "balanced": f"the {rows}, all classes counting equally",
        "rare": f"the {rows} of {rare}",
    }


def _first_loss(so_far: SimpleNamespace) -> str:
    leading = metrics.leading_score(_last(so_far).class_counts)
    return "balanced" if leading == "balanced accuracy" else "error"


def _methods(so_far: Any) -> dict[str, str]:
    settings = _last(so_far).settings
    return {name: settings.label(name) for name in so_far.curve.methods}


def _best(so_far: SimpleNamespace) -> str:
    """Return the method with the least error with all training rows."""
    last = _last(so_far)
    score = metrics.leading_score(last.class_counts)
    values = {name: metrics.estimate(last, name, score).value for name in last.methods}
    return max(values, key=lambda name: np.nan_to_num(values[name], nan=-np.inf))


@dataclass(frozen=True, eq=False)
class ExtrapolationDisplay(Display):
    """The error with several times as many training rows, with an interval."""

    title: ClassVar[str] = "More training rows"
    made_by: ClassVar[str] = "curve.extrapolated"
    page_key: ClassVar[str] = "compare.sizes.more"

    curve: LearningCurve
    times: Annotated[
        int,
        Field(
            "Training rows",
            "How many times as many training rows: further than eight times nothing is claimed.",
            choices={2: "twice", 4: "4 times", 8: "8 times"},
        ),
    ] = 4
    method: (
        Annotated[
            str,
            Field("Model", "The model whose curve is drawn.", longest=60, choices=_methods,
                  auto=_best),
        ]
        | None
    ) = None  # fmt: skip
    loss: (
        Annotated[
            str,
            Field("Errors of", "The rows whose errors are extrapolated.", choices=_losses,
                  auto=_first_loss),
        ]
        | None
    ) = None  # fmt: skip

    @property
    def n_rows(self) -> int:
        """The largest training set."""
        return max(self.curve.results)

    @property
    def chosen(self) -> str:
        """The model that is drawn."""
        return str(self.setting("method"))

    @property
    def _rows(self) -> str:
        return str(_last(self).settings.rows)

    @property
    def which(self) -> str:
        """The rows whose errors are extrapolated."""
        return _losses(self)[self.setting("loss")]

    @cached_property
    def extrapolations(self) -> dict[str, ExtrapolatedLoss]:
        """The extrapolation of each method, along the drawn continuation."""
        loss = self.setting("loss")
        targets = self.n_rows * np.geomspace(1, self.times, _N_DRAWN)
        return {
            name: metrics.extrapolate_loss(
                self.curve.results,
                name,
                targets.tolist(),
                test_ratio=self.curve.test_ratio,
                code=_rarest(self) if loss == "rare" else None,
                balanced=loss == "balanced",
            )
            for name in self.curve.methods
        }

    def finding(self) -> str:
        """State the error of the chosen model now and with more rows, or why that is unknown."""
        extrapolation, label = self.extrapolations[self.chosen], _methods(self)[self.chosen]
        if extrapolation.reason:
            return f"The curve of {label} is not extrapolated: {extrapolation.reason}."
        now, later = extrapolation.measured[-1], extrapolation.extrapolated[-1]
        more = f"{self.times * self.n_rows:,} training {self._rows}"
        before, after = (
            f"{percent(error.value)} ({interval(error.low, error.high)})" for error in (now, later)
        )
        return (
            f"With {more} {label} would misclassify about {after} of {self.which}, extrapolated; "
            f"with {self.n_rows:,} it is {before}."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each method: the loss now and extrapolated, or the reason why not."""
        lines = []
        for name, extrapolation in self.extrapolations.items():
            nothing = Interval(np.nan, np.nan, np.nan)
            now = extrapolation.measured[-1] if extrapolation.measured else nothing
            later = extrapolation.extrapolated[-1] if extrapolation.extrapolated else nothing
            last = int(extrapolation.sizes[-1]) if len(extrapolation.sizes) else 0
            target = self.times * self.n_rows
            lines.append((name, last, now.value, target, *later, extrapolation.reason))
        columns = ["method", "training rows", "loss", "more rows", "value", "low", "high", "reason"]
        return pd.DataFrame(lines, columns=columns)

    def table(self) -> pd.DataFrame:
        """Return the same in per cent."""
        lines, label = self.frame(), _methods(self)
        shown = {
            "model": lines["method"].map(label),
            f"error with {self.n_rows:,} {self._rows} (%)": (100 * lines["loss"]).round(1),
        }
        if lines["value"].notna().any():
            shown |= {
                f"with {self.times * self.n_rows:,} (%)": (100 * lines["value"]).round(1),
                "from": (100 * lines["low"]).round(1),
                "to": (100 * lines["high"]).round(1),
            }
        if lines["reason"].any():
            shown["not extrapolated"] = lines["reason"]
        return pd.DataFrame(shown)

    def plot(self) -> go.Figure | None:
        """Draw the errors of the chosen model, and their continuation with its interval."""
        extrapolation = self.extrapolations[self.chosen]
        if extrapolation.reason:
            return None
        sizes = np.append(extrapolation.sizes, extrapolation.targets[1:])
        # Both lines over all sizes, (2, sizes, 3); they share the largest training set.
        lines = np.full((2, len(sizes), 3), np.nan)
        n_measured = len(extrapolation.sizes)
        lines[0, :n_measured] = extrapolation.measured
        lines[1, n_measured - 1 :] = extrapolation.extrapolated
        mean, low, high = np.moveaxis(lines, 2, 0)
        return plots.sweep(
            sizes.round(),
            mean,
            low,
            high,
            ["measured", "extrapolated"],
            across=f"training {self._rows}",
            score="error rate",
            title=self.finding(),
        )

    def notes(self) -> tuple[str, ...]:
        """Return the assumptions, and what the interval covers."""
        if all(extrapolation.reason for extrapolation in self.extrapolations.values()):
            return ()
        return (
            "Assumed: the error is a + b / nᶜ with a, b ≥ 0, and new rows come from the same "
            "population. The interval contains all errors that some such curve through the "
            "measured ones would reach; it includes the uncertainty of the test rows, so that it "
            "may be wider than the gain. In simulations of known distributions it is rather too "
            "wide: it contained the error in 94 to 100 % of the samples (docs/coverage.md).",
        )
