"""Multinomial naive Bayes: documents as word counts."""

from __future__ import annotations

from functools import partial
from operator import add
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.utils.validation import check_is_fitted, check_non_negative

from lincore.data.blocks import RowBlock
from lincore.estimators.base.class_weights import ClassWeight, class_weights
from lincore.estimators.base.linear import LinearClassifier, SoftmaxPosterior
from lincore.estimators.base.moment_classifier import Priors, class_priors
from lincore.estimators.base.validation import (
    is_first_call,
    require_classes,
    require_number,
    validate_rows,
)
from lincore.estimators.logistic.loss import OverBlocks
from lincore.linalg.products import blocked_product
from lincore.linalg.quadric import Quadric
from lincore.moments.moments import BLOCK_VALUES, Moments
from lincore.utils.atomic import atomic
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.typing import Array


class MultinomialNB(SoftmaxPosterior, LinearClassifier):
    """Words drawn independently, with class-specific probabilities.

    The score of class k is ``log p(y=k) + Σᵢ x⁽ⁱ⁾ log p(i|k)``, linear in the counts x, with
    ``p(i|k) = (N_ki + alpha) / (N_k + alpha p)``: N_ki is the count of word i in class k, N_k the
    total count of class k. The multinomial coefficient is the same for all classes and omitted.

    Parameters
    ----------
    alpha : float, default 1.0
        Pseudo-count added to every word in every class; >= 0. With 0, the lecture's unsmoothed
        estimate, a single word that never occurs in a class excludes that class.
    priors : array-like of shape (K,), mapping, "equal" or "all", optional
        Probabilities of the classes, in the order of `classes_` or by label; default: their
        shares of the rows.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, which multiply the sample weights; see
        `lincore.estimators.base.class_weights.class_weights`. They change estimated priors, but not
        given `priors`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    priors_ : ndarray of shape (K,)
    class_log_prior_ : ndarray of shape (K,)
        Logarithms of the priors; minus infinity for a class without rows.
    class_count_ : ndarray of shape (K,)
        Rows, or total weight, of each class, including class weights (also in N_ki).
    feature_count_ : ndarray of shape (K, p)
        N_ki.
    feature_log_prob_ : ndarray of shape (K, p)
        log p(i|k), natural; minus infinity for a probability of zero.
    coef_ : ndarray of shape (K, p), or (1, p) for two classes
        `feature_log_prob_`, but zero for words that occur in no class; for two classes the
        difference.
    intercept_ : ndarray of shape (K,), or (1,) for two classes
        ``log p(y=k)``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Only if X is a DataFrame with string column names.

    Notes
    -----
    With ``alpha=0`` a word that occurs in no class is ignored, and in a class without words all
    words have equal probability. The posterior is the limit for alpha to 0, so it is also defined
    for a row that all classes exclude: then the classes with the fewest impossible occurrences win.
    `decision_function` is minus infinity for the others.

    References
    ----------
    "lecture-linear-classifiers", "Discrete Input Variable" and "Naïve Bayes".

    Examples
    --------
    Words to, be, or, not, question, and the lecture's document "to be or not to be":

    >>> X = [[3, 2, 1, 1, 0], [1, 2, 1, 0, 1], [1, 1, 1, 1, 4], [0, 1, 0, 1, 2]]
    >>> model = MultinomialNB(alpha=0).fit(X, ["ham", "ham", "spam", "spam"])
    >>> to, be, or_, not_, question = np.exp(model.feature_log_prob_).T  # each of ham, spam
    >>> to.round(4), be.round(4)  # 4 and 4 of the 12 words in ham, 1 and 2 of the 12 in spam
    (array([0.3333, 0.0833]), array([0.3333, 0.1667]))
    >>> joint = to**2 * be**2 * or_ * not_ * model.priors_  # the lecture's formula
    >>> joint / joint.sum()
    array([0.9846..., 0.0153...])
    >>> model.predict_proba([[2, 2, 1, 1, 0]])
    array([[0.9846..., 0.0153...]])
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        priors: Priors = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.alpha = alpha
        self.priors = priors
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        """Declare that counts may be sparse and are not negative."""
        # So scikit-learn's check suite skips accuracy checks on data that are not counts.
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to counts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Counts >= 0 of any numeric type, whole or not.
        y : array-like of shape (n,)
            Labels of any type, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            A row of weight w counts as w copies of itself, in the priors too.

        Raises
        ------
        ValueError
            If counts are negative or not finite, there are fewer than two classes, or options are
            invalid.
        """
        return self._count(X, y, sample_weight, None, first=True, fewest_classes=2)

    @atomic
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update with more rows; the result does not depend on the batches.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like of shape (K,), optional
            All labels that will ever occur; required in the first call. A class without rows so far
            is never predicted, and the rows so far may be of a single class.

        Raises
        ------
        ValueError
            As in `fit`, and for labels that are not among `classes`. Such a batch is ignored as a
            whole.
        """
        return self._count(X, y, sample_weight, classes, first=is_first_call(self, classes))

    @atomic
    def fit_blocks(
        self, over: OverBlocks, moments: Moments, classes: ArrayLike, sample: RowBlock
    ) -> Self:
        """Fit to counts that are not in memory, in one pass over their blocks.

        Parameters
        ----------
        over : OverBlocks
            Iterates over the blocks.
        moments : Moments of shapes (K,), (K, p), (K, p, p)
            Moments of all rows, by class: only their number is used.
        classes : array-like of shape (K,)
            The labels in increasing order, matching the codes.
        sample : RowBlock
            Unused.

        Raises
        ------
        ValueError
            As in `fit`.
        """
        self.classes_, self.n_features_in_ = np.asarray(classes), moments.n_features
        words = over(partial(_counts_of_block, len(self.classes_)), add)
        return self._keep(words, moments.count, fewest_classes=2)

    def discriminants(self) -> list[Quadric]:
        """Return the score of each class as a function of the counts, K planes.

        Raises
        ------
        ValueError
            With ``alpha=0``, if words occur only in some classes: they exclude the others, so the
            boundary is not a plane.
        """
        check_is_fitted(self)
        if not np.isfinite(self.coef_).all():
            number = int(np.count_nonzero(~np.isfinite(self.coef_).all(axis=0)))
            words, verb = ("1 word", "is") if number == 1 else (f"{number:,} words", "are")
            raise ValueError(
                f"Without smoothing (alpha = 0) {words} that {verb} absent from a class "
                f"exclude{'s' * (number == 1)} it, however often the others occur, so the boundary "
                f"is not a plane. Choose an alpha above zero."
            )
        return super().discriminants()

    def decision_function(self, X: ArrayLike) -> Array:
        """Score rows (n, p); shape (n, K), or (n,) for two classes: the second minus the first."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Return the logarithms of the posterior probabilities, shape (n, K)."""
        return np.asarray(log_softmax(self._scores(X), axis=1))

    _counted: tuple[Array, Array]

    def _count(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        classes: ArrayLike | None,
        first: bool,
        fewest_classes: int = 1,
    ) -> Self:
        rows, codes, weight = validate_rows(
            self, X, y, sample_weight, classes=classes, reset=first, accept_sparse="csr"
        )
        check_non_negative(rows, "MultinomialNB")
        n_classes = len(self.classes_)
        words = _counts_by_class(rows, codes, n_classes, weight)
        documents = np.bincount(codes, weight, minlength=n_classes).astype(np.float64)
        if not first:
            words, documents = self._counted[0] + words, self._counted[1] + documents
        return self._keep(words, documents, fewest_classes)

    def _keep(self, words: Array, documents: Array, fewest_classes: int) -> Self:
        # Unweighted counts: "balanced" weights depend on later batches.
        self._counted = words, documents
        by_class = class_weights(self.class_weight, self.classes_, documents)
        if by_class is not None:
            words, documents = words * by_class[:, None], documents * by_class
        require_classes(documents, fewest_classes)
        return self._solve(words, documents)

    def _solve(self, words: Array, documents: Array) -> Self:
        require_number("alpha", self.alpha)
        if not np.isfinite(self.alpha) or self.alpha < 0:
            raise ValueError(f"alpha must be a finite number >= 0, got {self.alpha!r}.")
        self.priors_ = class_priors(documents, self.priors, self.classes_)
        self.feature_count_, self.class_count_ = words, documents
        smooth = words + self.alpha
        # The limit for alpha to 0 for a class without words.
        smooth[~smooth.any(axis=1)] = 1.0
        possible = smooth > 0
        with np.errstate(divide="ignore"):
            self.feature_log_prob_ = np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True))
            self.class_log_prior_ = np.log(self.priors_)
        known = (words > 0).any(axis=0) | (self.alpha > 0)
        self._set_linear(np.where(known, self.feature_log_prob_, 0.0), self.class_log_prior_)
        self._impossible = np.where(known, ~possible, False).astype(np.float64)
        # log(alpha / N_k) minus log(alpha): the limit for an impossible word.
        rest = -np.log(smooth.sum(axis=1, keepdims=True))
        self._finite = np.where(possible, self.feature_log_prob_, rest) * known
        return self

    def _set_linear(self, coef: Array, intercept: Array) -> None:
        with np.errstate(invalid="ignore"):
            super()._set_linear(coef, intercept)
        # Words that are impossible in both do not discriminate.
        self.coef_ = np.where(np.isnan(self.coef_), 0.0, self.coef_)

    def _scores(self, X: ArrayLike) -> Array:
        """Return the log joint probabilities (n, K); at least one per row is finite."""
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False, accept_sparse="csr")
        check_non_negative(rows, "MultinomialNB")
        scores = _product(rows, self._finite.T) + self.class_log_prior_
        if self._impossible.any():
            excluded = _product(rows, self._impossible.T)
            excluded[:, self.priors_ == 0] = np.inf
            fewest = excluded.min(axis=1, keepdims=True)
            # Fractions summed in another order may differ by rounding.
            scores[excluded > fewest * (1 + 1e-12)] = -np.inf
        return scores


def _product(rows: Any, matrix: Array) -> Array:
    """Return dense or sparse rows (n, p) times a matrix (p, q) in float64."""
    return blocked_product(rows.astype(np.float64) if sp.issparse(rows) else rows, matrix)


def _counts_of_block(n_classes: int, block: RowBlock) -> Array:
    check_non_negative(block.X, "MultinomialNB")
    return _counts_by_class(block.X, block.codes, n_classes, block.weight)


def _counts_by_class(
    rows: Any, codes: NDArray[np.intp], n_classes: int, weight: Array | None
) -> Array:
    """Add up the rows of each class, shape (K, p)."""
    n = len(codes)
    weight = np.ones(n) if weight is None else weight
    members = sp.csr_array((weight, (codes, np.arange(n))), shape=(n_classes, n))
    if sp.issparse(rows):
        return np.asarray((members @ rows.astype(np.float64)).toarray())
    counts = np.zeros((n_classes, rows.shape[1]))
    length = max(1, BLOCK_VALUES // rows.shape[1])
    for start in range(0, n, length):
        block = slice(start, start + length)
        counts += members[:, block] @ rows[block].astype(np.float64)
    return counts
