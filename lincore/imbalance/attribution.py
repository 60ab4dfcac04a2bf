"""Error decomposition: the loss from an imbalance in four parts with paired intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from lincore.imbalance.losses import OTHERS, SubsetLosses
from lincore.metrics.sampling_units import per_results
from lincore.metrics.scores import Interval
from lincore.metrics.seed_intervals import less, over_seeds
from lincore.utils.typing import Array

PARTS = ("prior shift", "majority bias", "sample size", "class size")

Pairs = tuple[tuple[str, str], ...]

#: A part is the loss of the first condition minus that of the second, averaged over its pairs. Of
#: two pairs, one corrects this part first and the other corrects it second. The parts sum to the
#: total.
PAIRS_OF: Mapping[str, Pairs] = {
    "prior shift": (("reduced", "corrected priors"), ("balanced weights", "both")),
    "majority bias": (("reduced", "balanced weights"), ("corrected priors", "both")),
    "sample size": (("control", "full"),),
    "class size": (("both", "control"),),
}


class Attribution(NamedTuple):
    """The change of one loss from the full to the reduced set, and its decomposition.

    Attributes
    ----------
    method, loss : str
    full, reduced : Interval
        The loss on each set: shares of rows, or nats for "log loss".
    prior_shift, majority_bias, sample_size, class_size : Interval
        In the unit of the loss. Positive is worse, except for recalls, where negative is worse.
    total : Interval
        Reduced minus full.
    by_seed : ndarray of shape (4, S)
        The four parts by seed; their sum is the total.
    orders : dict of part to (float, float)
        Prior shift and majority bias if corrected first and if corrected second.
    """

    method: str
    loss: str
    full: Interval
    reduced: Interval
    prior_shift: Interval
    majority_bias: Interval
    sample_size: Interval
    class_size: Interval
    total: Interval
    by_seed: Array
    orders: Mapping[str, tuple[float, float]]

    def __str__(self) -> str:
        """Return one line per part, with its interval."""
        lines = {"full": self.full, **self.parts, "total": self.total, "reduced": self.reduced}
        return f"{self.loss} of {self.method}\n" + "\n".join(
            f"{name:<12}{interval.value:8.4f}  ({interval.low:.4f} to {interval.high:.4f})"
            for name, interval in lines.items()
        )

    @property
    def parts(self) -> dict[str, Interval]:
        """The four parts by name, in the order of the waterfall."""
        return dict(
            zip(
                PARTS,
                (self.prior_shift, self.majority_bias, self.sample_size, self.class_size),
                strict=True,
            )
        )


@per_results
def attribution(study: SubsetLosses, method: str, loss: str = "error") -> Attribution:
    """Decompose the loss of a method that is due to the reduction of the training set.

    L(D, w, π) is the loss on the unchanged test set of a model trained on rows D with class weights
    w and priors π. F is the full, R the reduced and C the control subset, which has as many rows as
    R but the class shares of F:

    =============  ==================================  =========================================
    prior shift    L(R, πR, πR) - L(R, πR, πF)         the model learned that the class is rare
    majority bias  L(R, πR, πF) - L(R, πF, πF)         pooled estimates follow large classes
    sample size    L(C, πF, πF) - L(F, πF, πF)         the training set is smaller
    class size     L(R, πF, πF) - L(C, πF, πF)         the class has fewer rows than others
    =============  ==================================  =========================================

    As written, the first two correct the priors first. Each is averaged with the other order, L(R,
    πF, πR) - L(R, πF, πF) and L(R, πR, πR) - L(R, πF, πR): the Shapley value of the two
    corrections. The four parts sum exactly to L(R, πR, πR) - L(F, πF, πF). A method without
    posterior probabilities has no priors to correct: its prior shift is zero, and the effect of the
    class shares is part of the majority bias.

    Intervals use rows as sampling units, see `lincore.metrics.row_variance`.
    """
    by_pair = {
        part: [less(study.loss(method, a, loss), study.loss(method, b, loss)) for a, b in pairs]
        for part, pairs in PAIRS_OF.items()
    }
    prior_shift, majority_bias, sample_size, class_size = (
        _mean_change(study, method, loss, PAIRS_OF[part]) for part in PARTS
    )
    return Attribution(
        method,
        loss,
        loss_over_seeds(study, method, loss, "full"),
        loss_over_seeds(study, method, loss, "reduced"),
        prior_shift,
        majority_bias,
        sample_size,
        class_size,
        change_over_seeds(study, method, loss, "reduced", "full"),
        np.stack([np.mean(by_pair[part], axis=0) for part in PARTS]),
        means_by_order(by_pair),
    )


def means_by_order(by_pair: Mapping[str, list[Array]]) -> dict[str, tuple[float, float]]:
    """Return the mean over seeds of each order-dependent part, for both orders."""
    return {
        part: (float(first.mean()), float(last.mean()))
        for part, (first, last) in ((p, v) for p, v in by_pair.items() if len(v) == 2)
    }


def contrast_of(pairs: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Return the coefficients of the conditions in a mean of differences."""
    pairs, contrast = tuple(pairs), dict[str, float]()
    for worse, better in pairs:
        contrast[worse] = contrast.get(worse, 0.0) + 1 / len(pairs)
        contrast[better] = contrast.get(better, 0.0) - 1 / len(pairs)
    return {name: factor for name, factor in contrast.items() if factor}


def loss_over_seeds(study: SubsetLosses, method: str, loss: str, condition: str) -> Interval:
    """Return the mean loss of a condition with its interval, clipped to possible values."""
    highest = study.named(loss).highest
    variance = study.variance(method, {condition: 1.0}, loss)
    by_seed = study.loss(method, condition, loss)
    return _interval(study, by_seed, loss, variance).within(0.0, highest)


def change_over_seeds(
    study: SubsetLosses, method: str, loss: str, worse: str, better: str
) -> Interval:
    """Return the mean difference of a loss between two conditions, with its interval."""
    return _mean_change(study, method, loss, ((worse, better),))


def _mean_change(study: SubsetLosses, method: str, loss: str, pairs: Pairs) -> Interval:
    highest, contrast = study.named(loss).highest, contrast_of(pairs)
    variance = study.variance(method, contrast, loss) if contrast else 0.0
    changes = [
        less(study.loss(method, worse, name), study.loss(method, better, name))
        for name in _averaged_losses(study, loss)
        for worse, better in pairs
    ]
    return _interval(study, np.mean(changes, axis=0), loss, variance).within(-highest, highest)


def _averaged_losses(study: SubsetLosses, loss: str) -> list[str]:
    if loss != OTHERS:
        return [loss]
    recalls = zip(study.recall_names, study.is_reduced, strict=True)
    return [name for name, is_reduced in recalls if not is_reduced]


def _interval(study: SubsetLosses, values: Array, loss: str, variance: float) -> Interval:
    grain = study.named(loss).grain(study.counts["full"], study.n_test)
    return over_seeds(values, study.test_ratio, grain=grain, variance=variance)
