"""Displays of what a classifier has learned: assumptions, coefficients, equations, estimates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import checks, geometry, inspection, model_selection, plots, report
from lincore.checks import Check
from lincore.displays.model.classification import ModelDisplay, codes, once
from lincore.fields import Field
from lincore.utils import listed, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.geometry import Learned, LearnedImages
    from lincore.inspection import Coefficients, Weights
    from lincore.model_selection import FittedClassifier

#: Images of coefficients, and of means and components.
MOST_WEIGHTS, MOST_IMAGES = 12, 24


@dataclass(frozen=True, eq=False)
class AssumptionsDisplay(ModelDisplay):
    """What the classifier assumes, checked on the training rows as it sees them."""

    title: ClassVar[str] = "Assumptions"
    made_by: ClassVar[str] = "model.assumptions"

    known: tuple[Check, ...] | None = None

    @property
    def word(self) -> str:
        """The word of the classifier whose assumptions hold: the binary one of several."""
        if self.model.word in ("one-vs-rest", "one-vs-one"):
            estimator = self.model.classifier.estimator or "logistic"
            return model_selection.as_method(estimator).word or ""
        return self.model.word

    @property
    def obstacle(self) -> str:
        """Why nothing is checked; "" if something is."""
        if self.model.data.kind.is_sparse and "svd" not in self.model.pipeline.named_steps:
            return "Counts of words are not checked: nothing here takes them for Gaussian."
        if not checks.ASSUMPTIONS.get(self.word):
            return f"Nothing is assumed by {self.method} that is checked here."
        return ""

    @cached_property
    def found(self) -> tuple[Check, ...]:
        """The checks."""
        if self.obstacle:
            return ()
        if self.known is not None:
            return self.known
        model = self.model
        seen = checks.assumption_inputs(model.pipeline, model.data, model.split.train)
        return checks.assumptions(*seen, model=self.word)

    def finding(self) -> str:
        """Return which assumptions want attention."""
        if self.obstacle:
            return self.obstacle
        warnings, notes, fine = (
            [check.name for check in self.found if check.verdict == verdict]
            for verdict in ("warning", "note", "fine")
        )
        said = [f"Warning: {listed(warnings)}."] if warnings else []
        said += [f"Worth knowing: {listed(notes)}."] if notes else []
        if not said:
            return "No checked assumption is rejected."
        if fine:
            rest = "check is" if len(fine) == 1 else f"{len(fine)} checks are"
            said.append(f"The other {rest} fine.")
        return " ".join(said)

    def frame(self) -> pd.DataFrame:
        """Return a line for each check, warnings first: verdict, finding, what to do."""
        rank = {"warning": 0, "note": 1, "fine": 2}
        return pd.DataFrame(
            {
                "Check": check.name,
                "Verdict": check.verdict,
                "Finding": check.sentence,
                "What to do": check.remedy,
            }
            for check in sorted(self.found, key=lambda check: rank[check.verdict])
        )

    def notes(self) -> tuple[str, ...]:
        """Return the rows that were checked."""
        if self.obstacle:
            return ()
        return (
            f"What {self.method} assumes, checked on the {self.trained} as the classifier sees "
            "them.",
        )

    def call(self) -> str:
        """Return the expression that makes this display: it checks by itself."""
        return f"{self.made_by}()"


@once
def _weights(model: FittedClassifier) -> Weights | None:
    try:
        return inspection.feature_weights(model.pipeline, model.data, model.split.train)
    except TypeError:  # not linear
        return None


def _of_pixels(model: FittedClassifier) -> bool:
    weights, data = _weights(model), model.data
    return bool(weights and data.kind.is_images and weights.names == data.feature_names)


def _lines(so_far: SimpleNamespace) -> dict[int, str]:
    model, weights = so_far.model, _weights(so_far.model)
    if weights is None or _of_pixels(model):
        return {}
    found = inspection.score_lines(model.pipeline, model.data, len(weights.values))
    return dict(enumerate(found)) if len(found) > 1 else {}


def _has_bars(so_far: SimpleNamespace) -> bool:
    return _weights(so_far.model) is not None and not _of_pixels(so_far.model)


@dataclass(frozen=True, eq=False)
class CoefficientsDisplay(ModelDisplay):
    """What each feature adds to the score of a class; of pixels, as images."""

    title: ClassVar[str] = "Coefficients"
    made_by: ClassVar[str] = "model.coefficients"

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
    def found(self) -> Coefficients:
        """The coefficients in the units of the features."""
        model = self.model
        return inspection.score_coefficients(model.pipeline, model.data, model.split.train)

    def finding(self) -> str:
        """Return the largest coefficient, or that there are none."""
        figure = self.plot()
        if figure is None:
            return f"{self.method} is not linear: no feature has one coefficient."
        return str(figure.layout.meta["title"])

    def frame(self) -> pd.DataFrame:
        """Return a line for each score and feature; not of pixels."""
        if self.weights is None or self.are_images:
            return pd.DataFrame()
        return pd.DataFrame(
            {"score": name, **row}
            for line, name in enumerate(self.found.lines)
            for row in report.coefficient_rows(self.found, line)
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each feature; of odds ratios with errors nothing: they hold it."""
        if self.weights is None or self.are_images:
            return pd.DataFrame()
        if self.found.are_log_odds and not isinstance(_likelihood(self.model), str):
            return pd.DataFrame()
        return pd.DataFrame(list(report.coefficient_rows(self.found, self.line)))

    def table_help(self) -> Mapping[str, str]:
        """Return what the columns of the table mean."""
        return _HELP

    def plot(self) -> go.Figure | None:
        """Return bars, the largest first; or an image for each score."""
        if self.weights is None:
            return None
        if self.are_images:
            return self._images(self.weights)
        values = self.found.per_deviation if self.per_deviation else self.found.estimate
        return plots.coefficients(self.found.names, values[self.line], unit="coefficient")

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
                "the steps: light pixels with positive values favour the class."
                f"{' The three colours are averaged.' if coloured else ''}",
            )
        unit = (
            "standard deviation of the training rows"
            if self.per_deviation
            else "unit of the feature"
        )
        notes = [f"Change of the score of {self.found.lines[self.line]} per {unit}."]
        if self.found.is_penalised:
            notes.append(
                "A penalty shrinks these coefficients, so they have no standard errors, intervals "
                "or p-values: choose C = maximum likelihood to get them."
            )
        return tuple(notes)


_HELP = {
    "feature": "Levels of a category are compared with the level in brackets.",
    "coefficient": "Change of the score per unit (for logistic regression, of the log odds).",
    "per SD": "Change of the score per standard deviation of the training rows.",
    "standard error": "Wald's, from the curvature of the likelihood at its maximum.",
    "95 % interval": "Of the coefficient.",
    "p": "Of the hypothesis that the coefficient is zero, two-sided (Wald).",
    "odds ratio": "Factor of the odds per unit.",
    "its 95 % interval": "Of the odds ratio.",
}


@once
def _likelihood(model: FittedClassifier) -> Coefficients | str:
    """Return the coefficients with Wald's errors, or why there are none."""
    if not hasattr(model.classifier, "wald"):
        return f"{model.name} has no odds ratios."
    if isfinite(model.classifier.C):
        return "A penalty shrinks the coefficients: they have no standard errors."
    try:
        return inspection.likelihood_coefficients(model.pipeline, model.data, model.split.train)
    except ValueError as error:
        return f"No standard errors or odds ratios: {error}"


def _odds(so_far: SimpleNamespace) -> dict[int, str]:
    found = _likelihood(so_far.model)
    lines = () if isinstance(found, str) else found.lines
    return dict(enumerate(lines)) if len(lines) > 1 else {}


@dataclass(frozen=True, eq=False)
class OddsRatiosDisplay(ModelDisplay):
    """Odds ratios of logistic regression by maximum likelihood, with Wald's errors."""

    title: ClassVar[str] = "Odds ratios"
    made_by: ClassVar[str] = "model.odds_ratios"

    line: Annotated[
        int,
        Field("Odds of", "Which odds one unit more of a feature multiplies.", low=0, choices=_odds),
    ] = 0

    @property
    def found(self) -> Coefficients | str:
        """The coefficients with their errors, or why there are none."""
        return _likelihood(self.model)

    @property
    def is_asked_for(self) -> bool:
        """True for logistic regression without a penalty."""
        return hasattr(self.model.classifier, "wald") and not isfinite(self.model.classifier.C)

    def finding(self) -> str:
        """Return how many odds ratios differ from 1."""
        if isinstance(self.found, str):
            return self.found
        return str(self.plot().layout.meta["title"])  # type: ignore[union-attr]

    def frame(self) -> pd.DataFrame:
        """Return a line for each class and feature."""
        found = self.found
        if isinstance(found, str):
            return pd.DataFrame()
        return pd.DataFrame(
            {"odds": name, **row}
            for line, name in enumerate(found.lines)
            for row in report.coefficient_rows(found, line)
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each feature."""
        if isinstance(self.found, str):
            return pd.DataFrame()
        return pd.DataFrame(list(report.coefficient_rows(self.found, self.line)))

    def table_help(self) -> Mapping[str, str]:
        """Return what the columns of the table mean."""
        return _HELP

    def plot(self) -> go.Figure | None:
        """Return the ratios with their intervals."""
        found = self.found
        if isinstance(found, str):
            return None
        assert found.low is not None and found.high is not None
        shown = [j for j, name in enumerate(found.names) if name != "intercept"]
        with np.errstate(over="ignore"):
            value, low, high = (
                np.exp(part[self.line, shown]) for part in (found.estimate, found.low, found.high)
            )
        return plots.odds_ratios([found.names[j] for j in shown], value, low, high)

    def notes(self) -> tuple[str, ...]:
        """Return the method, the rows, and the columns that are left out."""
        found = self.found
        if isinstance(found, str):
            return ()
        note = (
            f"Odds of {found.lines[self.line]}: maximum likelihood, with Wald's standard errors, "
            f"95 % intervals and p-values over {self.trained}. Coefficients are log odds per unit."
        )
        if not found.left_out:
            return (note,)
        return note, f"Left out, as combinations of other columns: {listed(found.left_out)}."


def _other_classes(so_far: SimpleNamespace) -> dict[int, str]:
    return {code: label for code, label in codes(so_far).items() if code != so_far.first}


def _are_several(so_far: SimpleNamespace) -> bool:
    return bool(so_far.model.data.n_classes > 2)


def _first_class(so_far: SimpleNamespace) -> int:
    return 0 if _are_several(so_far) else 1


def _second_class(so_far: SimpleNamespace) -> int:
    return 1 if so_far.first == 0 else 0


@dataclass(frozen=True, eq=False)
class ClassPairDisplay(ModelDisplay):
    """A view of the boundary between two classes."""

    first: (
        Annotated[
            int,
            Field("Between", "The class on the positive side.", choices=codes, auto=_first_class,
                  when=_are_several),
        ]
        | None
    ) = None  # fmt: skip
    second: (
        Annotated[
            int,
            Field("and", "The class on the negative side.", choices=_other_classes,
                  auto=_second_class, when=_are_several),
        ]
        | None
    ) = None  # fmt: skip

    @cached_property
    def pair(self) -> tuple[int, int]:
        """The codes of the classes on the positive and on the negative side."""
        so_far = SimpleNamespace(model=self.model)
        so_far.first = _first_class(so_far) if self.first is None else self.first
        return so_far.first, _second_class(so_far) if self.second is None else self.second

    @property
    def labels(self) -> tuple[str, str]:
        """Labels of the two classes."""
        first, second = self.pair
        return str(self.model.data.classes[first]), str(self.model.data.classes[second])

    @cached_property
    def function(self) -> tuple[Any, tuple[str, ...]] | str:
        """The function whose zeros are the boundary and its variables, or why there is none."""
        model = self.model
        try:
            return inspection.boundary_equation(model.pipeline, model.data, *self.pair)
        except (TypeError, ValueError) as error:
            return str(error)


@dataclass(frozen=True, eq=False)
class EquationDisplay(ClassPairDisplay):
    """The boundary between two classes as an equation."""

    title: ClassVar[str] = "Equation"
    made_by: ClassVar[str] = "model.equation"

    def finding(self) -> str:
        """Return the equation, and on which side each class lies."""
        if isinstance(self.function, str):
            return f"There is no equation: {self.function}"
        one, other = map(quoted, self.labels)
        return f"Positive on the side of {one}, negative on that of {other}:"

    @property
    def equation(self) -> str:
        """The equation in a line; "" if there is none."""
        return "" if isinstance(self.function, str) else report.equation_text(*self.function)

    @property
    def latex(self) -> str:
        """The equation as LaTeX."""
        return "" if isinstance(self.function, str) else report.equation_latex(*self.function)

    def scope(self) -> str:
        """Return the equation."""
        return self.equation

    def frame(self) -> pd.DataFrame:
        """Return the coefficients: b, and A where the boundary is curved, for each variable."""
        if isinstance(self.function, str):
            return pd.DataFrame()
        return geometry.ratio_coefficients(*self.function)[0]

    def table(self) -> pd.DataFrame:
        """Return nothing: the equation holds all of it."""
        return pd.DataFrame()

    def notes(self) -> tuple[str, ...]:
        """Return the variables, and the targets of least squares."""
        if isinstance(self.function, str):
            return ()
        components = self.function[1][0].startswith("Component ")
        seen = "components" if components else "your features, in their units"
        targets = report.target_values_note(self.model.classifier)
        sign = f"In {seen}. The sign of the left side decides between these two classes."
        return tuple(filter(None, (sign, targets)))


@dataclass(frozen=True, eq=False)
class LogRatioDisplay(ClassPairDisplay):
    """The log ratio of two classes: A, b and c."""

    title: ClassVar[str] = "Log ratio"
    made_by: ClassVar[str] = "model.log_ratio"

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formula of the log ratio, if there is one."""
        return () if isinstance(self.function, str) else ("log ratio",)

    def finding(self) -> str:
        """Return the two classes, whether the boundary is a plane, and c."""
        if isinstance(self.function, str):
            return f"There is no log ratio: {self.function}"
        one, other = map(quoted, self.labels)
        plane = "A = 0, the boundary is a plane; " if self.function[0].is_linear else ""
        _, c = geometry.ratio_coefficients(*self.function)
        return f"{one} (+) against {other} (−): {plane}c = {_number(c)}."

    def frame(self) -> pd.DataFrame:
        """Return b, and A where the boundary is curved, a line for each variable."""
        if isinstance(self.function, str):
            return pd.DataFrame()
        return geometry.ratio_coefficients(*self.function)[0]

    def notes(self) -> tuple[str, ...]:
        """Return that it is the difference of two scores where there are no posteriors."""
        if isinstance(self.function, str) or hasattr(self.model.classifier, "predict_proba"):
            return ()
        return ("This classifier has no posteriors: it is the difference of two scores.",)


def _number(value: float) -> str:
    return f"{value:,.4f}".replace("-", "−")


@once
def _learned(model: FittedClassifier) -> Learned:
    return geometry.learned(model.pipeline, model.data, model.split.train)


@dataclass(frozen=True, eq=False)
class LearnedDisplay(ModelDisplay):
    """Priors, means and log likelihood: what a classifier has estimated of every class."""

    title: ClassVar[str] = "What was learned"
    made_by: ClassVar[str] = "model.learned"

    @property
    def found(self) -> Learned:
        """The estimates."""
        return _learned(self.model)

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formulas of what is shown, as `lincore.report.FORMULAS` names them."""
        found = [] if self.found.priors is None else ["priors"]
        found += [] if self.found.words else ["means"]
        if self.found.log_likelihood is not None:
            found.append("joint log likelihood" if self.found.is_joint else "log likelihood")
        return tuple(found)

    def finding(self) -> str:
        """Return the log likelihood of the training rows."""
        found, rows = self.found, f"{int(self.found.counts.sum()):,} training rows"
        if found.log_likelihood is None:
            return f"{self.method} has learned from {rows}."
        value = _number(found.log_likelihood)
        return f"Log likelihood {value} nats, summed over {rows}."

    def frame(self) -> pd.DataFrame:
        """Return rows, prior and mean of every class."""
        return self.found.by_class

    def notes(self) -> tuple[str, ...]:
        """Return how many of the coordinates are shown."""
        shown, of = len(self.found.names), self.found.n_coordinates
        if of <= shown:
            return ()
        return (f"The first {shown} of {of:,} inputs of the classifier.",)


@dataclass(frozen=True, eq=False)
class LearnedPartDisplay(LearnedDisplay):
    """A part of the estimates."""

    def notes(self) -> tuple[str, ...]:
        """Return nothing."""
        return ()


@dataclass(frozen=True, eq=False)
class WordProbabilitiesDisplay(LearnedPartDisplay):
    """The probability of each word in every class, the most different first."""

    title: ClassVar[str] = "Words"
    made_by: ClassVar[str] = "model.words"

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formula of a probability."""
        return ("words",)

    def finding(self) -> str:
        """Return the word whose probabilities differ most."""
        if not self.found.words:
            return f"{self.method} has no probabilities of words."
        return f"The probabilities of {quoted(self.found.words[0][0])} differ most."

    def frame(self) -> pd.DataFrame:
        """Return a line for each word."""
        return self.found.by_word


def _matrices(so_far: SimpleNamespace) -> dict[int, str]:
    found = _learned(so_far.model)
    return {} if found.words else dict(enumerate(found.matrices))


@dataclass(frozen=True, eq=False)
class MatrixDisplay(LearnedPartDisplay):
    """A covariance or scatter matrix."""

    title: ClassVar[str] = "Matrix"
    made_by: ClassVar[str] = "model.matrix"

    which: Annotated[
        int,
        Field(
            "Matrix",
            "Covariances are the model's; S_W and S_B are sums over the training rows.",
            low=0,
            choices=_matrices,
        ),
    ] = 0

    @property
    def part(self) -> tuple[str, tuple[str, pd.DataFrame]]:
        """Title, and name of the formula with the matrix."""
        return list(self.found.matrices.items())[self.which]

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formula of the matrix."""
        return (self.part[1][0],)

    def finding(self) -> str:
        """Return which matrix it is."""
        return self.part[0]

    def frame(self) -> pd.DataFrame:
        """Return a row and a column for each coordinate."""
        return self.part[1][1]


_SHEETS = {
    "means": "Class means",
    "mean": "Mean image, from which PCA starts",
    "basis": "Principal components, with their eigenvalues",
}


@once
def _learned_images(model: FittedClassifier) -> LearnedImages:
    return geometry.learned_images(model.pipeline, model.data, model.split.train)


@dataclass(frozen=True, eq=False)
class LearnedImagesDisplay(ModelDisplay):
    """Class means, the mean image and principal components as images."""

    title: ClassVar[str] = "Images"
    made_by: ClassVar[str] = "model.learned_images"

    what: Annotated[str, Field("Images", "What is drawn.", longest=20, choices=_SHEETS)] = "means"

    @property
    def found(self) -> LearnedImages:
        """The images."""
        return _learned_images(self.model)

    @property
    def sheets(self) -> list[str]:
        """What can be drawn: the mean and the components only behind PCA."""
        return ["means"] if self.found.mean is None else list(_SHEETS)

    def finding(self) -> str:
        """Return what is drawn."""
        return _SHEETS[self.what] if self.what in self.sheets else "There is no PCA to draw."

    def frame(self) -> pd.DataFrame:
        """Return the eigenvalues."""
        return pd.DataFrame({"eigenvalue": self.found.eigenvalues})

    def table(self) -> pd.DataFrame:
        """Return nothing: they stand over the images."""
        return pd.DataFrame()

    def plot(self) -> go.Figure | None:
        """Return the images."""
        found, title = self.found, _SHEETS[self.what]
        if self.what == "means":
            means = geometry.grey_levels(found.means[:MOST_IMAGES])
            return plots.images(means, found.classes[:MOST_IMAGES], title=title)
        if found.mean is None:
            return None
        if self.what == "mean":
            return plots.images(geometry.grey_levels(found.mean[None]), [""], title=title)
        titles = [
            f"{i}: {value:,.0f}" if value >= 1000 else f"{i}: {value:.4g}"
            for i, value in enumerate(found.eigenvalues, start=1)
        ]
        return plots.coefficient_images(found.basis, titles, columns=6, title=title)
