"""Displays of coefficients and odds ratios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, plots
from lincore.displays.model.model_display import ModelDisplay, once
from lincore.fields import Field
from lincore.inspection import CoefficientPath
from lincore.utils import count, listed, p_value, quoted, true_minus

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.inspection import Coefficients, Weights
    from lincore.model_selection import FittedClassifier


#: Images of coefficients.
MOST_WEIGHTS = 12


@once
def _weights(model: FittedClassifier) -> Weights | None:
    try:
        return inspection.feature_weights(model.pipeline, model.data, model.split.train)
    except TypeError:  # not linear
        return None


def _selects(model: FittedClassifier) -> bool:
    return bool(getattr(model.classifier, "selects", False))


def _of_pixels(model: FittedClassifier) -> bool:
    weights, data = _weights(model), model.data
    return bool(weights and data.kind.is_images and weights.names == data.feature_names)


def _lines(so_far: SimpleNamespace) -> dict[int, str]:
    model, weights = so_far.model, _weights(so_far.model)
    if weights is None or _of_pixels(model):
        return {}
    lines = inspection.score_lines(model.pipeline, model.data, len(weights.values))
    return dict(enumerate(lines)) if len(lines) > 1 else {}


def _has_bars(so_far: SimpleNamespace) -> bool:
    return _weights(so_far.model) is not None and not _of_pixels(so_far.model)


@dataclass(frozen=True, eq=False)
class CoefficientsDisplay(ModelDisplay):
    """What each feature adds to the score of a class; for pixels, as images."""

    title: ClassVar[str] = "Coefficients"
    made_by: ClassVar[str] = "model.coefficients"
    page_key: ClassVar[str] = "classify.coefficients"

    line: Annotated[
        int,
        Field("Score of", "The class whose score these coefficients form.", low=0, choices=_lines),
    ] = 0
    per_deviation: Annotated[
        bool,
        Field(
            "Per standard deviation",
            "Change per standard deviation, so that features are comparable; otherwise per unit.",
            when=_has_bars,
        ),
    ] = True

    @property
    def weights(self) -> Weights | None:
        """Linear scores as functions of features; None if the classifier is not linear."""
        return _weights(self.model)

    @property
    def are_images(self) -> bool:
        """True if each coefficient belongs to a pixel."""
        return _of_pixels(self.model)

    @cached_property
    def coefficients(self) -> Coefficients:
        """The coefficients in the units of the features."""
        model = self.model
        return inspection.score_coefficients(model.pipeline, model.data, model.split.train)

    def finding(self) -> str:
        """Return the largest coefficient, or that there are none."""
        return self.figure_title or (
            f"{self.method} is not linear: no feature has one coefficient."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each score and feature; nothing for pixels."""
        if self.weights is None or self.are_images:
            return pd.DataFrame()
        return pd.DataFrame(
            {"score": name, **row}
            for line, name in enumerate(self.coefficients.lines)
            for row in coefficient_rows(self.coefficients, line)
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each feature; nothing if the odds ratios have a table."""
        if self.weights is None or self.are_images:
            return pd.DataFrame()
        if self.coefficients.are_log_odds and not isinstance(_likelihood(self.model), str):
            return pd.DataFrame()
        return _largest_first(
            self.coefficients, self.line, "per SD" if self.per_deviation else None
        )

    def table_help(self) -> Mapping[str, str]:
        """Return what the columns of the table mean."""
        return _HELP

    def plot(self) -> go.Figure | None:
        """Return bars, the largest first; or an image for each score."""
        if self.weights is None:
            return None
        if self.are_images:
            return self._images(self.weights)
        values = (
            self.coefficients.per_deviation if self.per_deviation else self.coefficients.estimate
        )
        return plots.coefficients(self.coefficients.names, values[self.line], unit="coefficient")

    def _images(self, weights: Weights) -> go.Figure:
        model = self.model
        labels = inspection.score_lines(model.pipeline, model.data, len(weights.values))
        stack = weights.comparable[:MOST_WEIGHTS].reshape(-1, *(model.data.image_shape or ()))
        stack = stack.mean(axis=3) if stack.ndim == 4 else stack
        return plots.coefficient_images(
            stack,
            labels[:MOST_WEIGHTS],
            columns=min(6, len(stack)),
            title="Coefficients of the pixels, per standard deviation",
        )

    def notes(self) -> tuple[str, ...]:
        """Return the unit, and why there are no standard errors."""
        if self.weights is None:
            return ("Its boundaries are under Equation.",)
        if self.are_images:
            coloured = len(self.model.data.image_shape or ()) == 3
            return (
                "Change of the score per standard deviation of a pixel, transformed back through "
                "the steps: where it is positive, light pixels favour the class."
                f"{' The three colours are averaged.' if coloured else ''}",
            )
        unit = (
            "standard deviation of the training rows"
            if self.per_deviation
            else "unit of the feature"
        )
        line = self.coefficients.lines[self.line]
        score = quoted(line) if line in map(str, self.model.data.classes) else line
        notes = [f"Change of the score of {score} per {unit}."]
        if _selects(self.model):
            notes.append(_SELECTED)
        elif self.coefficients.is_penalised:
            notes.append(
                "A penalty shrinks these coefficients, so they have no standard errors, intervals "
                "or p-values: choose C = maximum likelihood to get them."
            )
        return tuple(notes)


_SELECTED = (
    "The L1 penalty shrinks the coefficients and chooses the features by the same rows: there are "
    "no standard errors, intervals or p-values, and those of a fit to the chosen features alone "
    "would be too optimistic."
)
_REDUCTIONS = {
    None: "maximum likelihood",
    "firth": "maximum likelihood with Firth's penalty",
    "king-zeng": "maximum likelihood less its small-sample bias (King and Zeng 2001)",
}
_HELP = {
    "feature": "Levels of a category are compared with the level in brackets.",
    "coefficient": "Change of the score per unit (for logistic regression, of the log odds).",
    "per SD": "Change of the score per standard deviation of the training rows.",
    "standard error": "Wald's, from the curvature of the likelihood at its maximum.",
    "95 % interval": "Of the coefficient.",
    "p": "Of the hypothesis that the coefficient is zero, two-sided.",
    "odds ratio": "Factor of the odds per unit.",
    "its 95 % interval": "Of the odds ratio.",
}


@once
def _likelihood(model: FittedClassifier) -> Coefficients | str:
    """Return the coefficients with Wald's errors, or why there are none."""
    if not hasattr(model.classifier, "wald"):
        return f"{model.name} has no odds ratios."
    if model.classifier.is_shrunk:
        if model.classifier.selects:
            return _SELECTED
        return "A penalty shrinks the coefficients: they have no standard errors."
    try:
        return inspection.likelihood_coefficients(model.pipeline, model.data, model.split.train)
    except ValueError as error:
        return f"No standard errors or odds ratios: {error}"


def _odds(so_far: SimpleNamespace) -> dict[int, str]:
    coefficients = _likelihood(so_far.model)
    lines = () if isinstance(coefficients, str) else coefficients.lines
    return dict(enumerate(lines)) if len(lines) > 1 else {}


@dataclass(frozen=True, eq=False)
class OddsRatiosDisplay(ModelDisplay):
    """Odds ratios of logistic regression, with Wald's or profile intervals."""

    title: ClassVar[str] = "Odds ratios"
    made_by: ClassVar[str] = "model.odds_ratios"
    page_key: ClassVar[str] = "classify.odds"

    line: Annotated[
        int,
        Field("Odds of", "The two classes whose odds are compared.", low=0, choices=_odds),
    ] = 0

    @property
    def coefficients(self) -> Coefficients | str:
        """The coefficients with their errors, or why there are none."""
        return _likelihood(self.model)

    @property
    def is_asked_for(self) -> bool:
        """True for logistic regression without C."""
        return hasattr(self.model.classifier, "wald") and not self.model.classifier.is_shrunk

    def finding(self) -> str:
        """State how many odds ratios differ from 1."""
        if isinstance(self.coefficients, str):
            return self.coefficients
        return self.figure_title

    def frame(self) -> pd.DataFrame:
        """Return a line for each class and feature."""
        coefficients = self.coefficients
        if isinstance(coefficients, str):
            return pd.DataFrame()
        return pd.DataFrame(
            {"odds": name, **row}
            for line, name in enumerate(coefficients.lines)
            for row in coefficient_rows(coefficients, line)
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each feature."""
        if isinstance(self.coefficients, str):
            return pd.DataFrame()
        return _largest_first(self.coefficients, self.line)

    def table_help(self) -> Mapping[str, str]:
        """Return what the columns of the table mean."""
        return _HELP

    def plot(self) -> go.Figure | None:
        """Return the ratios with their intervals."""
        coefficients = self.coefficients
        if isinstance(coefficients, str):
            return None
        assert coefficients.low is not None and coefficients.high is not None
        shown = [j for j, name in enumerate(coefficients.names) if name != "intercept"]
        with np.errstate(over="ignore"):
            value, low, high = (
                np.exp(log_odds[self.line, shown])
                for log_odds in (coefficients.estimate, coefficients.low, coefficients.high)
            )
        return plots.odds_ratios([coefficients.names[j] for j in shown], value, low, high)

    def notes(self) -> tuple[str, ...]:
        """Return the method, the rows, and the columns that are left out."""
        coefficients = self.coefficients
        if isinstance(coefficients, str):
            return ()
        reduction = _REDUCTIONS[self.model.classifier.bias_reduction]
        errors = "Wald's standard errors, 95 % intervals and p-values"
        if coefficients.is_profiled:
            errors = (
                "95 % intervals and p-values by the profile of the penalised likelihood (Heinze "
                "and Schemper 2002) and Wald's standard errors"
            )
        odds = coefficients.lines[self.line]
        note = (
            f"Odds of {odds}: {reduction}, with {errors} over {self.trained}. Coefficients are log "
            "odds per unit."
        )
        if not coefficients.left_out:
            return (note,)
        return note, f"Left out, as combinations of other columns: {listed(coefficients.left_out)}."


@once
def _path(model: FittedClassifier) -> CoefficientPath:
    return inspection.coefficient_path(model.pipeline, model.data, model.split.train)


def _path_lines(so_far: SimpleNamespace) -> dict[int, str]:
    if not _selects(so_far.model):
        return {}
    path = getattr(so_far, "known", None) or _path(so_far.model)
    return dict(enumerate(path.lines)) if len(path.lines) > 1 else {}


@dataclass(frozen=True, eq=False)
class CoefficientPathDisplay(ModelDisplay):
    """The coefficients of logistic regression with an L1 penalty, for each strength of it."""

    title: ClassVar[str] = "Coefficient path"
    made_by: ClassVar[str] = "model.coefficient_path"
    page_key: ClassVar[str] = "classify.path"

    known: CoefficientPath | None = None
    line: Annotated[
        int,
        Field(
            "Score of",
            "The class whose score these coefficients form.",
            low=0,
            choices=_path_lines,
        ),
    ] = 0

    @cached_property
    def path(self) -> CoefficientPath | None:
        """The path; None if the classifier has no L1 penalty."""
        if not _selects(self.model):
            return None
        return self.known or _path(self.model)

    @property
    def is_asked_for(self) -> bool:
        """True if the classifier has an L1 penalty."""
        return _selects(self.model)

    @property
    def marks(self) -> dict[str, float]:
        """The C of the model, and the choices by inner cross-validation, by name."""
        tuning = getattr(self.model.classifier, "tuning_", None)
        if tuning is None:
            return {"model": float(self.model.classifier.C)}
        C = tuning.candidates[:, 0].tolist()
        named = {"best": C[tuning.best], "one standard error": C[tuning.simplest]}
        return named if tuning.rule == "cv" else dict(reversed(named.items()))

    def finding(self) -> str:
        """State how many features the model uses."""
        path = self.path
        if path is None:
            return f"{self.method} has no L1 penalty, and so no path."
        n, C = int(path.numbers[path.position]), path.C[path.position]
        return f"The model with C = {C:.3g} uses {n} of {count(len(path.names), 'feature')}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each coefficient other than zero."""
        path = self.path
        if path is None:
            return pd.DataFrame()
        position, line, feature = np.nonzero(path.values)
        return pd.DataFrame(
            {
                "C": path.C[position],
                "features": path.numbers[position],
                "score": np.array(path.lines, dtype=object)[line],
                "feature": np.array(path.names, dtype=object)[feature],
                "per SD": path.values[position, line, feature],
            }
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each feature, in the order in which they enter."""
        path = self.path
        if path is None:
            return pd.DataFrame()
        values = path.values[:, self.line]
        entered = (values != 0).any(axis=0)
        first = np.where(entered, (values != 0).argmax(axis=0), len(values))
        order = [j for j in np.argsort(first, kind="stable").tolist() if entered[j]]
        return pd.DataFrame(
            {
                "feature": [path.names[j] for j in order],
                "enters at C": [f"{path.C[first[j]]:.3g}" for j in order],
                "per SD": [float(values[path.position, j]) for j in order],
            }
        )

    def table_help(self) -> Mapping[str, str]:
        """Return what the columns of the table mean."""
        return {
            "enters at C": "The least C of the path at which its coefficient is not zero.",
            "per SD": "Coefficient of the model per standard deviation of the training rows.",
        }

    def plot(self) -> go.Figure | None:
        """Return the coefficients against C."""
        path = self.path
        if path is None:
            return None
        return plots.coefficient_path(
            path.C,
            path.values[:, self.line],
            path.names,
            path.numbers,
            self.marks,
            title=self.finding(),
        )

    def notes(self) -> tuple[str, ...]:
        """State the unit, and that selected coefficients have no errors."""
        path = self.path
        if path is None:
            return ()
        line = path.lines[self.line]
        score = quoted(line) if line in map(str, self.model.data.classes) else line
        every = " in any score" if len(path.lines) > 1 else ""
        levels = " Each level of a category counts." if self.model.data.has_categories else ""
        return (
            f"Change of the score of {score} per standard deviation of the training rows. Below C: "
            f"the number of features with a coefficient other than zero{every}.{levels}",
            _SELECTED,
        )


def _largest_first(coefficients: Coefficients, line: int, by: str | None = None) -> pd.DataFrame:
    """Return the rows in the order of the bars, the intercept last."""
    rows = pd.DataFrame(coefficient_rows(coefficients, line))
    size = rows[by or "coefficient"].abs().where(rows["feature"] != "intercept", -1.0)
    return rows.loc[size.sort_values(ascending=False, kind="stable").index].reset_index(drop=True)


def coefficient_rows(coefficients: Coefficients, line: int) -> list[dict[str, Any]]:
    """Return a row for each feature: estimate, error, test and odds ratio, if there are any."""
    error, p = coefficients.error, coefficients.p
    low, high = coefficients.low, coefficients.high
    rows = []
    for j, name in enumerate(coefficients.names):
        estimate = float(coefficients.estimate[line, j])
        row: dict[str, Any] = {
            "feature": name,
            "coefficient": estimate,
            "per SD": float(coefficients.per_deviation[line, j]),
        }
        ends: tuple[float, float] | None = None
        if error is not None and low is not None and high is not None and p is not None:
            ends = float(low[line, j]), float(high[line, j])
            row["standard error"] = float(error[line, j])
            row["95 % interval"] = _interval(*ends)
            row["p"] = p_value(float(p[line, j]))
        elif coefficients.is_penalised:
            row["standard error"] = "penalised"
        has_ratio = name != "intercept" and coefficients.are_log_odds
        with np.errstate(over="ignore"):
            if has_ratio:
                row["odds ratio"] = float(np.exp(estimate))
            if ends and coefficients.are_log_odds:
                row["its 95 % interval"] = _interval(*np.exp(ends)) if has_ratio else "–"
        rows.append(row)
    return rows


def _interval(low: float, high: float) -> str:
    # No hyphen, which begins a formula in a spreadsheet.
    if np.isnan(low) or np.isnan(high):
        return "–"
    return true_minus(f"{low:.3g} to {high:.3g}")
