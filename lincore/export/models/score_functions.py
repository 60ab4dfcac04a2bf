"""`ScoreFunctions`: a fitted model as functions of the raw columns of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from lincore.limits import LIMITS
from lincore.utils.typing import Array

#: From the scores to what a model returns: the softmax of scores (posteriors), the scores
#: themselves, or the votes of pairs of classes.
Link = Literal["softmax", "scores", "votes"]
InputKind = Literal["number", "missing", "levels"]


class Input(NamedTuple):
    """A number derived from one raw column.

    Attributes
    ----------
    column : str
    kind : {"number", "missing", "levels"}
        The column's number; one where its number is missing, else zero; one where its category
        is among some levels, else zero.
    fill : float, optional
        Of a number, its value where it is missing; None where the model takes no gaps.
    levels : tuple of str
        Of a category.
    is_complement : bool
        Of a category, whether it counts where the level is none of `levels`, as one that no
        training row had.
    counts_missing : bool
        Of a category, whether it counts where the value is missing.
    """

    column: str
    kind: InputKind = "number"
    fill: float | None = None
    levels: tuple[str, ...] = ()
    is_complement: bool = False
    counts_missing: bool = False

    @property
    def has_cut_levels(self) -> bool:
        """True if a level is as long as a level can be, so that texts are cut before comparing."""
        return any(len(level) >= LIMITS.max_label_chars for level in self.levels)


class ScoreFunction(NamedTuple):
    """The function ``constant + linear @ d + sum(weight * (directions @ d - shift)**2)``.

    d being the inputs less their origin. Of a Gaussian class the squares are the Mahalanobis
    distance, coordinate by coordinate: written so they lose no digits, as a quadratic form would.

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
        """Return the function at inputs less the origin, (n, q), shape (n,)."""
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
        """Return the function of d that this one is of ``d @ matrix``; (q,) is a diagonal."""
        if matrix.ndim == 1:
            return self._replace(linear=matrix * self.linear, directions=self.directions * matrix)
        return self._replace(linear=matrix @ self.linear, directions=self.directions @ matrix.T)

    def moved(self, step: Array) -> ScoreFunction:
        """Return the same function of inputs less an origin that lies `step` (q,) further."""
        return self._replace(
            constant=float(self.constant + self.linear @ step),
            shift=self.shift - self.directions @ step,
        )


@dataclass(frozen=True, eq=False)
class ScoreFunctions:
    """A fitted model in the columns and units of the file, the basis of every rendering.

    Preparation is folded in: imputation, one-hot coding, standardising, principal components and
    bases of degree two.

    Attributes
    ----------
    label : str
        What the model is called.
    data_name, digest, target_name : str
        Of the data that it was fitted on.
    columns : tuple of p str
        The raw columns.
    classes : tuple of K (str or int)
        Classes that no row can get, as those of prior zero, are left out.
    link : {"softmax", "scores", "votes"}
        Posteriors are the softmax of the functions; or the model has none, and the functions are
        its decision scores; or each function speaks for one of a pair of classes.
    inputs : tuple of q Input
    origin : ndarray of shape (q,)
        What is subtracted from the inputs.
    functions : tuple of ScoreFunction
        One for each class, or for each pair.
    pairs : tuple of (int, int)
        With "votes", the class that a function speaks against and the one that it speaks for.

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

    @property
    def has_probabilities(self) -> bool:
        """True if the model has posteriors."""
        return self.link == "softmax"

    @property
    def value_names(self) -> tuple[str, ...]:
        """Names of the K numbers of a row: "P(yes)", or "score(yes)"."""
        word = "P" if self.has_probabilities else "score"
        return tuple(f"{word}({label})" for label in self.classes)

    @property
    def n_terms(self) -> int:
        """Number of coefficients that are not zero, constants included."""
        return sum(
            1
            + int(np.count_nonzero(function.linear))
            + int(np.count_nonzero(function.directions))
            + len(function.shift)
            for function in self.functions
        )
