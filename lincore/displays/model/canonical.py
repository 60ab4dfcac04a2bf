"""Displays of the canonical discriminant analysis behind LDA and Fisher's discriminant."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, plots
from lincore.displays.model.model_display import ModelDisplay, once
from lincore.errors import DataError
from lincore.inspection import CanonicalAnalysis
from lincore.metrics import ALPHA
from lincore.model_selection import FittedClassifier
from lincore.utils import decimals, listed, p_equals, p_value, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Classifiers whose scores depend on the within-class scatter only.
_WORDS = ("lda", "fisher")
# More pairs and functions would make tables too long and too wide to read.
_MOST_PAIRS, _MOST_FUNCTIONS = 200, 4


@once
def _analysis(model: FittedClassifier) -> CanonicalAnalysis | str:
    """Return the analysis of the training rows, or the reason why there is none."""
    if model.word not in _WORDS:
        return f"{model.name} has no canonical functions: LDA and Fisher’s discriminant have."
    try:
        return inspection.canonical_analysis_of(model)
    except DataError as error:
        return str(error)


@dataclass(frozen=True, eq=False)
class CanonicalPartDisplay(ModelDisplay):
    """A part of the analysis; without one, everything is empty but the reason."""

    @property
    def analysis(self) -> CanonicalAnalysis | None:
        """The analysis; None if there is none."""
        analysis = _analysis(self.model)
        return None if isinstance(analysis, str) else analysis

    @property
    def reason(self) -> str:
        """Why there is no analysis; "" if there is one."""
        analysis = _analysis(self.model)
        return analysis if isinstance(analysis, str) else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The features that enter, as the classifier sees them."""
        every = inspection.classifier_input_names(self.model.pipeline, self.model.data)
        return () if self.analysis is None else tuple(compress(every, self.analysis.kept))

    @property
    def functions(self) -> list[str]:
        """The headings of the functions."""
        if self.analysis is None:
            return []
        return [f"function {i}" for i in self.analysis.functions["function"]]

    def finding(self) -> str:
        """State the reason if there is no analysis, otherwise what it says."""
        return self.reason if self.analysis is None else self.part_finding(self.analysis)

    def part_finding(self, analysis: CanonicalAnalysis) -> str:
        """State what the part says."""
        raise NotImplementedError

    def frame(self) -> pd.DataFrame:
        """Return the numbers; nothing without an analysis."""
        return pd.DataFrame() if self.analysis is None else self.part_frame(self.analysis)

    def part_frame(self, analysis: CanonicalAnalysis) -> pd.DataFrame:
        """Return the numbers of the part."""
        raise NotImplementedError

    def first_functions(self) -> pd.DataFrame:
        """Return the frame without the columns of functions after the first four."""
        later = tuple(self.functions[_MOST_FUNCTIONS:])
        return self.frame().loc[
            :, lambda lines: [not str(column).startswith(later) for column in lines]
        ]


@dataclass(frozen=True, eq=False)
class CanonicalDisplay(CanonicalPartDisplay):
    """How far the classes are separated by each canonical function, with Wilks' lambda."""

    title: ClassVar[str] = "Canonical functions"
    made_by: ClassVar[str] = "model.canonical"

    @property
    def has_functions(self) -> bool:
        """True for LDA and Fisher's discriminant on all features and rows, but not word counts."""
        given = self.model.classifier.get_params(deep=False)
        is_other = given.get("covariance") == "mcd" or given.get("selection") is not None
        return self.model.word in _WORDS and not is_other and not self.model.data.kind.is_sparse

    def part_finding(self, analysis: CanonicalAnalysis) -> str:
        """State how many functions separate the classes, and the share of the first."""
        table, first = analysis.functions, analysis.functions.iloc[0]
        n, separating = len(table), int((table["p"] < ALPHA).sum())
        if not separating:
            return f"No canonical function is shown to separate the classes ({_test(first)})."
        correlation = decimals(first["correlation"])
        if n == 1:
            return (
                f"The canonical function separates the classes: canonical correlation "
                f"{correlation} ({_test(first)})."
            )
        verb = "separate" if separating > 1 else "separates"
        return (
            f"{separating} of {n} canonical functions {verb} the classes. The first has "
            f"{percent(first['share'])} of the separation: canonical correlation {correlation} "
            f"({_test(first)})."
        )

    def scope(self) -> str:
        """State the rows."""
        return "" if self.analysis is None else f"Of {self.trained}."

    def part_frame(self, analysis: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each function."""
        return analysis.functions

    def table(self) -> pd.DataFrame:
        """Return the same, rounded."""
        lines = self.frame()
        if lines.empty:
            return lines
        return pd.DataFrame(
            {
                "function": lines["function"],
                "eigenvalue": lines["eigenvalue"].map(decimals),
                "share (%)": (100 * lines["share"]).round(1),
                "canonical correlation": lines["correlation"].map(decimals),
                "Wilks’ Λ": lines["wilks"].map(p_value),
                "F": lines["F"].map(decimals),
                "df": [_degrees(line) for _, line in lines.iterrows()],
                "p": lines["p"].map(p_value),
            }
        )

    def plot(self) -> go.Figure | None:
        """Return class means, territories and features along two functions, if there are two."""
        analysis = self.analysis
        if analysis is None or len(analysis.functions) < 2:
            return None
        data, shares = self.model.data, analysis.functions["share"]
        return plots.canonical_plot(
            analysis.centroids,
            np.bincount(data.codes[self.model.split.train]),
            analysis.radii,
            analysis.structure,
            data.classes,
            self.names,
            [f"function {i + 1} ({percent(shares[i])} of the separation)" for i in range(2)],
        )

    def notes(self) -> tuple[str, ...]:
        """Return the test and its assumptions."""
        if self.analysis is None:
            return ()
        notes = [
            "Wilks’ Λ of a function and those after it, tested by Rao’s F. Tests assume Gaussian "
            "classes with one covariance matrix, see Assumptions. They do not depend "
            "on the shrinkage and priors of the classifier."
        ]
        if len(self.analysis.functions) > 1:
            notes.append(
                "Plot, in deviations within classes. Circles: 95 % regions of the means by "
                "Hotelling’s T², also for functions that follow the rows; those of JMP and R’s "
                "candisc take the functions as known and are smaller. Shades: scores of 0 on "
                "further functions, training shares as priors. Rays: structure coefficients, on "
                "a scale of their own."
            )
        if self.model.data.groups is not None:
            notes.append("Rows of one group are not independent: p-values are too small.")
        return tuple(notes)


@dataclass(frozen=True, eq=False)
class CanonicalCoefficientsDisplay(CanonicalPartDisplay):
    """Raw and standardised coefficients of every feature, and the structure matrix."""

    title: ClassVar[str] = "Coefficients and structure"
    made_by: ClassVar[str] = "model.canonical_coefficients"
    form: ClassVar[str] = ".3f"

    def part_finding(self, analysis: CanonicalAnalysis) -> str:
        """State which feature correlates most with the first function."""
        most = int(abs(analysis.structure[:, 0]).argmax())
        name, value = quoted(self.names[most]), decimals(analysis.structure[most, 0])
        return f"{name} correlates most with the first function: r = {value} within classes."

    def part_frame(self, analysis: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each feature: three numbers for each function."""
        columns: dict[str, Any] = {"feature": list(self.names)}
        matrices = {
            "raw": analysis.raw,
            "standardised": analysis.standardised,
            "r": analysis.structure,
        }
        for i, function in enumerate(self.functions):
            columns |= {f"{function}: {name}": matrix[:, i] for name, matrix in matrices.items()}
        return pd.DataFrame(columns)

    def table(self) -> pd.DataFrame:
        """Return the coefficients of the first functions."""
        return self.first_functions()

    def notes(self) -> tuple[str, ...]:
        """Return the units of the coefficients."""
        if self.analysis is None:
            return ()
        return (
            *self._left_out(),
            "Raw: per unit of the feature, scaled so that scores have variance 1 within classes. "
            "Standardised: per standard deviation within classes. r: correlation of feature and "
            "function within classes, the structure matrix. Signs are arbitrary: the largest "
            "standardised coefficient is positive.",
        )

    def _left_out(self) -> list[str]:
        """Name the features that are combinations of others."""
        every = inspection.classifier_input_names(self.model.pipeline, self.model.data)
        names = [name for name in every if name not in self.names]
        return [f"Left out as combinations of others: {listed(names, most=8)}."] if names else []


@dataclass(frozen=True, eq=False)
class CentroidsDisplay(CanonicalPartDisplay):
    """The mean score of every class on every canonical function."""

    title: ClassVar[str] = "Centroids"
    made_by: ClassVar[str] = "model.centroids"
    form: ClassVar[str] = ".3f"

    def part_finding(self, analysis: CanonicalAnalysis) -> str:
        """State which two classes the first function separates most."""
        first, classes = analysis.centroids[:, 0], self.model.data.classes
        low, high = quoted(classes[first.argmin()]), quoted(classes[first.argmax()])
        return f"The first function separates {low} and {high} most."

    def part_frame(self, analysis: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each class."""
        scores = dict(zip(self.functions, analysis.centroids.T, strict=True))
        return pd.DataFrame({"class": self.model.data.classes.astype(str), **scores})

    def table(self) -> pd.DataFrame:
        """Return the scores on the first functions."""
        return self.first_functions()


@dataclass(frozen=True, eq=False)
class GroupDistancesDisplay(CanonicalPartDisplay):
    """Squared Mahalanobis distances between the means of every two classes, with tests."""

    title: ClassVar[str] = "Distances between classes"
    made_by: ClassVar[str] = "model.group_distances"

    def part_finding(self, analysis: CanonicalAnalysis) -> str:
        """State which two classes are closest, and whether all differ."""
        table, classes = analysis.distances, self.model.data.classes
        closest = table.iloc[int(table["distance"].to_numpy().argmin())]
        first, second = (quoted(classes[int(closest[name])]) for name in ("first", "second"))
        n, same = len(table), int((table["p_holm"] >= ALPHA).sum())
        numbers = f"D² = {decimals(closest['distance'])}, {p_equals(closest['p_holm'])}"
        if n == 1:
            verb = "are not shown to differ" if same else "differ"
            return f"The means of {first} and {second} {verb} ({numbers})."
        differ = f"{same} of {n} pairs of means are not shown to differ" if same else "All differ"
        return f"The means of {first} and {second} are closest ({numbers} after Holm). {differ}."

    def part_frame(self, analysis: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each pair of classes."""
        classes = self.model.data.classes.astype(str)
        named = {name: classes[analysis.distances[name]] for name in ("first", "second")}
        return analysis.distances.assign(**named)

    def table(self) -> pd.DataFrame:
        """Return the closest pairs first, rounded."""
        lines = self.frame()
        if lines.empty:
            return lines
        lines = lines.sort_values("distance").head(_MOST_PAIRS)
        return pd.DataFrame(
            {
                "first": lines["first"],
                "second": lines["second"],
                "D²": lines["distance"].map(decimals),
                "F": lines["F"].map(decimals),
                "df": [_degrees(line) for _, line in lines.iterrows()],
                "p": lines["p"].map(p_value),
                "p (Holm)": lines["p_holm"].map(p_value),
            }
        )


@dataclass(frozen=True, eq=False)
class ClassificationFunctionsDisplay(CanonicalPartDisplay):
    """A linear function for each class: a row belongs to the class of the largest value."""

    title: ClassVar[str] = "Classification functions"
    made_by: ClassVar[str] = "model.classification_functions"

    def part_finding(self, analysis: CanonicalAnalysis) -> str:
        """State how they decide."""
        return "By these functions a row belongs to the class with the largest value."

    def part_frame(self, analysis: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each feature and the constant, a column for each class."""
        columns = {"feature": [*self.names, "constant"]}
        for name, weights, constant in zip(
            self.model.data.classes, analysis.coefficients, analysis.constants, strict=True
        ):
            columns[str(name)] = [*weights, constant]
        return pd.DataFrame(columns)

    def notes(self) -> tuple[str, ...]:
        """Return the priors."""
        if self.analysis is None:
            return ()
        return (
            "Fisher’s classification functions, with the shares of the training rows as priors and "
            "the covariance within classes over n − K, whatever the options of the model: close to "
            f"a boundary {self.method} may decide differently.",
        )


def _degrees(line: pd.Series) -> str:
    """Return degrees of freedom: "8, 288"."""
    return f"{line['df1']:g}, {line['df2']:.6g}"


def _test(line: pd.Series) -> str:
    wilks = p_equals(line["wilks"]).removeprefix("p ")  # as small numbers are written
    return f"Wilks’ Λ {wilks}, F({_degrees(line)}) = {decimals(line['F'])}, {p_equals(line['p'])}"
