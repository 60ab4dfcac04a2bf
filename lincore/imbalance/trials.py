"""One seed of an imbalance study: subsets, fits and predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset, Split
from lincore.errors import DataError
from lincore.estimators.logistic.batched import has_one_minimum
from lincore.imbalance.losses import CONDITIONS
from lincore.imbalance.sample_predictions import Prediction, split_predictions
from lincore.imbalance.streamed_subsets import StreamedSubsets, SumsByRank
from lincore.imbalance.subsets import (
    NestedSubsets,
    Shuffling,
    largest_within,
    reduce_proportionally,
    smallest_above,
    wanted_sizes,
)
from lincore.metrics.priors import move_threshold
from lincore.metrics.training_variance import rows_to_predict
from lincore.model_selection.engine import method_steps, run
from lincore.model_selection.fitting import TrainingSample
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import Steps
from lincore.model_selection.splitters import plan_folds
from lincore.model_selection.stages import Failure, Task
from lincore.model_selection.streamed_rows import streamed_blocks
from lincore.moments.moments import LARGEST_SCATTER
from lincore.utils.thread_warnings import warn
from lincore.utils.threads import WORTHWHILE
from lincore.utils.typing import Array, Counts

# Maximum number of trials fitted at once, and of values in their rows.
MOST_AT_ONCE, LARGEST_AT_ONCE = 10, 300_000

# The fit used in each condition, and the subset whose class shares are its priors.
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

# For estimating the variance due to the training rows, models of all rows replace those of the
# reduced subset, whose random rows vary more: the fit used for each, and its priors.
STAND_INS: Mapping[str, tuple[str, str]] = {
    "weighted as reduced": ("weighted", "reduced"),
    "weighted as reduced, full shares": ("weighted", "full"),
    "full, reduced shares": ("full", "reduced"),
}
#: Subsets whose class shares are used for weights and priors.
WEIGHED = ("full", "reduced", "control")
MODELS: Mapping[str, tuple[str, str]] = {"full": SOURCES["full"], **STAND_INS}
# Names of the predictions of training rows by these fits.
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
    """The rows of one seed."""

    seed: int
    split: Split
    nested: NestedSubsets
    # Rows by class of "full", "reduced", "control", "undersampling" and "oversampling"
    sizes: Mapping[str, Counts]
    # Total weight by class of "full", "reduced" and "control"; without weights, their number of
    # rows
    totals: Mapping[str, Array]

    def shares(self, subset: str) -> Array:
        """Return the class shares (K,) of a subset, by weight if rows have weights."""
        return np.asarray(self.totals[subset] / self.totals[subset].sum())


@dataclass(frozen=True, eq=False)
class Plan:
    """The settings of an experiment on class sizes, which determine the trial of every seed."""

    data: Dataset
    sizes: Mapping[Any, float]
    methods: tuple[Method, ...]
    steps: Steps
    scheme: Any  # A scheme with a single split; see `lincore.model_selection.splitters.plan_folds`
    test_size: float
    seed: int
    n_jobs: int | None
    repeats: int  # planned repetitions, whose streamed rows are summed together
    # Methods that cannot be fitted, with the reason; filled while fitting
    failures: dict[str, str] = field(default_factory=dict)
    # Warnings in order; filled while fitting
    notices: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Warn if some rows are not in memory and not used."""
        data = self.data
        if data.n_streamed and not self.streams:
            warn(
                f"{data.name}: the study uses the {data.n_rows:,} rows in memory, and not the "
                f"other {data.n_streamed:,}: the split selects rows, or tests the last ones. To "
                "learn from all rows, split at random.",
                stacklevel=4,
            )

    @cached_property
    def streams(self) -> bool:
        """True if methods also learn from the rows that are not in memory."""
        return isinstance(self.draw(0)[1], StreamedSubsets)

    @property
    def streamed_ratio(self) -> float:
        """Streamed training rows per row in memory."""
        return self.data.n_streamed / self.data.n_rows if self.streams else 0.0

    @cached_property
    def _sums(self) -> SumsByRank | None:
        """Sums of the streamed rows, if there are any."""
        seeds = range(self.seed, self.seed + self.repeats)
        blocks = self.data.blocks
        return None if blocks is None else SumsByRank(blocks, seeds, self.n_jobs)

    @property
    def new_splits(self) -> bool:
        """True if every seed has its own split."""
        return self.scheme in ("stratified", "holdout", "holdout by group")

    def step_name(self, repeat: int) -> str:
        """Name a repetition in reports of progress."""
        return f"{'Split' if self.new_splits else 'Choice of rows'} {repeat + 1} of {self.repeats}"

    @property
    def alive(self) -> tuple[Method, ...]:
        """The methods that have not failed so far."""
        return tuple(method for method in self.methods if method.name not in self.failures)

    def draw(self, repeat: int) -> tuple[Split, NestedSubsets]:
        """Return the split of a repetition, and its training rows in the order of the subsets."""
        split, nested = self._draw_in_memory(repeat)
        if self._sums is None or streamed_blocks(self.data, *split) is None:
            return split, nested
        seed = self.seed + repeat
        return split, StreamedSubsets(order=nested.order, sums=self._sums, seed=seed)

    def _draw_in_memory(self, repeat: int) -> tuple[Split, NestedSubsets]:
        if self.scheme in ("stratified", "holdout"):
            plan_folds(
                self.data, "holdout", self.seed, test_size=self.test_size
            )  # rejects invalid shares
            n_turns = Shuffling.draw(self.data, self.test_size, self.seed).n_turns
            number, turn = divmod(repeat, n_turns)
            return Shuffling.draw(self.data, self.test_size, self.seed + number).turn(turn)
        seed = self.seed + repeat if self.new_splits else self.seed
        plan = plan_folds(self.data, self.scheme, seed, test_size=self.test_size)
        if len(plan) != 1:
            raise DataError(
                "A study of class sizes needs a single split.",
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

    def fit(
        self,
        tasks: Sequence[Task],
        failures: dict[str, str],
        methods: Sequence[Method] | None = None,
    ) -> tuple[list[dict[str, Prediction]], list[Warning]]:
        """Fit methods, by default those that have not failed, and predict the rows of each task."""
        # Reasons of failures are added to `failures`. The warnings are in the order of the tasks.
        methods = self.alive if methods is None else methods
        by_name: dict[str, Method] = {}
        for method in methods:
            if method.own_weights is not None:
                failures[method.name] = (
                    f"It already has class weights ({method.own_weights}), and the study sets the "
                    "weights: remove them."
                )
            elif self.streams and not (
                method.from_blocks and method_steps(method, self.data, self.steps).basis is None
            ):
                failures[method.name] = (
                    f"It needs all rows in memory, but {self.data.n_streamed:,} are streamed: "
                    "choose another method, or use only the drawn rows (drawn_only)."
                )
            else:
                by_name[method.name] = method
        shares = [task.sample.shares(self.data) for task in tasks]
        by_task: list[dict[str, Prediction]] = [{} for _ in tasks]
        warnings: list[Warning] = []
        for step in run(
            tasks,
            [*by_name.values()],
            self.data,
            steps=self.steps,
            seed=self.seed,
            stacked=not self.streams,
            n_jobs=self.n_jobs,
        ):
            for name, outcome in step.outcomes.items():
                warnings += outcome.warnings
                if isinstance(outcome, Failure):
                    failures.setdefault(name, outcome.reason)
                else:
                    learned = None if by_name[name].has_fixed_priors else shares[step.task]
                    by_task[step.task][name] = Prediction.of(outcome, learned)
        return by_task, warnings


def samples(data: Dataset, trial: Trial, *, from_moments: bool) -> dict[str, TrainingSample]:
    """Return the training sample of each fit of a trial."""
    subsets = ("full", "reduced", "control", "undersampling")
    sizes = [trial.sizes[subset] for subset in subsets]
    drawn = trial.nested.samples(data, sizes, summed=from_moments)
    by_name = dict(zip(subsets, drawn, strict=True))
    target = trial.shares("full")
    for subset, source in (("reweighted", "reduced"), ("control", "control")):
        weight = np.ones_like(target)
        np.divide(target, trial.shares(source), out=weight, where=target > 0)
        by_name[subset] = by_name[source]._replace(class_weight=weight)
    full = trial.totals["full"]
    weight = np.divide(trial.totals["reduced"], full, out=np.ones_like(target), where=full > 0)
    by_name["weighted"] = by_name["full"]._replace(class_weight=weight)
    by_name["oversampling"] = trial.nested.oversampled(
        data, trial.sizes["reduced"], trial.sizes["oversampling"], by_name["reduced"],
        seed=trial.seed,
    )  # fmt: skip
    return by_name


def moments_serve(plan: Plan, n_train: int) -> bool:
    """Return whether subsets of the raw features are best summarised once and merged."""
    data, p = plan.data, plan.data.n_features
    return plan.streams or (
        any(method.from_moments for method in plan.methods)
        and not (data.needs_preparation or plan.steps.basis)
        and n_train >= p
        and 4 * data.n_classes * p**2 <= LARGEST_SCATTER
    )


def outcomes(plan: Plan, trials: Sequence[Trial]) -> list[dict[str, dict[str, Prediction]]]:
    """Compute all fits of some trials; return predictions by sample and method."""
    # Predictions of training rows have the names in `TRAINED`.
    by_trial = [_tasks(plan, trial) for trial in trials]
    all_tasks = [task for of_trial in by_trial for task in of_trial.values()]
    predictions, warnings = plan.fit(all_tasks, plan.failures)
    plan.notices.update(dict.fromkeys(map(str, warnings)))
    in_order = iter(predictions)
    fits = [{name: next(in_order) for name in of_trial} for of_trial in by_trial]
    for of_trial, tasks, trial in zip(fits, by_trial, trials, strict=True):
        n_test = len(trial.split.test)
        for name, trained in TRAINED.items():
            of_trial[name], of_trial[trained] = split_predictions(of_trial[name], n_test)
        tested, own = split_predictions(of_trial["reduced"], n_test)
        of_trial["reduced"] = _move_thresholds(plan, trial, tasks["reduced"].sample, tested, own)
    return fits


def _move_thresholds(
    plan: Plan,
    trial: Trial,
    sample: TrainingSample,
    tested: Mapping[str, Prediction],
    own: Mapping[str, Prediction],
) -> dict[str, Prediction]:
    """Add thresholds tuned on a sample's own rows for the shares of the full training set."""
    shares, codes = sample.shares(plan.data), plan.data.codes[sample.rows]
    weight = plan.data.weights_of(sample.rows)
    cost_of_row = (trial.shares("full") / np.where(shares > 0, shares, 1.0))[codes]
    if weight is not None:
        cost_of_row = cost_of_row * weight
    return {
        name: fit
        if np.isnan(fit.log_proba).any()
        else fit._replace(shifts=move_threshold(own[name].log_proba, codes, cost_of_row))
        for name, fit in tested.items()
    }


def n_values_of(plan: Plan, trial: Trial) -> int:
    """Return the number of values in the training rows."""
    return len(trial.split.train) * plan.data.n_features


def at_once(plan: Plan, n_values: int) -> int:
    """Return how many samples of `n_values` values are fitted at once, to take a short time."""
    # One if a method must be fitted to each sample separately, so that the first result appears
    # soon and the run can be stopped.
    together = n_values < WORTHWHILE and can_be_batched(plan.alive)
    return max(1, LARGEST_AT_ONCE // n_values) if together else 1


def can_be_batched(methods: Sequence[Method]) -> bool:
    """Return whether all methods can be fitted to many small samples together.

    Parameters
    ----------
    methods : sequence of Method
        As returned by `lincore.model_selection.as_methods`.

    Examples
    --------
    >>> from lincore.model_selection.methods import as_methods
    >>> [can_be_batched(as_methods(names)) for names in (("lda", "logistic"), "perceptron")]
    [True, False]
    """
    return all(method.from_moments or has_one_minimum(method.estimator) for method in methods)


def _tasks(plan: Plan, trial: Trial) -> dict[str, Task]:
    """Return the tasks of a trial, by sample."""
    from_moments = moments_serve(plan, len(trial.split.train))
    by_name = samples(plan.data, trial, from_moments=from_moments)
    # Training rows that are predicted as well.
    own = dict.fromkeys(TRAINED, trained_rows(plan, trial)) | {"reduced": by_name["reduced"].rows}
    test = trial.split.test
    return {
        name: Task(sample, np.concatenate([test, own[name]]) if name in own else test)
        for name, sample in by_name.items()
    }


def trained_rows(plan: Plan, trial: Trial) -> NDArray[np.intp]:
    """Return the training rows of a trial to predict for variances; empty if not needed."""
    if not plan.new_splits:
        return np.empty(0, dtype=np.intp)
    return rows_to_predict(plan.data.codes, trial.split.train, plan.data.n_classes)


def predict_condition(
    fits: Mapping[str, Mapping[str, Prediction]], trial: Trial, name: str, method: str
) -> tuple[NDArray[np.intp], Array]:
    """Return codes and log posteriors of a method for one of `CONDITIONS`."""
    if name == "moved threshold":
        return fits["reduced"][method].moved(trial.shares("reduced"))
    source, priors = source_of(name)
    return fits[source][method].under(trial.shares(priors))


def source_of(name: str) -> tuple[str, str]:
    """Return the fit used by a condition or model, and the subset whose shares are its priors."""
    # A moved threshold changes only labels: its posteriors are those of the reduced set.
    return STAND_INS.get(name) or SOURCES.get(name, SOURCES["reduced"])


def condition_sample(condition: str) -> str:
    """Return the sample to which the model of a condition is fitted.

    Parameters
    ----------
    condition : str
        A remedy or a subset; without its own sample, "reduced" is returned.

    Examples
    --------
    >>> [condition_sample(name) for name in ("corrected priors", "both", "moved threshold")]
    ['reduced', 'reweighted', 'reduced']
    """
    return source_of(condition)[0]


def shift_of(
    fits: Mapping[str, Mapping[str, Prediction]], trial: Trial, condition: str, method: str
) -> Array | None:
    """Return the shift (K,) of the log posteriors of a fit in a condition."""
    # The labels of the condition are then ``(log_proba + shift).argmax(axis=1)``.
    fit = fits[condition_sample(condition)][method]
    if condition == "moved threshold":
        return fit.shifts
    if fit.learned is None:
        return None
    new = trial.shares(SOURCES[condition][1])
    with np.errstate(divide="ignore"):
        # A class without training rows is impossible regardless of its prior.
        shift = np.log(new) - np.log(np.where(fit.learned > 0, fit.learned, 1.0))
    return np.where(fit.learned > 0, shift, -np.inf)
