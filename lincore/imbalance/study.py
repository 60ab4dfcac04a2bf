"""The record of an imbalance study and the analyses computed from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.imbalance.attribution import Attribution, attribution
from lincore.imbalance.losses import Example, SubsetLosses
from lincore.imbalance.remedies import Remedy, remedies
from lincore.model_selection.fitting import predict_codes
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.utils.displayed import display


@dataclass(frozen=True, eq=False, kw_only=True)
class BalanceStudy(SubsetLosses):
    """Losses of full, reduced and control subsets, their decomposition and corrections.

    Parameters
    ----------
    example : Example
        One seed with its models; the other parameters are those of
        `lincore.imbalance.losses.SubsetLosses`.
    """

    example: Example

    def attribution(self, method: str, loss: str = "error") -> Attribution:
        """Decompose a loss into its four parts; see `lincore.imbalance.attribution.attribution`."""
        return attribution(self, method, loss)

    def remedies(self, method: str, loss: str = "error") -> tuple[Remedy, ...]:
        """Compare the remedies; see `lincore.imbalance.remedies.remedies`."""
        return remedies(self, method, loss)

    def decomposition(self, method: str | None = None, **settings: Any) -> Any:
        """Return the decomposition of a loss: a `DecompositionDisplay`."""
        return display("DecompositionDisplay", self, method=method, **settings)

    def corrections(self, method: str | None = None, **settings: Any) -> Any:
        """Return the loss recovered by each correction: a `CorrectionsDisplay`."""
        return display("CorrectionsDisplay", self, method=method, **settings)

    def scores(self, data: Dataset | None = None, **settings: Any) -> Any:
        """Return the scores on the full and the reduced set: a `StudyScoresDisplay`."""
        return display("StudyScoresDisplay", self, data, **settings)

    def training_loss(self, data: Dataset, **settings: Any) -> Any:
        """Return the losses of the training rows: a `TrainingLossDisplay`."""
        return display("TrainingLossDisplay", self, data, **settings)

    def regions(self, data: Dataset, **settings: Any) -> Any:
        """Return the decision regions on one of the two sets: a `RegionsDisplay`."""
        return display("RegionsDisplay", self, data, **settings)

    def boundaries(self, data: Dataset, **settings: Any) -> Any:
        """Return the regions of every model on both sets: a `SetBoundariesDisplay`."""
        return display("SetBoundariesDisplay", self, data, **settings)

    def confusion(self, **settings: Any) -> Any:
        """Return the confusion matrices of both sets: a `SetConfusionDisplay`."""
        return display("SetConfusionDisplay", self, None, **settings)

    def priors(self, **settings: Any) -> Any:
        """Return error and log loss under other class shares: a `PriorsDisplay`."""
        return display("PriorsDisplay", self, None, **settings)

    def costs(self, data: Dataset, **settings: Any) -> Any:
        """Return the savings of decisions with minimum expected cost: a `CostsDisplay`."""
        return display("CostsDisplay", self, data, **settings)

    @cached_property
    def digest(self) -> str:
        """Digest of the numbers, the same for equal studies."""
        settings = self.settings
        record = (
            self.methods,
            self.failures,
            self.notices,
            settings.digest,
            self.example.seed,
            settings.steps,
            settings.repeats,
        )
        digest = blake2b(repr(record).encode(), digest_size=16)
        for array in (self.losses, self.seeds, *self.totals.values(), *self.counts.values()):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


class TrainingError(NamedTuple):
    """The log loss of the training rows, which maximum likelihood minimises.

    Attributes
    ----------
    total : float
        ``-sum(log p(class of the row))`` in nats, weighted by sampling weights: the objective of
        logistic regression.
    mean : float
        Weighted mean per row.
    n : int
        Number of rows.
    """

    total: float
    mean: float
    n: int


def training_error(study: BalanceStudy, data: Dataset, method: str, subset: str) -> TrainingError:
    """Return the training log loss of the example's model for a subset.

    Parameters
    ----------
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
