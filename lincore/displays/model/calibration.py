"""`CalibrationDisplay`: how often a class occurs, against its posterior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import metrics, plots
from lincore.displays.model.model_display import ModelDisplay, class_labels, has_posteriors
from lincore.fields import Field
from lincore.utils import capital, decimals, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.metrics import Calibration, Interval, Recalibration

_SLOPE, _INTERCEPT = "calibration slope", "calibration-in-the-large"


def _posteriors(so_far: SimpleNamespace) -> Mapping[int, str]:
    return {-1: "the predicted class", **class_labels(so_far)}


def _second_of_two(so_far: SimpleNamespace) -> int:
    return 1 if so_far.model.data.n_classes == 2 else -1


@dataclass(frozen=True, eq=False)
class CalibrationDisplay(ModelDisplay):
    """The observed frequency of a class against its posterior."""

    title: ClassVar[str] = "Calibration"
    made_by: ClassVar[str] = "model.calibration"
    page_key: ClassVar[str] = "classify.calibration"
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
        code: int = self.setting("of_class")
        return None if code == -1 else code

    @property
    def is_possible(self) -> bool:
        """True for a model with posteriors."""
        return metrics.has_posteriors(self.results, self.method)

    @property
    def curve(self) -> Calibration:
        """The curve with its band, and the parts of the Brier score."""
        return metrics.calibration_curve(self.results, self.method, self.code)

    @property
    def recalibration(self) -> Recalibration:
        """Slope and intercept."""
        return metrics.logistic_recalibration(self.results, self.method, self.code)

    @property
    def of_whom(self) -> str:
        """The class, as words."""
        return "the predicted class" if self.code is None else quoted(self.curve.label)

    def finding(self) -> str:
        """Return whether, and where, the curve leaves the band."""
        if not self.is_possible:
            return f"{self.method} has no posteriors, so there is no calibration."
        curve = self.curve
        if not curve.is_outside.any():
            return (
                f"The posteriors of {self.of_whom} are not shown to be miscalibrated: the curve "
                "stays within the band of a calibrated model."
            )
        excess = np.maximum(curve.low - curve.observed, curve.observed - curve.high)
        worst = int(np.argmax(excess))
        predicted, observed = percent(curve.predicted[worst]), percent(curve.observed[worst])
        outcome = "correct" if self.code is None else quoted(curve.label)
        ends = dict.fromkeys([percent(curve.low[worst]), percent(curve.high[worst])])
        return (
            f"The posteriors of {self.of_whom} are miscalibrated: at {predicted}, {observed} of "
            f"the rows are {outcome}; a calibrated model would show {' to '.join(ends)}."
        )

    def scope(self) -> str:
        """Return the rows, the parts of the Brier score, slope and intercept."""
        if not self.is_possible:
            return ""
        parts, fit = self.curve.parts, self.recalibration
        brier = (
            f"On {self.tested}. Brier score {parts.brier:.3f} = miscalibration "
            f"{parts.miscalibration:.3f} − discrimination {parts.discrimination:.3f} + uncertainty "
            f"{parts.uncertainty:.3f}."
        )
        slope = _sentence(_SLOPE, fit.slope, 1, "too extreme", "not extreme enough")
        intercept = _sentence(
            _INTERCEPT, fit.intercept, 0, "too high on average", "too low on average"
        )
        return " ".join(filter(None, [brier, slope, intercept, fit.reason]))

    def frame(self) -> pd.DataFrame:
        """Return a line for each measure, then for each point of the curve with its band."""
        if not self.is_possible:
            return pd.DataFrame()
        curve, fit = self.curve, self.recalibration
        lines = [
            (name, value, np.nan, np.nan)
            for name, value in (
                ("Brier score", curve.parts.brier),
                ("miscalibration", curve.parts.miscalibration),
                ("miscalibration by chance", curve.by_chance),
                ("discrimination", curve.parts.discrimination),
                ("uncertainty", curve.parts.uncertainty),
            )
        ]
        lines += [(_SLOPE, *fit.slope), (_INTERCEPT, *fit.intercept)]
        measures = pd.DataFrame(lines, columns=["measure", "value", "low", "high"])
        points = pd.DataFrame(
            {
                "measure": "observed frequency",
                "value": curve.observed,
                "low": curve.low,
                "high": curve.high,
                "posterior": curve.predicted,
                "rows": curve.n_rows,
            }
        )
        return pd.concat([measures, points], ignore_index=True)

    def table(self) -> pd.DataFrame:
        """Return the measures, rounded, and what they mean."""
        if not self.is_possible:
            return pd.DataFrame()
        measures = self.frame().iloc[: len(_MEANINGS)]
        measures = measures[["measure", "value", "low", "high"]].round(4)
        return measures.rename(columns={"low": "from", "high": "to"}).assign(
            **{"what it is": [_MEANINGS[name] for name in measures["measure"]]}
        )

    def plot(self) -> go.Figure | None:
        """Return the curve, the band and the number of rows."""
        if not self.is_possible:
            return None
        return plots.calibration(self.curve, code=self.code, title=self.finding())

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
            *([_OF_CORRECT] if self.code is None else []),
        )


_OF_CORRECT = (
    "The outcome is whether the prediction is correct; the Brier score of the tab Scores is over "
    "the posteriors of all classes."
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


def _sentence(name: str, estimate: Interval, ideal: float, below: str, above: str) -> str:
    """Return an estimate with its interval, and what it says if that excludes the ideal."""
    if np.isnan(estimate.value):
        return ""
    verdict = (
        f": {below}" if estimate.high < ideal else f": {above}" if estimate.low > ideal else ""
    )
    name = capital(name)
    ends = f"{decimals(estimate.low)} to {decimals(estimate.high)}"
    return f"{name} {decimals(estimate.value)} ({ends}){verdict}."
