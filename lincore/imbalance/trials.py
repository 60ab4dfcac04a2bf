"""One seed of an imbalance study: subsets, fits and predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset, Split
from lincore.errors import DataError
from lincore.estimators.logistic.batched import has_one_minimum
from lincore.imbalance.losses import CONDITIONS
from lincore.imbalance.sample_fits import Prediction, cut_apart, fit_samples
from lincore.imbalance.subsets import (
    NestedSubsets,
    Shuffling,
    largest_within,
    reduce_proportionally,
    smallest_above,
    wanted_sizes,
)
from lincore.metrics.training_variance import rows_to_predict
from lincore.model_selection.engine import FitTask, TrainingSample
from lincore.model_selection.fitting import LARGEST_SCATTER
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import Steps
from lincore.model_selection.splitters import plan_folds
from lincore.moments.moments import Moments
from lincore.utils.threads import WORTHWHILE
from lincore.utils.typing import Array, Counts

# Trials that are fitted at once at most, and numbers in the rows of whatever is.
MOST_AT_ONCE, LARGEST_AT_ONCE = 10, 300_000

# The fit behind each condition, and whose shares its priors are: of the full or the reduced rows.
SOURCES: Mapping[str, tuple[str, str]] = {
    "full": ("full", "full"),
    "reduced": ("reduced", "reduced"),
    "corrected priors": ("reduced", "full"),
    "balanced weights": ("reweighted", "reduced"),
    "both": ("reweighted", "full"),
    "control": ("control", "full"),
    "undersampling": ("undersampling", "full"),
    "oversampling": ("oversampling", "full"),
}

# Models of all full rows stand for those of the reduced subset, whose random rows vary more, where
# the variance due to the training rows is estimated: the fit behind each, and its priors.
STAND_INS: Mapping[str, tuple[str, str]] = {
    "weighted as reduced": ("weighted", "reduced"),
    "weighted as reduced, full shares": ("weighted", "full"),
    "full, reduced shares": ("full", "reduced"),
}
#: The subsets whose class shares weights and priors are taken from.
WEIGHED = ("full", "reduced", "control")
MODELS: Mapping[str, tuple[str, str]] = {"full": SOURCES["full"], **STAND_INS}
# The fits behind them predict training rows as well: predictions of a sample by this name.
TRAINED = {name: f"{name}, training rows" for name in ("full", "weighted")}
STANDS_FOR: Mapping[str, str] = {
    **dict.fromkeys(CONDITIONS, "full"),
    **{name: name for name in STAND_INS},
    "reduced": "weighted as reduced",
    "corrected priors": "weighted as reduced, full shares",
    "moved threshold": "weighted as reduced, full shares",
    "balanced weights": "full, reduced shares",
}


class Trial(NamedTuple):
    """The rows of one seed.

    Attributes
    ----------
    seed : int
    split : Split
    nested : NestedSubsets
    sizes : mapping of str to ndarray of shape (K,)
        Rows by class of "full", "reduced", "control", "undersampling" and "oversampling".
    totals : mapping of str to ndarray of shape (K,)
        What the rows of "full", "reduced" and "control" weigh: their numbers without weights.
    """

    seed: int
    split: Split
    nested: NestedSubsets
    sizes: Mapping[str, Counts]
    totals: Mapping[str, Array]

    def shares(self, subset: str) -> Array:
        """Return the class shares of a subset, by weight where rows have weights, shape (K,)."""
        return np.asarray(self.totals[subset] / self.totals[subset].sum())


@dataclass(frozen=True, eq=False)
class Plan:
    """An experiment on class sizes, from which every seed's trial follows.

    Parameters
    ----------
    data : Dataset
    sizes : mapping of class label to int or float
    methods : tuple of Method
    steps : Steps
    scheme : str or Split
        See `lincore.model_selection.splitters.plan_folds`; a scheme of one split.
    test_size : float
    seed : int
    failures : dict of str to str
        Filled while fitting: methods that cannot be fitted, with the reason.
    notices : dict of str to None
        Filled while fitting: what was warned of, in order.
    """

    data: Dataset
    sizes: Mapping[Any, float]
    methods: tuple[Method, ...]
    steps: Steps
    scheme: Any
    test_size: float
    seed: int
    failures: dict[str, str] = field(default_factory=dict)
    notices: dict[str, None] = field(default_factory=dict)

    @property
    def new_splits(self) -> bool:
        """True if every seed draws a split of its own."""
        return self.scheme in ("stratified", "holdout", "holdout by group")

    @property
    def alive(self) -> tuple[Method, ...]:
        """The methods that have not failed so far."""
        return tuple(method for method in self.methods if method.name not in self.failures)

    def draw(self, repeat: int) -> tuple[Split, NestedSubsets]:
        """Return the split of a repetition, and its training rows in the order of the subsets."""
        if self.scheme in ("stratified", "holdout"):
            plan_folds(
                self.data, "holdout", self.seed, test_size=self.test_size
            )  # refuses bad shares
            n_turns = Shuffling.draw(self.data, self.test_size, self.seed).n_turns
            number, turn = divmod(repeat, n_turns)
            return Shuffling.draw(self.data, self.test_size, self.seed + number).turn(turn)
        seed = self.seed + repeat if self.new_splits else self.seed
        plan = plan_folds(self.data, self.scheme, seed, test_size=self.test_size)
        if len(plan) != 1:
            raise DataError(
                "A study of class sizes needs one training and one test set.",
                where=f"{len(plan)} folds",
                remedy="Use stratified, last, given or holdout by group.",
            )
        train, n_classes = plan[0].train, self.data.n_classes
        nested = NestedSubsets.draw(self.data.codes, train, n_classes, self.seed + repeat)
        return Split(train, plan[0].test), nested

    def trial(self, repeat: int) -> Trial:
        """Draw the rows of all subsets for a repetition."""
        split, nested = self.draw(repeat)
        full = nested.counts
        reduced = wanted_sizes(self.data, full, self.sizes)
        shares = full / full.sum()
        sizes = {
            "full": full,
            "reduced": reduced,
            "control": reduce_proportionally(full, int(reduced.sum())),
            "undersampling": largest_within(reduced, shares),
            "oversampling": smallest_above(reduced, shares),
        }
        weight = self.data.weights
        totals = {name: nested.totals(sizes[name], weight) for name in WEIGHED}
        return Trial(self.seed + repeat, split, nested, sizes, totals)


def samples(data: Dataset, trial: Trial, *, from_moments: bool) -> dict[str, TrainingSample]:
    """Return what each fit of a trial is made on."""
    subsets = ("full", "reduced", "control", "undersampling")
    sizes = [trial.sizes[subset] for subset in subsets]
    moments: list[Moments | None] = [None] * len(subsets)
    if from_moments:
        moments = list(trial.nested.moments(data.X, sizes, data.weights))
    found = {
        subset: TrainingSample(trial.nested.take(size), None, summary)
        for subset, size, summary in zip(subsets, sizes, moments, strict=True)
    }
    target = trial.shares("full")
    for subset, source in (("reweighted", "reduced"), ("control", "control")):
        weight = np.ones_like(target)
        np.divide(target, trial.shares(source), out=weight, where=target > 0)
        found[subset] = found[source]._replace(class_weight=weight)
    full = trial.totals["full"]
    weight = np.divide(trial.totals["reduced"], full, out=np.ones_like(target), where=full > 0)
    found["weighted"] = found["full"]._replace(class_weight=weight)
    found["oversampling"] = oversampled(
        data, trial.nested, trial.sizes["reduced"], trial.sizes["oversampling"], found["reduced"],
        seed=trial.seed,
    )  # fmt: skip
    return found


def oversampled(
    data: Dataset,
    nested: NestedSubsets,
    sizes: Counts,
    wanted: Counts,
    sample: TrainingSample,
    *,
    seed: int,
) -> TrainingSample:
    """Add rows drawn again at random to a sample of `sizes` (K,) rows, up to `wanted` (K,)."""
    rng = np.random.default_rng([seed, data.n_classes])
    extra = [
        rng.choice(rows[:size], more)
        for rows, size, more in zip(nested.order, sizes, wanted - sizes, strict=True)
    ]
    moments, rows = sample.moments, np.concatenate(extra)
    if moments is not None:
        codes = np.repeat(np.arange(len(extra)), [len(part) for part in extra])
        weight = data.weights_of(rows)
        moments = moments + Moments.from_groups(data.X[rows], codes, len(extra), weight)
    return TrainingSample(np.concatenate([sample.rows, rows]), None, moments)


def moments_serve(plan: Plan, n_train: int) -> bool:
    """Return whether subsets of the features as they stand are best summarised once and merged."""
    data, p = plan.data, plan.data.n_features
    return (
        any(method.from_moments for method in plan.methods)
        and not (data.needs_preparation or plan.steps.basis)
        and n_train >= p
        and 4 * data.n_classes * p**2 <= LARGEST_SCATTER
    )


def outcomes(plan: Plan, trials: Sequence[Trial]) -> list[dict[str, dict[str, Prediction]]]:
    """Make every fit of some trials: predictions by sample and method.

    Those of test rows; of training rows by the names in `TRAINED`.
    """
    made = [jobs(plan, trial) for trial in trials]
    every = [job for of_trial in made for job in of_trial.values()]
    found, warned = fit_samples(every, plan.alive, plan.failures)
    plan.notices.update(dict.fromkeys(map(str, warned)))
    predictions = iter(found)
    fits = [{name: next(predictions) for name in of_trial} for of_trial in made]
    for of_trial, trial in zip(fits, trials, strict=True):
        for name, trained in TRAINED.items():
            of_trial[name], of_trial[trained] = cut_apart(of_trial[name], len(trial.split.test))
    return fits


def n_values_of(plan: Plan, trial: Trial) -> int:
    """Return how many numbers there are in the training rows."""
    return len(trial.split.train) * plan.data.n_features


def at_once(plan: Plan, n_values: int) -> int:
    """Return how many things of so many numbers are fitted at once: as many as take a moment.

    One, where a method has to be fitted to each sample by itself: somebody may wait for the first
    of them, or want to stop.
    """
    together = n_values < WORTHWHILE and can_be_batched(plan.alive)
    return max(1, LARGEST_AT_ONCE // n_values) if together else 1


def can_be_batched(methods: Sequence[Method]) -> bool:
    """Return whether no method has to be fitted to each of many small samples separately.

    Parameters
    ----------
    methods : sequence of Method
        As `lincore.model_selection.as_methods` returns them.

    Examples
    --------
    >>> from lincore.model_selection.methods import as_methods
    >>> [can_be_batched(as_methods(names)) for names in (("lda", "logistic"), "perceptron")]
    [True, False]
    """
    return all(method.from_moments or has_one_minimum(method.estimator) for method in methods)


def jobs(plan: Plan, trial: Trial) -> dict[str, FitTask]:
    """Return what is to be fitted in a trial, by sample."""
    n_train = len(trial.split.train)
    made = samples(plan.data, trial, from_moments=moments_serve(plan, n_train))
    threshold = {"reduced": trial.shares("full")}
    asked = dict.fromkeys(TRAINED, np.concatenate([trial.split.test, trained_rows(plan, trial)]))
    return {
        name: FitTask(
            plan.data,
            sample,
            asked.get(name, trial.split.test),
            plan.steps,
            plan.seed,
            threshold.get(name),
        )
        for name, sample in made.items()
    }


def trained_rows(plan: Plan, trial: Trial) -> NDArray[np.intp]:
    """Return the training rows of a trial that are predicted; none if no variance needs them."""
    if not plan.new_splits:
        return np.empty(0, dtype=np.intp)
    return rows_to_predict(plan.data.codes, trial.split.train, plan.data.n_classes)


def condition(
    fits: Mapping[str, Mapping[str, Prediction]], trial: Trial, name: str, method: str
) -> tuple[NDArray[np.intp], Array]:
    """Return codes and log posteriors of a method for one of `CONDITIONS`."""
    if name == "moved threshold":
        return fits["reduced"][method].moved(trial.shares("reduced"))
    source, priors = source_of(name)
    return fits[source][method].under(trial.shares(priors))


def source_of(name: str) -> tuple[str, str]:
    """Return the fit behind a condition or model, and the subset whose shares are its priors."""
    # The threshold moves labels alone: its posteriors are those of the reduced set.
    return STAND_INS.get(name) or SOURCES.get(name, SOURCES["reduced"])


def condition_sample(condition: str) -> str:
    """Return the sample that the model of a condition is fitted on.

    Parameters
    ----------
    condition : str
        Of a study: a remedy, or a subset; of what has no sample of its own, "reduced".

    Examples
    --------
    >>> [condition_sample(name) for name in ("corrected priors", "both", "moved threshold")]
    ['reduced', 'reweighted', 'reduced']
    """
    return SOURCES[condition][0] if condition in SOURCES else "reduced"


def shift_of(
    fits: Mapping[str, Mapping[str, Prediction]], trial: Trial, condition: str, method: str
) -> Array | None:
    """Return what a condition adds to the log posteriors of its fit, shape (K,).

    The labels of the condition are then ``(log_proba + shift).argmax(axis=1)``.
    """
    fit = fits[condition_sample(condition)][method]
    if condition == "moved threshold":
        return fit.shifts
    if fit.learned is None:
        return None
    new = trial.shares(SOURCES[condition][1])
    with np.errstate(divide="ignore"):
        # A class that was never seen stays impossible, whatever its prior.
        shift = np.log(new) - np.log(np.where(fit.learned > 0, fit.learned, 1.0))
    return np.where(fit.learned > 0, shift, -np.inf)
