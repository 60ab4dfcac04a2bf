"""The perceptron: an update of the separating plane for every misclassified row."""

from __future__ import annotations

import time
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lincore.estimators._perceptron_epochs import SparseStepRows, StepRows, Walk
from lincore.estimators.base.class_weights import ClassWeight, weighted_rows
from lincore.estimators.base.linear import LinearClassifier, WithoutProbabilities
from lincore.estimators.base.moment_classifier import summarise
from lincore.estimators.base.validation import LabelledRows, require_number, validate_rows
from lincore.estimators.logistic.conditioning import sparse_centre_and_scale
from lincore.linalg.covariance import deviations
from lincore.linalg.optimize import OptimizerStep, should_continue
from lincore.utils.atomic import atomic
from lincore.utils.formatting import count
from lincore.utils.thread_warnings import warn


class Perceptron(WithoutProbabilities, LinearClassifier):
    """Perceptron rule, applied row by row: ``w += eta * (d - y) * x``.

    With the true side d = ±1 and the predicted side y = ±1, only misclassified rows change the
    weights. With more than two classes, each has its own weights: a misclassified row is added to
    the weights of its class and subtracted from those of the strongest rival, which for two classes
    is the formula above. The weights start at zero, and a tie counts as a mistake.

    If a plane separates the classes, it finds such a plane (not the best one) after at most (R/γ)²
    mistakes, see `mistake_bound`; otherwise it never converges, and warns.

    Parameters
    ----------
    eta : float, default 1.0
        Step length, > 0. Because the weights start at zero, it only scales them.
    weights : {"last", "pocket", "averaged"}, default "last"
        Which weights to keep. "last": the final ones. "pocket": those with the fewest training
        errors among the ones with the longest runs without a mistake or at the end of an epoch.
        "averaged": the mean over all visits of rows. The last two are for classes that are not
        linearly separable; the average may misclassify rows that the last weights classify
        correctly.
    max_epochs : int, default 100
        Maximum number of visits to each row.
    tol : float, default 1e-3
        Stop when an epoch changes the weights by less than ``tol * eta`` in total.
    standardize : bool, default True
        Use standardised features (the coefficients refer to the original features). Sparse rows are
        divided by the root mean square of each feature but not centred, to keep zeros. Without it,
        R/γ is huge far from the origin or with unequal units. With False the steps are exactly
        those of the texts.
    shuffle : bool, default True
        Visit the rows in a new random order in every epoch; with False in the given order.
    random_state : int, RandomState or None
        For shuffling.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, which multiply the sample weights; see
        `lincore.estimators.base.class_weights.class_weights`. They multiply eta.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    coef_ : ndarray of shape (K, p), or (1, p) for two classes
        For two classes w.
    intercept_ : ndarray of shape (K,), or (1,) for two classes
    mistakes_ : ndarray of shape (n_iter_,)
        Number of mistakes in each epoch.
    n_updates_ : int
        Total number of mistakes.
    n_iter_ : int
        Epochs.
    converged_ : bool
        Whether the last epoch had no mistakes, so that the last weights separate the training rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Only if X is a DataFrame with string column names.

    Notes
    -----
    ``sample_weight`` multiplies eta, and errors in the count for the pocket; rows of weight zero
    are ignored. A weight of 2 is not equivalent to two visits: the second one may not be a mistake.

    References
    ----------
    "prml-chapter-4-in-r", section 4.1.7, which starts at random weights;
    "lecture-linear-classifiers", "Computing Lab" (the Simplitron); Bishop (2006), eq. 4.55;
    Gallant (1990), "Perceptron-based learning algorithms" (pocket); Freund and Schapire (1999),
    "Large margin classification using the perceptron algorithm" (averaging).

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> both = Perceptron(standardize=False, shuffle=False).fit(X, [-1, -1, -1, 1])
    >>> both.coef_, both.intercept_, both.mistakes_
    (array([[6., 4.]]), array([-8.]), array([2, 3, 3, 2, 2, 3, 2, 1, 0]))
    """

    _sparse = True

    def __init__(
        self,
        eta: float = 1.0,
        *,
        weights: Literal["last", "pocket", "averaged"] = "last",
        max_epochs: int = 100,
        tol: float = 1e-3,
        standardize: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.eta = eta
        self.weights = weights
        self.max_epochs = max_epochs
        self.tol = tol
        self.standardize = standardize
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Finite numbers; uint8 and float32 are used without a float64 copy, and sparse rows stay
            sparse.
        y : array-like of shape (n,)
            Labels of any type, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Multiplies eta.

        Raises
        ------
        ValueError
            If input is not finite, there are fewer than two classes, or options are invalid.

        Warns
        -----
        ConvergenceWarning
            If the last epoch still had mistakes.
        """
        self._check_options()
        labelled = validate_rows(self, X, y, sample_weight, accept_sparse="csr")
        present, rows = self._rows(weighted_rows(self, labelled))
        if len(present) < 2:
            raise ValueError(
                f"A classifier needs rows of at least two classes; got {len(present)} class."
            )
        start = np.zeros((len(present), 1 + self.n_features_in_))
        walk = Walk(rows, start, self.weights == "pocket")
        self.mistakes_ = self._walk(walk, np.flatnonzero(rows.steps > 0))
        self.n_iter_, self.n_updates_ = len(self.mistakes_), int(self.mistakes_.sum())
        self.converged_ = bool(self.mistakes_[-1] == 0)
        self._keep(walk, present)
        if not self.converged_:
            warn(self._complaint(), ConvergenceWarning, stacklevel=3)
        return self

    def _rows(self, labelled: LabelledRows) -> tuple[NDArray[np.intp], StepRows]:
        """Return the classes that have rows, and the rows in the form to be visited."""
        X, codes, weight = labelled
        if weight is not None and not weight.all():
            X, codes, weight = X[weight > 0], codes[weight > 0], weight[weight > 0]
        present, codes = np.unique(codes, return_inverse=True)
        steps = np.full(len(codes), float(self.eta)) if weight is None else self.eta * weight
        origin, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        if sp.issparse(X):
            if self.standardize:
                spread = sparse_centre_and_scale(X, weight, intercept=False)[1]
                scale = np.where(np.isfinite(spread), spread, 1.0)
            return present, SparseStepRows(X, codes, steps, origin, scale)
        total = summarise(X, np.zeros_like(codes), 1, weight, diagonal=True)[0]
        if self.standardize:
            origin, scale = total.mean, deviations(total.scatter / total.count)
        return present, StepRows(X, codes, steps, origin, scale)

    def _walk(self, walk: Walk, order: NDArray[np.intp]) -> NDArray[np.intp]:
        random = check_random_state(self.random_state)
        mistakes, began = [], time.perf_counter()
        for _ in range(self.max_epochs):
            before = walk.weights.copy()
            mistakes.append(walk.epoch(random.permutation(order) if self.shuffle else order))
            if np.linalg.norm(walk.weights - before) < self.tol * self.eta or not mistakes[-1]:
                break
            seconds = time.perf_counter() - began
            step = OptimizerStep(len(mistakes), float(mistakes[-1]), np.nan, self.eta, seconds)
            if not should_continue(step, self.max_epochs):
                break
        return np.array(mistakes)

    def _keep(self, walk: Walk, present: NDArray[np.intp]) -> None:
        """Convert the chosen weights to the units of the features."""
        if self.weights == "averaged":
            chosen = walk.average()
        else:
            chosen = walk.pocket if self.weights == "pocket" else walk.weights
        coef = np.zeros((len(self.classes_), self.n_features_in_))
        # A class without rows is never predicted.
        intercept = np.full(len(self.classes_), -np.inf)
        coef[present] = chosen[:, 1:] / walk.rows.scale
        intercept[present] = chosen[:, 0] - coef[present] @ walk.rows.origin
        self._set_linear(coef, intercept)

    def _complaint(self) -> str:
        return (
            f"The perceptron did not converge: the last of {self.n_iter_} epochs still had "
            f"{count(int(self.mistakes_[-1]), 'mistake')}. If the classes are not linearly "
            "separable, it never converges: use weights='pocket' or 'averaged', or another "
            f"classifier. Otherwise it needs more than max_epochs={self.max_epochs}."
        )

    def _check_options(self) -> None:
        if self.weights not in ("last", "pocket", "averaged"):
            raise ValueError(
                f"weights must be 'last', 'pocket' or 'averaged', got {self.weights!r}."
            )
        for name in ("eta", "tol"):
            require_number(name, getattr(self, name))
        if not (np.isfinite(self.eta) and self.eta > 0):
            raise ValueError(f"eta must be a finite number > 0, got {self.eta!r}.")
        if not self.tol >= 0:
            raise ValueError(f"tol must be a number >= 0, got {self.tol!r}.")
        if not isinstance(self.max_epochs, (int, np.integer)) or self.max_epochs < 1:
            raise ValueError(f"max_epochs must be an integer >= 1, got {self.max_epochs!r}.")


def mistake_bound(X: ArrayLike, y: ArrayLike, coef: ArrayLike, intercept: ArrayLike) -> float:
    """Return (R/γ)², an upper bound on the total number of mistakes.

    R is the length of the longest x̃ = (1, x) and γ the smallest distance, in the space of x̃, of a
    row from a separating plane. Any such plane gives a bound; the maximum-margin plane gives the
    smallest. For more than two classes it is 2R²/γ², where γ is the smallest margin of the true
    class over a rival in units of ‖W‖.
    """
    rows = np.column_stack([np.ones(len(np.asarray(X))), np.asarray(X, dtype=float)])
    W = np.column_stack([np.ravel(intercept), np.atleast_2d(np.asarray(coef, dtype=float))])
    if len(W) == 1:
        W = np.vstack([-W, W]) / 2
    codes = np.unique(y, return_inverse=True)[1]
    scores = rows @ (W / np.linalg.norm(W)).T
    own = scores[np.arange(len(rows)), codes]
    scores[np.arange(len(rows)), codes] = -np.inf
    margin = (own - scores.max(axis=1)).min()
    return float(2 * (rows**2).sum(axis=1).max() / margin**2) if margin > 0 else np.inf
