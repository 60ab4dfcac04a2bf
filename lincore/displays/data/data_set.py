"""Displays of a data set as a whole: its classes, what the checks find, its true parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from lincore import plots
from lincore.checks import DataFinding, data_checks
from lincore.data import Dataset, Split, counting
from lincore.data import split as split_rows
from lincore.displays.base import Display
from lincore.errors import DataError
from lincore.estimators import BayesClassifier, ExpectedLoss, bayes_error
from lincore.utils import capital, count, listed, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.data import TrueParameters

# Standard error of the Bayes error where it is computed by Monte Carlo.
_STANDARD_ERROR = 5e-4
# Classes of one size that a sentence names.
_MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class ClassCountsDisplay(Display):
    """The rows of each class, in all and in either part of a split."""

    title: ClassVar[str] = "Classes"
    made_by: ClassVar[str] = "data.class_counts"

    data: Dataset
    split: Split | None = None

    @property
    def labels(self) -> list[str]:
        """The classes."""
        return [str(label) for label in self.data.classes.tolist()]

    @property
    def parts(self) -> dict[str, np.ndarray]:
        """The rows of each class for training and for testing."""
        counts = [self.data.counts_in(rows) for rows in self.split or ()]
        return dict(zip(("training", "test"), counts, strict=False))

    def finding(self) -> str:
        """Compare the largest class with the smallest; streamed rows count."""
        counts = self.data.counts + self.data.streamed_counts
        most, least = int(counts.max()), int(counts.min())
        noun = "images" if self.data.kind.is_images else "rows"
        if most == least:
            return f"Every class has {most:,} {noun}."
        largest, smallest = (
            [quoted(label) for label in self.data.classes[counts == size]] for size in (most, least)
        )
        first = f"class, {largest[0]}, has {most:,} {noun}"
        if len(largest) > 1:  # ties
            first = f"classes, {listed(largest, _MOST_NAMED)}, have {most:,} {noun} each"
        last = f"{listed(smallest, _MOST_NAMED)}, {least:,}{' each' if len(smallest) > 1 else ''}"
        return f"The largest {first}, the smallest, {last} (ratio {most / least:,.1f})."

    def scope(self) -> str:
        """State which rows of a file larger than memory are in memory, and which are streamed."""
        streamed, in_memory = self.data.n_streamed, self.data.n_rows
        if not streamed:
            return ""
        return (
            f"{in_memory + streamed:,} rows: {in_memory:,} are in memory, the other {streamed:,} "
            "are streamed and summed by class. Models fitted from moments (LDA, QDA, Naive Bayes, "
            "Fisher, least squares), logistic regression, scaling and PCA use all rows except the "
            "test set. The perceptron uses rows in memory, and the page Balance leaves it out. "
            "Tests always use rows in memory."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each class: rows in memory, their share, and the parts of a split."""
        counts = self.data.counts
        shares = {"class": self.labels, self.data.kind.rows: counts, "share": counts / counts.sum()}
        return pd.DataFrame(shares | self.parts)

    def table(self) -> pd.DataFrame:
        """Return the same with shares in per cent."""
        lines = self.frame()
        lines["share"] = [percent(share) for share in lines["share"]]
        return lines

    def plot(self) -> go.Figure | None:
        """Return the rows that train and test, by class."""
        if self.split is None:
            return None
        train, test = self.parts.values()
        return plots.class_balance(train, test, self.data.classes)

    def notes(self) -> tuple[str, ...]:
        """State the sizes of both sets, the number of groups, and what weighted rows count."""
        notes, noun, counted = [], self.data.kind.rows, counting(self.data)
        if self.split is not None:
            train, test = map(len, self.split)
            notes.append(f"{train:,} training and {test:,} test {noun}.")
        if self.data.group_names is not None:
            groups = count(len(self.data.group_names), "group")
            notes.append(f"{groups} of {noun} that belong together.")
        if counted:
            notes.append(f"{capital(counted)}.")
        return tuple(notes)


@dataclass(frozen=True, eq=False)
class FindingsDisplay(Display):
    """What makes scores on the data doubtful, and what was decided when they were read."""

    title: ClassVar[str] = "Findings"
    made_by: ClassVar[str] = "data.findings"
    is_tabulated: ClassVar[bool] = False

    data: Dataset
    split: Split | None = None

    @cached_property
    def findings(self) -> tuple[DataFinding, ...]:
        """What the data checks find; nothing if no test set can be drawn."""
        try:
            return data_checks(self.data, self.split or split_rows(self.data))
        except DataError:  # a comparison says why by itself
            return ()

    def finding(self) -> str:
        """State what biases the scores, if anything."""
        if not self.findings:
            return "The data checks found nothing that biases the scores."
        return f"Findings: {' '.join(finding.sentence for finding in self.findings)}"

    def frame(self) -> pd.DataFrame:
        """Return a line for each finding of the checks and each note of the import."""
        lines: list[tuple[str, str, str]] = [(f.code, f.where, f.sentence) for f in self.findings]
        lines += [(notice.code, notice.where, str(notice)) for notice in self.data.notices]
        lines += [("skipped", file.name, file.reason) for file in self.data.skipped]
        return pd.DataFrame(lines, columns=["code", "where", "what"])

    def notes(self) -> tuple[str, ...]:
        """Return the notes of the import."""
        left_out = [f"{file.name} was left out: {file.reason}" for file in self.data.skipped]
        return (*map(str, self.data.notices), *left_out)


@dataclass(frozen=True, eq=False)
class TrueParametersDisplay(Display):
    """The distribution that generated data were drawn from, and its Bayes error."""

    title: ClassVar[str] = "True parameters"
    made_by: ClassVar[str] = "data.true_parameters"

    data: Dataset

    @property
    def truth(self) -> TrueParameters:
        """The distribution.

        Raises
        ------
        DataError
            If the data were not generated.
        """
        if self.data.truth is None:
            raise DataError("The true parameters are unknown.", where=self.data.name)
        return self.data.truth

    def finding(self) -> str:
        """Return the Bayes error, and what else was asked for."""
        shares = {"outliers": self.truth.outliers, "wrong labels": self.truth.label_noise}
        phrases = [
            f"{percent(share, 0)} {contamination}"
            for contamination, share in shares.items()
            if share
        ]
        request = f"Requested besides: {' and '.join(phrases)}." if phrases else ""
        known = BayesClassifier(self.truth.means, self.truth.covariances, priors=self.truth.priors)
        try:
            error = bayes_error(known, standard_error=_STANDARD_ERROR)
        except ValueError:
            # A singular covariance: the classes lie on lines, and there is no density.
            return request
        return f"{_least_error(error)} {request}".strip()

    def frame(self) -> pd.DataFrame:
        """Return a line for each class: share, means, variances and covariances."""
        lines, names = [], self.data.feature_names
        for k, label in enumerate(self.data.classes):
            line = {"class": str(label), "share": self.truth.priors[k]}
            line |= {f"mean of {name}": self.truth.means[k, i] for i, name in enumerate(names)}
            for i, name in enumerate(names):
                for j in range(i + 1):
                    column = (
                        f"covariance of {names[j]}, {name}" if i != j else f"variance of {name}"
                    )
                    line[column] = self.truth.covariances[k, i, j]
            lines.append(line)
        return pd.DataFrame(lines)

    def table(self) -> pd.DataFrame:
        """Return the same with three decimals."""
        return self.frame().round(3)

    def plot(self) -> go.Figure | None:
        """Return the rows in the first two features."""
        if self.data.n_features < 2:
            return None
        return plots.scatter(
            self.data.X[:, :2],
            self.data.codes,
            self.data.classes,
            self.data.feature_names[:2],
            noun=self.data.kind.rows,
            title=f"The {self.data.kind.rows} in the first two features",
            ellipses=True,
        )


def _least_error(error: ExpectedLoss) -> str:
    """State the Bayes error, however small."""
    if error.value == 0 and error.standard_error:
        return (
            f"No error was found among the rows drawn from these Gaussians ({error.method}): a "
            "classifier can be nearly perfect."
        )
    share = 100 * error.value
    if share >= 0.1:
        value = percent(error.value, 2)
    elif share >= 1e-10:
        value = percent(error.value, 1 - math.floor(math.log10(share)))
    else:
        return f"A classifier can be nearly perfect on these Gaussians ({error.method})."
    least = "estimated" if error.standard_error else "exact"
    return f"No classifier has an error below {value} on these Gaussians ({least}: {error.method})."
