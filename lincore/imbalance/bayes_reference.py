"""The Bayes classifier of generated data as a reference for fitted models."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.data.row_weights import effective_number
from lincore.estimators.bayes import BayesClassifier
from lincore.estimators.bayes_risk import ExpectedLoss, bayes_error
from lincore.imbalance.study import BalanceStudy
from lincore.metrics.intervals import Interval, wilson
from lincore.metrics.results import Results
from lincore.metrics.settings import Settings


class BayesReference(NamedTuple):
    """The Bayes classifier of generated classes.

    Attributes
    ----------
    least : ExpectedLoss
        The Bayes error, the minimum for any classifier.
    on_test : Interval
        Its error on the test rows, with Wilson's interval for their (effective) number.
    pipeline : Pipeline
        The classifier as single step "classify", fitted on codes, for plots.
    is_clean : bool
        Whether the rows have neither outliers nor label noise.
    results : Results
        Its predictions for the test rows.
    """

    least: ExpectedLoss
    on_test: Interval
    pipeline: Pipeline
    is_clean: bool
    results: Results


def true_parameters_of(study: BalanceStudy, data: Dataset) -> BayesReference:
    """Return the Bayes classifier of a study's data, with the class shares of the full set.

    Parameters
    ----------
    data : Dataset
        Generated data.

    Raises
    ------
    ValueError
        If the true distribution is unknown.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("gaussian")
    >>> truth = true_parameters_of(lincore.balance(data, {"class 3": 11}, "lda", repeats=1), data)
    >>> truth.is_clean, 0 < truth.least.value < 0.5
    (True, True)
    """
    known = data.truth
    if known is None:
        raise ValueError("The true distribution of these rows is unknown.")
    test: NDArray[np.intp] = study.example.split.test
    model = BayesClassifier(known.means, known.covariances, study.shares("full"))
    least = bayes_error(model)
    model.fit(data.X, data.codes)
    predicted, truth = model.predict(data.X[test]), data.codes[test]
    weight = data.weights_of(test)
    results = Results(
        methods=("Bayes classifier",),
        classes=data.classes,
        rows=test,
        truth=truth,
        predicted=predicted[None],
        log_proba=model.predict_log_proba(data.X[test])[None],
        seconds=np.zeros(1),
        settings=Settings(row_weights=weight),
    )
    # Kish's effective number, which for equal weights is the number of rows.
    weight = np.ones(len(test)) if weight is None else weight
    n, wrong = effective_number(weight), np.average(predicted != truth, weights=weight)
    value, low, high = (float(end) for end in wilson(wrong * n, n))
    return BayesReference(
        least,
        Interval(value, low, high),
        Pipeline([("classify", model)]),
        not (known.outliers or known.label_noise),
        results,
    )
