"""The same models under two kinds of split: the last rows of each class, and random rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import split
from lincore.errors import DataError
from lincore.metrics import leading_score
from lincore.metrics import score as estimate
from lincore.model_selection.comparison import compare
from lincore.model_selection.fitting import TrainingSample, fit_steps
from lincore.model_selection.pipeline import PLAIN, Steps, through
from lincore.moments.moments import Moments
from lincore.utils.displayed import display
from lincore.utils.typing import Array, Progress

# Distances use at most this many coordinates: larger covariances are unreliable.
MOST_COORDINATES = 20


class SplitVariation(NamedTuple):
    """Scores of the same models on the last rows of each class and on random rows.

    Attributes
    ----------
    labels : tuple of M str
    last : ndarray of shape (M,)
        Scores on the last rows of each class.
    random : ndarray of shape (S, M)
        On S test sets of the same size, drawn at random within each class.
    last_shift : float
        Squared distance of a class's test mean from its training mean, relative to its expectation
        by chance: 1 if test rows are like training rows.
    random_shift : float
        The same, averaged over the random test sets.
    left_out : tuple of str
        Models that could not be fitted on some of the splits, without scores.
    score : str
        "accuracy", or "balanced accuracy" if the classes are of unequal size.
    """

    labels: tuple[str, ...]
    last: Array
    random: Array
    last_shift: float
    random_shift: float
    left_out: tuple[str, ...] = ()
    score: str = "accuracy"

    def accuracies(self) -> Any:
        """Return the scores on the last and on random rows: a `SplitChoiceDisplay`."""
        return display("SplitChoiceDisplay", self)


def compare_splits(
    data: Dataset,
    methods: Any,
    *,
    steps: Steps = PLAIN,
    test_size: float = 0.3,
    seeds: Sequence[int] = range(10),
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> SplitVariation | None:
    """Compare models on the last rows of each class, and on repeated random splits.

    Parameters
    ----------
    methods : str, classifier, or several
        As for `compare`.
    seeds : sequence of int
        Seeds of the random test sets.
    progress : callable, optional
        ``progress(done, total, what) -> bool``; after False the result is None.
    n_jobs : int, optional
        Processes, as in `lincore.compare`.

    Raises
    ------
    lincore.errors.DataError
        If no model can be fitted on all of the splits.

    Examples
    --------
    >>> import lincore
    >>> variation = compare_splits(lincore.sample("iris"), ["lda", "qda"], seeds=range(3))
    >>> variation.labels, variation.random.shape
    (('LDA', 'QDA'), (3, 2))
    """
    total = 1 + len(seeds)
    scores: list[dict[str, float]] = []
    score = "accuracy"
    shifts: list[float] = []
    for number in range(total):
        test_set = "last of each class" if number == 0 else f"random test set {number}"
        if progress is not None and progress(number, total, test_set) is False:
            return None
        if number == 0:
            parts = split(data, "last", test_size=test_size)
        else:
            parts = split(data, "stratified", test_size=test_size, seed=seeds[number - 1])
        results = compare(data, methods, parts, steps=steps, preselection=False, n_jobs=n_jobs)
        score = leading_score(results.class_counts)
        scores.append(
            {
                results.settings.label(name): estimate(results, name, score).value
                for name in results.methods
            }
        )
        shifts.append(_shift(data, parts, steps))
    labels = list(dict.fromkeys(label for fitted in scores for label in fitted))
    fitted_always = [label for label in labels if all(label in fitted for fitted in scores)]
    if not fitted_always:
        raise DataError("no model can be fitted on all of the splits.", where=data.name)
    last, *random = ([fitted[label] for label in fitted_always] for fitted in scores)
    return SplitVariation(
        tuple(fitted_always),
        np.array(last),
        np.array(random),
        shifts[0],
        float(np.mean(shifts[1:])),
        tuple(label for label in labels if label not in fitted_always),
        score,
    )


def _shift(data: Dataset, parts: Split, steps: Steps) -> float:
    """Return the distance of test means from training means, relative to chance."""
    preprocessor = fit_steps(data, TrainingSample(parts.train), steps).fitted
    moments = []
    for rows in parts:
        rows_after: Any = through(preprocessor, data.X[rows])[:, :MOST_COORDINATES]
        inputs = np.asarray(
            rows_after.toarray() if hasattr(rows_after, "toarray") else rows_after, dtype=float
        )
        moments.append(Moments.from_groups(inputs, data.codes[rows], data.n_classes))
    train, test = moments
    present = (train.count > 0) & (test.count > 0)
    covariance = train.within() / train.count.sum()
    varying = np.diagonal(covariance) > 0
    offset = (test.mean - train.mean)[present][:, varying]
    inverse = np.linalg.pinv(covariance[np.ix_(varying, varying)], hermitian=True)
    squares = np.einsum("ki,ij,kj->k", offset, inverse, offset)
    by_chance = np.count_nonzero(varying) * (1 / train.count[present] + 1 / test.count[present])
    return float((squares / by_chance).mean())
