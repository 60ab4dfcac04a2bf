"""Moments of cross-validation folds behind PCA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.splits import Fold
from lincore.model_selection.fold_moments import part_of_rows
from lincore.model_selection.pipeline import Steps
from lincore.moments.integer_products import are_small
from lincore.moments.moments import Moments, leave_one_out
from lincore.moments.two_way import margins
from lincore.preprocessing.pca import FEW_AXES, MANY_FEATURES
from lincore.utils.threads import part_mapper
from lincore.utils.typing import Array, Rows

# How many times the variance that is left may be taken away, in any direction: subtraction then
# loses two of the sixteen digits.
MOST_TAKEN = 100.0


class Remainder(NamedTuple):
    """The training rows of one fold, as all rows without the tested ones.

    Attributes
    ----------
    pooled : Moments of shapes (), (p,), (p, p)
        Of the training rows, by merging.
    whole : Moments of shapes (K,), (K, p), (K, p, p)
        Of all rows by class.
    """

    pooled: Moments
    whole: Moments

    def behind(
        self, preprocessor: Sequence[tuple[str, Any]], rows: NDArray[Any], codes: Rows
    ) -> tuple[Moments | None, Array]:
        """Fit steps to the training rows, and put training and test rows through them.

        Parameters
        ----------
        preprocessor : sequence of (name, step)
            Steps that are solved from moments.
        rows : (m, p) array
            To test on.
        codes : ndarray of shape (m,)

        Returns
        -------
        Moments or None
            Of the training rows by class behind the steps; None where `without` has none.
        ndarray of shape (m, q)
            The test rows behind the steps.
        """
        pooled, whole = self
        for i, (_, step) in enumerate(preprocessor):
            if i:
                pooled = preprocessor[i - 1][1].map_moments(pooled)
            step.fit_moments(pooled)
            whole, rows = step.map_moments(whole), step.map_rows(rows)
        return without(whole, Moments.from_groups(rows, codes, len(whole))), rows


def is_worthwhile(
    X: NDArray[Any], codes: Rows, n_classes: int, plan: Sequence[Fold], steps: Steps
) -> bool:
    """Tell whether `remainders` serve better than leaving parts out of every class.

    They do for images: few components of many whole numbers, where every class has so many more
    training rows than there are components that subtraction can be trusted.
    """
    q, n_features = steps.n_components, X.shape[1]
    if not isinstance(q, (int, np.integer)) or q > FEW_AXES * n_features:
        return False
    if n_features < MANY_FEATURES or not are_small(X.dtype):
        return False
    counts = [np.bincount(codes[fold.train], minlength=n_classes).min() for fold in plan]
    return bool(min(counts) > 2 * q)


def remainders(
    X: NDArray[Any], codes: Rows, n_classes: int, plan: Sequence[Fold]
) -> list[Remainder]:
    """Return the training rows of every fold, from one pass over all rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Small whole numbers.
    codes : ndarray of shape (n,)
    n_classes : int
    plan : sequence of Fold
        Each trains on all rows that it does not test.
    """
    part = part_of_rows(plan, len(codes))
    by_part, by_class = margins(X, part, codes, len(plan) + 1, n_classes)
    n_parts = len(plan) + int(by_part.count[-1] > 0)
    with part_mapper(X.size) as mapper:
        pooled = leave_one_out(by_part[:n_parts], overwrite=True, mapper=mapper)
    return [Remainder(training, by_class) for training in pooled[: len(plan)]]


def without(whole: Moments, part: Moments) -> Moments | None:
    """Take some rows away, group by group; None where that would lose digits.

    Parameters
    ----------
    whole, part : Moments of shapes (K,), (K, q), (K, q, q)
        The rows of the part are among those of the whole.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> whole, part = (Moments.from_groups(x, np.zeros(len(x), int), 1) for x in (X, X[3:]))
    >>> left = without(whole, part)
    >>> left.count, left.mean, left.scatter
    (array([3.]), array([[1.]]), array([[[2.]]]))
    """
    count = whole.count - part.count
    if count.min() <= whole.n_features:
        return None
    delta = part.mean - whole.mean
    step = np.sqrt(part.count * whole.count / count)[:, None] * delta
    taken = part.scatter + step[:, :, None] * step[:, None, :]
    scatter = whole.scatter - taken
    try:
        np.linalg.cholesky(scatter)
        share = np.trace(np.linalg.solve(scatter, taken), axis1=1, axis2=2)
    except np.linalg.LinAlgError:
        return None
    if not (share <= MOST_TAKEN).all():
        return None
    mean = whole.mean - (part.count / count)[:, None] * delta
    return Moments(count, mean, scatter)
