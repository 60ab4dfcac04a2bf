"""The record of an imbalance study and the analyses computed from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from lincore.data.dataset import Dataset
from lincore.imbalance.attribution import Attribution, attribution
from lincore.imbalance.losses import Example, SubsetLosses
from lincore.imbalance.remedies import Remedy, remedies
from lincore.model_selection.fitting import predict_codes
from lincore.model_selection.pipeline import transform_for_classifier


@dataclass(frozen=True, eq=False, kw_only=True)
class BalanceStudy(SubsetLosses):
    """Losses of full, reduced and control subsets, their decomposition and corrections.

    Parameters
    ----------
    example : Example
        One seed in full; the other parts are those of `lincore.imbalance.losses.SubsetLosses`.
    """

    example: Example

    def attribution(self, method: str, loss: str = "error") -> Attribution:
        """Split a loss into its four parts; see `lincore.imbalance.attribution.attribution`."""
        return attribution(self, method, loss)

    def remedies(self, method: str, loss: str = "error") -> tuple[Remedy, ...]:
        """Compare the remedies; see `lincore.imbalance.remedies.remedies`."""
        return remedies(self, method, loss)

    def table(self, loss: str = "error") -> pd.DataFrame:
        """Return one line for each method: full, reduced and the four parts, in the loss's unit."""
        lines = {}
        for method in self.methods:
            split = self.attribution(method, loss)
            columns = {"full": split.full, "reduced": split.reduced, **split.parts}
            lines[method] = {
                f"{name}{end}": value
                for name, interval in columns.items()
                for end, value in zip(("", " from", " to"), interval, strict=True)
            }
        frame = pd.DataFrame.from_dict(lines, orient="index")
        frame.index.name = "method"
        return frame

    def remedy_table(self, method: str, loss: str = "error") -> pd.DataFrame:
        """Return one line for each remedy: the loss with it, recovered, change of the others."""
        lines = {
            remedy.name: {
                f"{name}{end}": value
                for name in ("loss", "recovered", "still missing", "others")
                for end, value in zip(
                    ("", " from", " to"), getattr(remedy, name.replace(" ", "_")), strict=True
                )
            }
            for remedy in self.remedies(method, loss)
        }
        frame = pd.DataFrame.from_dict(lines, orient="index")
        frame.index.name = "remedy"
        return frame


class TrainingError(NamedTuple):
    """The log loss of the training rows, which maximum likelihood minimises.

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
