"""`ScoreFunctions`: a fitted model as functions of the raw columns of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from lincore.limits import LIMITS
from lincore.metrics.curves.operating_point import OperatingPoint
from lincore.utils.typing import Array

#: Output of a model: the softmax of the functions (posteriors), the functions themselves, or votes
#: of pairs of classes.
Link = Literal["softmax", "scores", "votes"]
InputKind = Literal["number", "missing", "levels"]


class Input(NamedTuple):
    """A number derived from one raw column.

    Attributes
    ----------
    column : str
    kind : {"number", "missing", "levels"}
        The column's number; or 1 if it is missing, else 0; or 1 if the column's category is among
        `levels`, else 0.
    fill : float, optional
        For numbers: the value that replaces missing ones; None if the model accepts none.
    levels : tuple of str
        For categories.
    is_complement : bool
        For categories: 1 if the level is not among `levels`, such as a level not seen in training.
    counts_missing : bool
        For categories: whether a missing value gives 1.
    """

    column: str
    kind: InputKind = "number"
    fill: float | None = None
    levels: tuple[str, ...] = ()
    is_complement: bool = False
    counts_missing: bool = False

    @property
    def has_cut_levels(self) -> bool:
        """True if a level has the maximum length, so that texts must be cut before comparing."""
        return any(len(level) >= LIMITS.max_label_chars for level in self.levels)


class ScoreFunction(NamedTuple):
    """The function ``constant + linear @ d + sum(weight * (directions @ d - shift)**2)``.

    d are the inputs minus their origin. For a Gaussian class the squares sum to the Mahalanobis
    distance; in this form they lose no digits, unlike an expanded quadratic form.

    Attributes
    ----------
    constant : float
    linear : ndarray of shape (q,)
    weight : ndarray of shape (r,)
    directions : ndarray of shape (r, q)
    shift : ndarray of shape (r,)
    """

    constant: float
    linear: Array
    weight: Array
    directions: Array
    shift: Array

    @classmethod
    def affine(cls, constant: float, linear: Array) -> ScoreFunction:
        """Return a function without squares."""
        return cls(float(constant), linear, np.empty(0), np.empty((0, len(linear))), np.empty(0))

    @property
    def is_linear(self) -> bool:
        """True if there are no squares."""
        return not len(self.weight)

    def values(self, deviations: Array) -> Array:
        """Return the function at inputs minus the origin (n, q), shape (n,)."""
        squares = (deviations @ self.directions.T - self.shift) ** 2
        return np.asarray(self.constant + deviations @ self.linear + squares @ self.weight)

    def less(self, other: ScoreFunction) -> ScoreFunction:
        """Return the difference of two functions."""
        return ScoreFunction(
            self.constant - other.constant,
            self.linear - other.linear,
            np.concatenate([self.weight, -other.weight]),
            np.vstack([self.directions, other.directions]),
            np.concatenate([self.shift, other.shift]),
        )

    def pulled_back(self, matrix: Array) -> ScoreFunction:
        """Return this function of ``d @ matrix`` as a function of d; (q,) is a diagonal matrix."""
        if matrix.ndim == 1:
            return self._replace(linear=matrix * self.linear, directions=self.directions * matrix)
        return self._replace(linear=matrix @ self.linear, directions=self.directions @ matrix.T)

    def moved(self, step: Array) -> ScoreFunction:
        """Return the same function relative to an origin moved by `step` (q,)."""
        return self._replace(
            constant=float(self.constant + self.linear @ step),
            shift=self.shift - self.directions @ step,
        )


@dataclass(frozen=True, eq=False)
class ScoreFunctions:
    """A fitted model in the columns and units of the file, the basis of all exports.

    Includes the preparation: imputation, one-hot encoding, standardisation, principal components
    and bases of degree two.

    Attributes
    ----------
    label : str
        Name of the model.
    data_name, digest, target_name : str
        Properties of the training data.
    columns : tuple of p str
        The raw columns.
    classes : tuple of K (str or int)
        Without classes that cannot be predicted, such as those with prior zero.
    link : {"softmax", "scores", "votes"}
        Posteriors are the softmax of the functions; or the functions are decision scores without
        posteriors; or each function decides between a pair of classes.
    inputs : tuple of q Input
    origin : ndarray of shape (q,)
        Subtracted from the inputs.
    functions : tuple of ScoreFunction
        One per class or per pair.
    pairs : tuple of (int, int)
        For "votes": the class predicted if the function is not positive, and the class predicted
        if it is.
    operating_point : OperatingPoint, optional
        How posteriors decide, if not for the largest one.
    abstains_below : float, optional
        Largest posterior below which no class is predicted (Chow's rule). Default: never.

    Examples
    --------
    >>> import lincore
    >>> model = lincore.compare(lincore.sample("iris"), "lda", keep_models=True).model("lda")
    >>> functions = lincore.export.score_functions(model)
    >>> functions.link, functions.classes, functions.n_terms
    ('softmax', ('setosa', 'versicolor', 'virginica'), 15)
    """

    label: str
    data_name: str
    digest: str
    target_name: str
    columns: tuple[str, ...]
    classes: tuple[Any, ...]
    link: Link
    inputs: tuple[Input, ...]
    origin: Array
    functions: tuple[ScoreFunction, ...]
    pairs: tuple[tuple[int, int], ...] = ()
    operating_point: OperatingPoint | None = None
    abstains_below: float | None = None

    @property
    def has_probabilities(self) -> bool:
        """True if the model has posteriors."""
        return self.link == "softmax"

    @property
    def value_names(self) -> tuple[str, ...]:
        """Names of the K outputs: "P(yes)" or "score(yes)"."""
        word = "P" if self.has_probabilities else "score"
        return tuple(f"{word}({label})" for label in self.classes)

    @property
    def n_terms(self) -> int:
        """Number of nonzero coefficients, including constants."""
        return sum(
            1
            + int(np.count_nonzero(function.linear))
            + int(np.count_nonzero(function.directions))
            + len(function.shift)
            for function in self.functions
        )
