"""Displays of the canonical discriminant analysis behind LDA and Fisher's discriminant."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar

import pandas as pd

from lincore import inspection
from lincore.displays.model.model_display import ModelDisplay, once
from lincore.errors import DataError
from lincore.inspection import CanonicalAnalysis
from lincore.metrics import ALPHA
from lincore.model_selection import FittedClassifier
from lincore.utils import decimals, listed, p_equals, p_value, percent, quoted

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
    def found(self) -> CanonicalAnalysis | None:
        """The analysis; None if there is none."""
        found = _analysis(self.model)
        return None if isinstance(found, str) else found

    @property
    def reason(self) -> str:
        """Why there is no analysis; "" if there is one."""
        found = _analysis(self.model)
        return found if isinstance(found, str) else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The features that enter, as the classifier sees them."""
        every = inspection.classifier_input_names(self.model.pipeline, self.model.data)
        return () if self.found is None else tuple(compress(every, self.found.kept))

    @property
    def functions(self) -> list[str]:
        """The headings of the functions."""
        return (
            []
            if self.found is None
            else [f"function {i}" for i in self.found.functions["function"]]
        )

    def finding(self) -> str:
        """State the reason if there is no analysis, otherwise what it says."""
        return self.reason if self.found is None else self.said(self.found)

    def said(self, found: CanonicalAnalysis) -> str:
        """State what the part says."""
        raise NotImplementedError

    def frame(self) -> pd.DataFrame:
        """Return the numbers; nothing without an analysis."""
        return pd.DataFrame() if self.found is None else self.lines(self.found)

    def lines(self, found: CanonicalAnalysis) -> pd.DataFrame:
        """Return the numbers of the part."""
        raise NotImplementedError

    def of_first(self) -> pd.DataFrame:
        """Return the frame without the columns of functions after the first four."""
        later = tuple(self.functions[_MOST_FUNCTIONS:])
        return self.frame().loc[:, lambda found: [not str(c).startswith(later) for c in found]]


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

    def said(self, found: CanonicalAnalysis) -> str:
        """State how many functions separate the classes, and the share of the first."""
        table, first = found.functions, found.functions.iloc[0]
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
        return "" if self.found is None else f"Of {self.trained}."

    def lines(self, found: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each function."""
        return found.functions

    def table(self) -> pd.DataFrame:
        """Return the same, rounded."""
        found = self.frame()
        if found.empty:
            return found
        return pd.DataFrame(
            {
                "function": found["function"],
                "eigenvalue": found["eigenvalue"].map(decimals),
                "share (%)": (100 * found["share"]).round(1),
                "canonical correlation": found["correlation"].map(decimals),
                "Wilks’ Λ": found["wilks"].map(p_value),
                "F": found["F"].map(decimals),
                "df": [_degrees(one) for _, one in found.iterrows()],
                "p": found["p"].map(p_value),
            }
        )

    def notes(self) -> tuple[str, ...]:
        """Return the test and its assumptions."""
        if self.found is None:
            return ()
        notes = [
            "Wilks’ Λ of a function and those after it, tested by Rao’s F. Tests assume Gaussian "
            "classes with one covariance matrix, see Assumptions. They do not depend "
            "on the shrinkage and priors of the classifier."
        ]
        if self.model.data.groups is not None:
            notes.append("Rows of one group are not independent: p-values are too small.")
        return tuple(notes)


@dataclass(frozen=True, eq=False)
class CanonicalCoefficientsDisplay(CanonicalPartDisplay):
    """Raw and standardised coefficients of every feature, and the structure matrix."""

    title: ClassVar[str] = "Coefficients and structure"
    made_by: ClassVar[str] = "model.canonical_coefficients"
    form: ClassVar[str] = ".3f"

    def said(self, found: CanonicalAnalysis) -> str:
        """State which feature correlates most with the first function."""
        most = int(abs(found.structure[:, 0]).argmax())
        name, value = quoted(self.names[most]), decimals(found.structure[most, 0])
        return f"{name} correlates most with the first function: r = {value} within classes."

    def lines(self, found: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each feature: three numbers for each function."""
        columns: dict[str, Any] = {"feature": list(self.names)}
        parts = {"raw": found.raw, "standardised": found.standardised, "r": found.structure}
        for i, function in enumerate(self.functions):
            columns |= {f"{function}: {name}": part[:, i] for name, part in parts.items()}
        return pd.DataFrame(columns)

    def table(self) -> pd.DataFrame:
        """Return the coefficients of the first functions."""
        return self.of_first()

    def notes(self) -> tuple[str, ...]:
        """Return the units of the coefficients."""
        if self.found is None:
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

    def said(self, found: CanonicalAnalysis) -> str:
        """State which two classes the first function separates most."""
        first, classes = found.centroids[:, 0], self.model.data.classes
        low, high = quoted(classes[first.argmin()]), quoted(classes[first.argmax()])
        return f"The first function separates {low} and {high} most."

    def lines(self, found: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each class."""
        scores = dict(zip(self.functions, found.centroids.T, strict=True))
        return pd.DataFrame({"class": self.model.data.classes.astype(str), **scores})

    def table(self) -> pd.DataFrame:
        """Return the scores on the first functions."""
        return self.of_first()


@dataclass(frozen=True, eq=False)
class GroupDistancesDisplay(CanonicalPartDisplay):
    """Squared Mahalanobis distances between the means of every two classes, with tests."""

    title: ClassVar[str] = "Distances between classes"
    made_by: ClassVar[str] = "model.group_distances"

    def said(self, found: CanonicalAnalysis) -> str:
        """State which two classes are closest, and whether all differ."""
        table, classes = found.distances, self.model.data.classes
        closest = table.iloc[int(table["distance"].to_numpy().argmin())]
        first, second = (quoted(classes[int(closest[name])]) for name in ("first", "second"))
        n, same = len(table), int((table["p_holm"] >= ALPHA).sum())
        numbers = f"D² = {decimals(closest['distance'])}, {p_equals(closest['p_holm'])}"
        if n == 1:
            verb = "are not shown to differ" if same else "differ"
            return f"The means of {first} and {second} {verb} ({numbers})."
        differ = f"{same} of {n} pairs of means are not shown to differ" if same else "All differ"
        return f"The means of {first} and {second} are closest ({numbers} after Holm). {differ}."

    def lines(self, found: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each pair of classes."""
        classes = self.model.data.classes.astype(str)
        named = {name: classes[found.distances[name]] for name in ("first", "second")}
        return found.distances.assign(**named)

    def table(self) -> pd.DataFrame:
        """Return the closest pairs first, rounded."""
        found = self.frame()
        if found.empty:
            return found
        found = found.sort_values("distance").head(_MOST_PAIRS)
        return pd.DataFrame(
            {
                "first": found["first"],
                "second": found["second"],
                "D²": found["distance"].map(decimals),
                "F": found["F"].map(decimals),
                "df": [_degrees(one) for _, one in found.iterrows()],
                "p": found["p"].map(p_value),
                "p (Holm)": found["p_holm"].map(p_value),
            }
        )


@dataclass(frozen=True, eq=False)
class ClassificationFunctionsDisplay(CanonicalPartDisplay):
    """A linear function for each class: a row belongs to the class of the largest value."""

    title: ClassVar[str] = "Classification functions"
    made_by: ClassVar[str] = "model.classification_functions"

    def said(self, found: CanonicalAnalysis) -> str:
        """State how they decide."""
        return "The class whose function has the largest value at a row is predicted."

    def lines(self, found: CanonicalAnalysis) -> pd.DataFrame:
        """Return a line for each feature and the constant, a column for each class."""
        columns = {"feature": [*self.names, "constant"]}
        for name, weights, constant in zip(
            self.model.data.classes, found.coefficients, found.constants, strict=True
        ):
            columns[str(name)] = [*weights, constant]
        return pd.DataFrame(columns)

    def notes(self) -> tuple[str, ...]:
        """Return the priors."""
        if self.found is None:
            return ()
        return (
            "Fisher’s classification functions, with the shares of the training rows as priors and "
            "the covariance within classes over n − K.",
        )


def _degrees(line: pd.Series) -> str:
    """Return degrees of freedom: "8, 288"."""
    return f"{line['df1']:g}, {line['df2']:.6g}"


def _test(line: pd.Series) -> str:
    wilks = p_equals(line["wilks"]).removeprefix("p ")  # as small numbers are written
    return f"Wilks’ Λ {wilks}, F({_degrees(line)}) = {decimals(line['F'])}, {p_equals(line['p'])}"
