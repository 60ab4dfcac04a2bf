"""Training error of a condition of an imbalance study."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.imbalance.study import BalanceStudy
from lincore.model_selection.fitting import predict_codes
from lincore.model_selection.pipeline import transform_for_classifier


class TrainingError(NamedTuple):
    """The log loss of the training rows, which maximum likelihood makes as small as it can.

    Attributes
    ----------
    total : float
        ``-sum(log p(class of the row))``, in nats, each row times its sampling weight: the
        objective of logistic regression.
    mean : float
        By row, weighted.
    n : int
        Rows.
    """

    total: float
    mean: float
    n: int


def training_error(study: BalanceStudy, data: Dataset, method: str, subset: str) -> TrainingError:
    """Return the log loss of a subset of the example on its own training rows.

    Parameters
    ----------
    study : BalanceStudy
    data : Dataset
    method : str
    subset : {"full", "reduced"}

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("gaussian")
    >>> study = lincore.balance(data, {"class 3": 11}, "logistic", repeats=1)
    >>> full, reduced = (training_error(study, data, "logistic", a) for a in ("full", "reduced"))
    >>> full.n, reduced.n, reduced.total < full.total
    (368, 326, True)
    """
    rows = study.example.rows[subset]
    pipeline = study.example.pipelines[method, subset]
    seen = transform_for_classifier(pipeline, data.X[rows])
    log_proba = predict_codes(pipeline.steps[-1][1], seen, data.n_classes).log_proba
    own = log_proba[np.arange(len(rows)), data.codes[rows]]
    weight = data.weights_of(rows)
    weight = np.ones(len(rows)) if weight is None else weight
    return TrainingError(float(-weight @ own), float(-np.average(own, weights=weight)), len(rows))
