"""Stepwise selection of features by Wilks' lambda, from scatter matrices alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from lincore.linalg.covariance import deviations
from lincore.moments.moments import Moments
from lincore.utils.typing import Array, Flags

#: Partial F from which a feature enters, and up to which it is removed: the defaults of SPSS.
F_TO_ENTER, F_TO_REMOVE = 3.84, 2.71
#: Least share of a feature's variance within classes that the others must leave (SPSS).
TOLERANCE = 1e-3


class SelectionStep(NamedTuple):
    """A feature that enters or leaves.

    Attributes
    ----------
    feature : int
    enters : bool
    wilks : float
        Wilks' lambda of the selected features after the step.
    F, df1, df2 : float
        Partial F of the feature given the others, and its degrees of freedom.
    """

    feature: int
    enters: bool
    wilks: float
    F: float
    df1: float
    df2: float

    @property
    def p(self) -> float:
        """Upper tail of F, as if the feature had not been selected by it."""
        return float(stats.f.sf(self.F, self.df1, self.df2))


def stepwise_selection(moments: Moments) -> list[SelectionStep]:
    """Return the steps of stepwise discriminant analysis.

    At every step the feature with the least partial F leaves if that is at most 2.71; otherwise the
    one with the largest partial F enters if that is at least 3.84.

    Parameters
    ----------
    moments : Moments
        By class, with full scatters. A row of weight w counts as w rows.

    References
    ----------
    Rencher (2002), "Methods of Multivariate Analysis", sections 6.11.2 and 8.9; Jennrich (1977),
    "Stepwise discriminant analysis".

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> for step in stepwise_selection(Moments.from_groups(iris.X, iris.codes, 3)):
    ...     print(iris.feature_names[step.feature], round(step.wilks, 4), round(step.F, 2))
    petal length (cm) 0.0586 1180.16
    sepal width (cm) 0.0369 43.04
    petal width (cm) 0.025 34.57
    sepal length (cm) 0.0234 4.72
    """
    p, df1 = moments.n_features, float(np.count_nonzero(moments.count) - 1)
    residual = float(moments.count.sum()) - df1 - 1
    # In deviations within classes; a feature that does not vary there has no F.
    scale = deviations(moments.within())
    within, total = (
        scatter / scale / scale[:, None] for scatter in (moments.within(), moments.pooled().scatter)
    )
    varies, chosen = np.diagonal(within) > 0, np.zeros(p, dtype=bool)
    steps: list[SelectionStep] = []
    wilks = 1.0
    while df1 and len(steps) < 2 * p:
        df2 = residual - int(chosen.sum())
        if chosen.any():
            selected = np.flatnonzero(chosen)
            partial = np.diagonal(total)[selected] / np.diagonal(within)[selected]
            least = int(partial.argmax())
            F = _partial_f(partial[least], df1, df2 + 1)
            if F <= F_TO_REMOVE:
                wilks /= partial[least]
                steps.append(
                    SelectionStep(int(selected[least]), False, float(wilks), F, df1, df2 + 1)
                )
                chosen[selected[least]] = False
                for matrix in (within, total):
                    _sweep(matrix, selected[least], -1)
                continue
        eligible = np.flatnonzero(_may_enter(within, varies & ~chosen, chosen))
        if df2 <= 0 or not len(eligible):
            break
        partial = np.diagonal(within)[eligible] / np.diagonal(total)[eligible]
        best = int(partial.argmin())
        F = _partial_f(partial[best], df1, df2)
        if not F >= F_TO_ENTER:
            break
        wilks *= partial[best]
        steps.append(SelectionStep(int(eligible[best]), True, float(wilks), F, df1, df2))
        chosen[eligible[best]] = True
        for matrix in (within, total):
            _sweep(matrix, eligible[best], 1)
    return steps


def _partial_f(wilks: float, df1: float, df2: float) -> float:
    return float((1 - wilks) / wilks * df2 / df1)


def _may_enter(within: Array, candidates: Flags, chosen: Flags) -> Flags:
    """Return the candidates that are no combination of the chosen features, nor make one so."""
    remaining = np.diagonal(within)
    eligible = candidates & (remaining >= TOLERANCE)
    positions = np.flatnonzero(eligible)
    # The inverse of what a chosen feature would keep of its variance.
    inverse = (
        -remaining[chosen, None] + within[np.ix_(chosen, eligible)] ** 2 / remaining[positions]
    )
    eligible[positions] = (inverse <= 1 / TOLERANCE).all(axis=0)
    return eligible


def _sweep(matrix: Array, k: int, sign: int) -> None:
    """Sweep row and column k in place, or with sign -1 undo it."""
    # The diagonal becomes minus the inverse of the swept block, and what the others leave.
    pivot, row = matrix[k, k], matrix[k].copy()
    matrix -= np.outer(row, row / pivot)
    matrix[k] = matrix[:, k] = sign * row / pivot
    matrix[k, k] = -1 / pivot
