"""The Bayes error, and the regret of a classifier against it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from lincore.estimators._quadrature import ACCURACY, SCAN, Rule, integrate_over_lines
from lincore.estimators.bayes import BayesClassifier, KnownClasses
from lincore.linalg.eigenvectors import eigenpairs
from lincore.moments.moments import BLOCK_VALUES, Moments
from lincore.utils.typing import Array, Codes

# With more classes than this, integration along lines is slower than Monte Carlo.
MOST_CLASSES = 20
PILOT = 20_000
MOST_DRAWS = 20_000_000


@dataclass(frozen=True)
class ExpectedLoss:
    """An expected loss, and how it was computed.

    Attributes
    ----------
    value : float
        In the units of the loss matrix; without one, a probability of error.
    standard_error : float
        For Monte Carlo; otherwise 0.
    method : str
        Description of the method.
    """

    value: float
    standard_error: float
    method: str


def bayes_error(
    truth: BayesClassifier, *, standard_error: float = 1e-4, seed: int = 0
) -> ExpectedLoss:
    """Return the minimum expected loss of any classifier: without a loss matrix, the Bayes error.

    Two classes with equal covariances have a closed form; with equal priors it is Φ(-Δ/2) with
    their Mahalanobis distance Δ. In one dimension, and with up to 20 classes in two, it is
    integrated to about 1e-7 (with equal covariances, only the dimensions spanned by the means
    count). Otherwise it is estimated by Monte Carlo.

    Parameters
    ----------
    truth : BayesClassifier
        Fitted or not.
    standard_error : float, default 1e-4
        At which Monte Carlo stops, after at most `MOST_DRAWS` rows.

    Raises
    ------
    ValueError
        As in `BayesClassifier`, for invalid parameters.

    References
    ----------
    Fukunaga (1990), "Introduction to Statistical Pattern Recognition", section 3.2;
    "lda-from-scratch", which starts from the Bayes error.

    Examples
    --------
    >>> bayes_error(BayesClassifier([[0.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]]))
    ExpectedLoss(value=0.1586..., standard_error=0.0, method='closed form')
    """
    known = truth.known_classes()
    if np.allclose(known.covariances, known.covariances[0], rtol=0, atol=1e-10):
        # In an orthonormal basis of the differences of the means, of one axis at least.
        _, lengths, axes = np.linalg.svd(known.means - known.means[0], full_matrices=False)
        rank = max(1, np.count_nonzero(lengths > 1e-12 * lengths[0]))
        known = known.restricted(np.asarray(axes[:rank].T))
        if len(known.means) == 2:
            return ExpectedLoss(
                _equal_covariance_loss(known.means, known.priors, known.loss), 0.0, "closed form"
            )
    return _integrate(known, _bayes_rule(known), standard_error, seed)


def expected_loss(
    classifier: Any, truth: BayesClassifier, *, standard_error: float = 5e-4, seed: int = 0
) -> ExpectedLoss:
    """Return the true expected loss (without a loss matrix, the true error) of a classifier.

    Integrated in one and two dimensions if its boundaries are simple enough (which is checked);
    otherwise, for example for nearest neighbours and deep trees, estimated by Monte Carlo.

    Parameters
    ----------
    classifier : fitted classifier
        With `classes_` in the order of the means of `truth`. It must predict rows (n, p).
    truth, standard_error, seed
        As in `bayes_error`.

    Raises
    ------
    ValueError
        If the number of classes differs, and as in `bayes_error`.

    Examples
    --------
    >>> from lincore import LinearDiscriminantAnalysis
    >>> truth = BayesClassifier([[0.0], [2.0]], [[1.0]])
    >>> lda = LinearDiscriminantAnalysis().fit([[-0.5], [0.5], [2.5], [3.5]], [0, 0, 1, 1])
    >>> round(expected_loss(lda, truth).value, 6)  # (Φ(-1.5) + Φ(-0.5)) / 2
    0.187672
    """
    known = truth.known_classes()
    return _integrate(known, _rule_of(classifier, known), standard_error, seed)


def regret(
    classifier: Any, truth: BayesClassifier, *, standard_error: float = 5e-4, seed: int = 0
) -> ExpectedLoss:
    """Return the excess loss of a classifier over the Bayes error, >= 0.

    The two losses are not subtracted: regions in which the classifier agrees with the Bayes
    classifier contribute nothing, so one that always agrees has a regret of exactly zero.

    Parameters
    ----------
    classifier, truth, standard_error, seed
        As in `expected_loss`.

    Examples
    --------
    >>> from lincore import LinearDiscriminantAnalysis
    >>> truth = BayesClassifier([[0.0], [2.0]], [[1.0]])
    >>> lda = LinearDiscriminantAnalysis().fit([[-0.5], [0.5], [2.5], [3.5]], [0, 0, 1, 1])
    >>> round(regret(lda, truth).value, 6)
    0.029017
    """
    known = truth.known_classes()
    chosen, best = _rule_of(classifier, known).label, _bayes_rule(known).label
    n_classes = len(known.loss)
    excess = (known.loss[:, :, None] - known.loss[:, None, :]).reshape(n_classes, -1)
    pairs = Rule(lambda Z: chosen(Z) * n_classes + best(Z), excess, smooth=False)
    return _integrate(known, pairs, standard_error, seed)


def _bayes_rule(known: KnownClasses) -> Rule:
    return Rule(lambda Z: known.risk(Z).argmin(axis=1), known.loss, smooth=True)


def _rule_of(classifier: Any, known: KnownClasses) -> Rule:
    labels = np.asarray(classifier.classes_)
    if len(labels) != len(known.loss):
        numbers = f"knows {len(labels)} classes, the truth has {len(known.loss)}"
        raise ValueError(f"The classifier {numbers}. Train it on rows of every class.")
    order = np.argsort(labels, kind="stable")

    def label(Z: Array) -> Codes:
        predicted = classifier.predict(known.points(Z))
        return order[np.searchsorted(labels, predicted, sorter=order)]

    return Rule(label, known.loss, smooth=False)


def _equal_covariance_loss(means: Array, priors: Array, loss: Array) -> float:
    """Return the minimum loss of two classes with equal covariances, in whitened coordinates."""
    # Along the line through the means the classes are N(0, 1) and N(Δ, 1). The second is chosen
    # above c, where the log likelihood ratio Δu - Δ²/2 exceeds the log ratio of the costs of
    # wrongly choosing the second and wrongly choosing the first.
    distance = float(np.linalg.norm(means[1] - means[0]))
    (first_right, first_wrong), (second_wrong, second_right) = priors[:, None] * loss
    gains = first_wrong - first_right, second_wrong - second_right
    always_first, always_second = first_right + second_wrong, first_wrong + second_right
    if max(gains) < 0:  # every error is better than the correct decision: exchange them
        return _equal_covariance_loss(means, priors, loss[:, ::-1])
    if min(gains) <= 0 or distance == 0:
        return float(min(always_first, always_second))
    c = distance / 2 + np.log(gains[0] / gains[1]) / distance
    return float(first_right + gains[0] * ndtr(-c) + second_right + gains[1] * ndtr(c - distance))


def _integrate(known: KnownClasses, rule: Rule, standard_error: float, seed: int) -> ExpectedLoss:
    """Integrate the cost of a rule along lines up to two dimensions, else by Monte Carlo."""
    if not standard_error > 0:
        raise ValueError(f"standard_error must be positive, got {standard_error}.")
    n_classes, dimensions = known.means.shape
    if dimensions > 2 or (dimensions == 2 and n_classes > MOST_CLASSES):
        return _monte_carlo(known, rule, standard_error, seed)
    value, error = integrate_over_lines(known, rule, SCAN)
    enough = max(standard_error, ACCURACY)
    if not rule.smooth and error <= enough:
        # A jagged rule may change twice between two points: check with a finer scan.
        finer, error = integrate_over_lines(known, rule, 4 * SCAN)
        value, error = finer, error + 10 * abs(finer - value)
    if error > enough:
        return _monte_carlo(known, rule, standard_error, seed)
    accuracy = "" if error <= ACCURACY else f", within {error:.0e}"
    return ExpectedLoss(max(value, 0.0), 0.0, f"quadrature{accuracy}")


def _monte_carlo(known: KnownClasses, rule: Rule, standard_error: float, seed: int) -> ExpectedLoss:
    """Average the posterior expected cost over rows drawn from each class."""
    # Taking the expectation over the classes at every row, instead of using its true class, removes
    # most of the variance. Rows are allocated to classes by Neyman's rule: prior times deviation.
    n_classes = len(known.priors)
    streams = [np.random.default_rng([seed, k]) for k in range(n_classes)]
    moments = Moments.empty((n_classes,), 1)
    n_draws = np.where(known.priors > 0, max(1000, PILOT // n_classes), 0)
    while True:
        for k, number in enumerate(n_draws):
            for cost in _costs(known, rule, k, int(number), streams[k]):
                moments = moments + Moments.from_groups(
                    cost[:, None], np.full(len(cost), k), n_classes
                )
        count = np.maximum(moments.count, 1.0)
        spread = known.priors * np.sqrt(moments.scatter[:, 0, 0] / count)
        error = float(np.sqrt((spread**2 / count).sum()))
        if error <= standard_error or moments.count.sum() >= MOST_DRAWS:
            break
        needed = 1.1 * spread * spread.sum() / standard_error**2
        share = min(1.0, MOST_DRAWS / needed.sum())
        n_draws = np.maximum(np.ceil(needed * share - moments.count), spread > 0).astype(int)
    value = float(known.priors @ moments.mean[:, 0])
    words = f"Monte Carlo with {moments.count.sum():,.0f} draws, stratified by class"
    return ExpectedLoss(value, error, words)


def _costs(
    known: KnownClasses, rule: Rule, k: int, number: int, random: np.random.Generator
) -> Iterator[Array]:
    """Draw rows of class k and yield the posterior expected cost of each, in blocks."""
    n_classes, r = known.means.shape
    values, vectors = eigenpairs(known.covariances[k])
    root = vectors * np.sqrt(values)
    length = max(1, BLOCK_VALUES // (n_classes + r))
    for start in range(0, number, length):
        n = min(length, number - start)
        Z = known.means[k] + random.standard_normal((n, r)) @ root.T
        posterior = np.exp(known.log_posterior(Z))
        yield (posterior * rule.cost[:, rule.label(Z)].T).sum(axis=1)
