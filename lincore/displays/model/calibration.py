"""`CalibrationDisplay`: how often a class occurs, against its posterior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import metrics, plots
from lincore.displays.model.model_display import ModelDisplay, codes, has_posteriors
from lincore.fields import Field
from lincore.utils import capital, decimals, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.metrics import Calibration, Interval, Recalibration

_SLOPE, _INTERCEPT = "calibration slope", "calibration-in-the-large"


def _posteriors(so_far: SimpleNamespace) -> Mapping[int, str]:
    return {-1: "the predicted class", **codes(so_far)}


def _second_of_two(so_far: SimpleNamespace) -> int:
    return 1 if so_far.model.data.n_classes == 2 else -1


@dataclass(frozen=True, eq=False)
class CalibrationDisplay(ModelDisplay):
    """The observed frequency of a class against its posterior."""

    title: ClassVar[str] = "Calibration"
    made_by: ClassVar[str] = "model.calibration"
    place: ClassVar[str] = "classify.calibration"
    is_reported: ClassVar[bool] = True

    of_class: (
        Annotated[
            int,
            Field(
                "Posterior of",
                "The class whose posterior is compared with the outcome.",
                choices=_posteriors,
                auto=_second_of_two,
                when=has_posteriors,
            ),
        ]
        | None
    ) = None

    @property
    def code(self) -> int | None:
        """The class; None for the predicted one."""
        so_far = SimpleNamespace(model=self.model)
        chosen = _second_of_two(so_far) if self.of_class is None else self.of_class
        return None if chosen == -1 else chosen

    @property
    def is_possible(self) -> bool:
        """True for a model with posteriors."""
        return metrics.has_posteriors(self.results, self.method)

    @property
    def found(self) -> Calibration:
        """The curve with its band, and the parts of the Brier score."""
        return metrics.calibration_curve(self.results, self.method, self.code)

    @property
    def recalibration(self) -> Recalibration:
        """Slope and intercept."""
        return metrics.logistic_recalibration(self.results, self.method, self.code)

    @property
    def of_whom(self) -> str:
        """The class, as words."""
        return "the predicted class" if self.code is None else quoted(self.found.label)

    def finding(self) -> str:
        """Return whether, and where, the curve leaves the band."""
        if not self.is_possible:
            return f"{self.method} has no posteriors, so there is no calibration."
        found = self.found
        if not found.is_outside.any():
            return (
                f"The posteriors of {self.of_whom} are not shown to be miscalibrated: the curve "
                "stays within the band of a calibrated model."
            )
        beyond = np.maximum(found.low - found.observed, found.observed - found.high)
        at = int(np.argmax(beyond))
        are = "correct" if self.code is None else quoted(found.label)
        ends = dict.fromkeys([percent(found.low[at]), percent(found.high[at])])
        return (
            f"The posteriors of {self.of_whom} are miscalibrated: at "
            f"{percent(found.predicted[at])}, {percent(found.observed[at])} of the rows are {are}; "
            f"a calibrated model would show {' to '.join(ends)}."
        )

    def scope(self) -> str:
        """Return the rows, the parts of the Brier score, slope and intercept."""
        if not self.is_possible:
            return ""
        found, fit = self.found.parts, self.recalibration
        parts = (
            f"On {self.tested}. Brier score {found.brier:.3f} = miscalibration "
            f"{found.miscalibration:.3f} − discrimination {found.discrimination:.3f} + uncertainty "
            f"{found.uncertainty:.3f}."
        )
        slope = _sentence(_SLOPE, fit.slope, 1, "too extreme", "not extreme enough")
        intercept = _sentence(
            _INTERCEPT, fit.intercept, 0, "too high on average", "too low on average"
        )
        return " ".join(filter(None, [parts, slope, intercept, fit.reason]))

    def frame(self) -> pd.DataFrame:
        """Return a line for each measure, then for each point of the curve with its band."""
        if not self.is_possible:
            return pd.DataFrame()
        found, fit = self.found, self.recalibration
        lines = [
            (name, value, np.nan, np.nan)
            for name, value in (
                ("Brier score", found.parts.brier),
                ("miscalibration", found.parts.miscalibration),
                ("miscalibration by chance", found.by_chance),
                ("discrimination", found.parts.discrimination),
                ("uncertainty", found.parts.uncertainty),
            )
        ]
        lines += [(_SLOPE, *fit.slope), (_INTERCEPT, *fit.intercept)]
        measures = pd.DataFrame(lines, columns=["measure", "value", "low", "high"])
        curve = pd.DataFrame(
            {
                "measure": "observed frequency",
                "value": found.observed,
                "low": found.low,
                "high": found.high,
                "posterior": found.predicted,
                "rows": found.n_rows,
            }
        )
        return pd.concat([measures, curve], ignore_index=True)

    def table(self) -> pd.DataFrame:
        """Return the measures, rounded, and what they mean."""
        if not self.is_possible:
            return pd.DataFrame()
        found = self.frame().iloc[: len(_MEANINGS)]
        found = found[["measure", "value", "low", "high"]].round(4)
        return found.rename(columns={"low": "from", "high": "to"}).assign(
            **{"what it is": [_MEANINGS[name] for name in found["measure"]]}
        )

    def plot(self) -> go.Figure | None:
        """Return the curve, the band and the number of rows."""
        if not self.is_possible:
            return None
        return plots.calibration(self.found, code=self.code, title=self.finding())

    def notes(self) -> tuple[str, ...]:
        """Return how curve, band and intervals are computed."""
        if not self.is_possible:
            return ()
        return (
            "The curve is the isotonic regression of the outcome on the posterior (CORP), so there "
            f"are no bins to choose. Band: simultaneous, 95 %, from {metrics.SAMPLES:,} samples of "
            "a model whose posteriors are right.",
            "Intervals of slope and intercept: Wald, 95 %. After Dimitriadis, Gneiting and Jordan "
            "(2021) and Van Calster et al. (2019).",
        )


_MEANINGS: Mapping[str, str] = {
    "Brier score": "Mean squared distance of the posterior from the outcome.",
    "miscalibration": "What the Brier score would gain by recalibration; lower is better.",
    "miscalibration by chance": "Its mean in samples of a calibrated model.",
    "discrimination": "Gain over a constant posterior, once recalibrated; higher is better.",
    "uncertainty": "Brier score of the share of the class as a constant posterior.",
    _SLOPE: "1 if calibrated; below 1, posteriors are too extreme.",
    _INTERCEPT: "0 if calibrated; above 0, posteriors are too low on average, in log odds.",
}


def _sentence(name: str, found: Interval, ideal: float, below: str, above: str) -> str:
    """Return an estimate with its interval, and what it says if that excludes the ideal."""
    if np.isnan(found.value):
        return ""
    verdict = f": {below}" if found.high < ideal else f": {above}" if found.low > ideal else ""
    name = capital(name)
    ends = f"{decimals(found.low)} to {decimals(found.high)}"
    return f"{name} {decimals(found.value)} ({ends}){verdict}."
