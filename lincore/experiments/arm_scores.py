"""Scores of the cells of one seed, on the test part and on the rows that each was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.datasets import Dataset
from lincore.experiments import scores
from lincore.experiments.fitting import predictions
from lincore.experiments.planes import coordinates
from lincore.experiments.study import BalanceStudy

Array = NDArray[np.float64]

SHOWN = ("accuracy", "balanced accuracy", "log loss")


class TrainingError(NamedTuple):
    """The log error of the training rows, which maximum likelihood makes as small as it can.

    Attributes
    ----------
    total : float
        ``-sum(log p(class of the row))``, in nats: the objective of logistic regression.
    mean : float
        By row.
    n : int
        Rows.
    """

    total: float
    mean: float
    n: int


def training_error(study: BalanceStudy, data: Dataset, method: str, arm: str) -> TrainingError:
    """Return the log error of an arm of the example on its own training rows.

    Parameters
    ----------
    study : BalanceStudy
    data : Dataset
    method : str
    arm : {"full", "reduced"}

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("gaussian")
    >>> study = lincore.balance(data, {"class 3": 11}, "logistic", repeats=1)
    >>> full, reduced = (training_error(study, data, "logistic", a) for a in ("full", "reduced"))
    >>> full.n, reduced.n, reduced.total < full.total
    (368, 326, True)
    """
    rows = study.example.rows[arm]
    pipeline = study.example.pipelines[method, arm]
    seen = coordinates(pipeline, data.X[rows])
    log_proba = predictions(pipeline.steps[-1][1], seen, data.n_classes)[1]
    own = log_proba[np.arange(len(rows)), data.codes[rows]]
    return TrainingError(float(-own.sum()), float(-own.mean()), len(rows))


def score_table(study: BalanceStudy, cells: Sequence[str]) -> pd.DataFrame:
    """Return the scores of every method in some cells of the example, with 95 % intervals.

    Parameters
    ----------
    study : BalanceStudy
    cells : sequence of str

    Returns
    -------
    DataFrame
        One line for each method and cell; columns "method", "trained on", then each score, its
        ends as "from" and "to", and the recall of each class.
    """
    labels = study.settings.get("labels", {})
    lines = []
    for method in study.methods:
        for cell in cells:
            results = study.example.results[cell]
            line: dict[str, object] = {"method": labels.get(method, method), "trained on": cell}
            for name in SHOWN:
                found = scores.score(results, method, name)
                line |= {name: found.value, f"{name} from": found.low, f"{name} to": found.high}
            matrix = scores.confusion(results, method)
            with np.errstate(invalid="ignore"):
                recalls = np.diag(matrix) / matrix.sum(axis=1)
            names = study.recall_names
            line |= dict(zip(names, recalls.tolist(), strict=True))
            lines.append(line)
    return pd.DataFrame(lines)
