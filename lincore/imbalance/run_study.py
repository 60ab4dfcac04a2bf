"""Run of an imbalance study: subsets, fits and scores at every seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset, Split
from lincore.data.magnitudes import require_squares
from lincore.data.splits import Fold
from lincore.errors import DataError
from lincore.imbalance.losses import CONDITIONS, Example, loss_names, mean_losses, study_losses
from lincore.imbalance.sample_predictions import Prediction
from lincore.imbalance.study import BalanceStudy
from lincore.imbalance.trials import (
    MODELS,
    MOST_AT_ONCE,
    SOURCES,
    STANDS_FOR,
    TRAINED,
    Plan,
    Trial,
    at_once,
    condition_sample,
    n_values_of,
    outcomes,
    predict_condition,
    shift_of,
    source_of,
    trained_rows,
)
from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.priors import exchange_priors
from lincore.metrics.results import Results
from lincore.metrics.row_variance import RowSums, RowVariance, SplitLosses
from lincore.metrics.settings import Settings
from lincore.metrics.training_variance import softened_errors
from lincore.model_selection.comparison import method_settings
from lincore.model_selection.methods import as_methods
from lincore.model_selection.pipeline import PLAIN, Steps
from lincore.model_selection.splitters import default_scheme, describe, plan_settings
from lincore.utils.lazy_mapping import LazyMapping
from lincore.utils.typing import Array, Progress

Fits = Mapping[str, Mapping[str, Prediction]]

# Values in rows and posteriors of all fits of a study kept in memory to its end (32 MB).
LARGEST_HELD = 4_000_000
# Error rates that differ by less are equal up to rounding.
SAME_DISTANCE = 1e-9


class Losses:
    """The losses of a study so far: their means by seed, and those of rows."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.means: list[dict[str, np.ndarray]] = []
        self.rows: dict[str, RowSums] = {}

    def add(self, by_method: Mapping[str, TrialLosses]) -> None:
        """Add the losses of one seed."""
        self.means.append({name: losses.means for name, losses in by_method.items()})
        if not self.plan.new_splits:
            return
        data = self.plan.data
        for name, losses in by_method.items():
            if name not in self.rows:
                self.rows[name] = RowSums(data.codes, data.n_classes, data.groups, data.weights)
            self.rows[name].add(losses.rows)

    def table(self) -> np.ndarray:
        """Return the losses (M, C, S, L) of the methods that have not failed."""
        names = [method.name for method in self.plan.alive]
        return np.stack([[by_method[name] for by_method in self.means] for name in names]).swapaxes(
            1, 2
        )

    def variances(self, trial: Trial) -> dict[str, RowVariance]:
        """Return the row-based variances of the mean losses of methods that have not failed."""
        positions, models = (
            {name: i for i, name in enumerate(names)} for names in (CONDITIONS, MODELS)
        )
        ratio = len(trial.split.test) / len(trial.split.train)
        streamed_ratio = self.plan.streamed_ratio
        return {
            method.name: self.rows[method.name].variance(
                positions, models, STANDS_FOR, ratio, streamed_ratio
            )
            for method in self.plan.alive
            if method.name in self.rows
        }


def balance(
    data: Dataset,
    sizes: Mapping[Any, float],
    methods: Any = ("lda", "qda", "logistic"),
    *,
    steps: Steps = PLAIN,
    split: str | Split | None = None,
    test_size: float = 0.3,
    seed: int = 0,
    repeats: int = 30,
    progress: Progress | None = None,
    keep: Callable[[BalanceStudy], None] | None = None,
    n_jobs: int | None = None,
) -> BalanceStudy:
    """Reduce classes of the training set and decompose the resulting loss.

    Every method is fitted to the full training set, to the reduced one, to a control subset of the
    same size with the class shares of the full set, and with every remedy. Test rows are never
    changed. Methods fitted from moments need one pass over the rows of each split: subsets are
    nested, weights are applied by `Moments.scale`, and priors are changed by correcting posteriors.

    Sizes are numbers of rows. With sampling weights, rows are left out of a class regardless of
    weight, so on average its total weight is reduced by the same share. Class shares (priors,
    control, balanced weights, threshold) are shares of the total weight, sampling weights multiply
    those of the remedies, and losses are weighted means over test rows.

    Parameters
    ----------
    data : Dataset
        Rows that are not in memory (``data.blocks``) are training rows in every split, of methods
        that are fitted from moments or in passes; other methods are left out.
    sizes : mapping of class label to int or float
        Training rows to keep, as a number or a share (a float up to 1.0); other classes keep all
        rows.
    methods : one method or several
        As for `lincore.model_selection.methods.as_methods`.
    steps : Steps
        Preprocessing.
    split : {"stratified", "last", "given", "holdout by group"} or Split, optional
        Default: by group if the data have groups, otherwise stratified. With "stratified" and
        "holdout by group" every repetition has its own split (stratified test sets are disjoint as
        long as there are enough rows); otherwise it only chooses other rows of the same training
        set.
    test_size : float
        Test fraction of each class, for random splits.
    seed : int
        Seed of the first repetition, incremented for each of the others.
    repeats : int
        Number of random choices of the rows.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each repetition; returning False stops the
        study, which returns the finished repetitions.
    keep : callable, optional
        Called with the study so far after each repetition.
    n_jobs : int, optional
        Processes, as in `lincore.compare`.

    Raises
    ------
    DataError
        If classes or sizes are invalid, or no method can be fitted to all subsets.
    ValueError
        If a method does not exist, or there is less than one repetition.

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 0.2}, "lda", repeats=5)
    >>> study.counts["reduced"].tolist(), study.counts["control"].tolist()
    ([210, 105, 11], [186, 93, 47])
    >>> split = study.attribution("lda", "recall of class 3")
    >>> split.total.value < split.prior_shift.value < 0  # most of the fall is the priors
    True
    """
    if repeats < 1:
        raise ValueError(f"At least one repetition is needed, got {repeats}.")
    require_squares(data)
    split = default_scheme(data, "stratified") if split is None else split
    plan = Plan(data, sizes, as_methods(methods), steps, split, test_size, seed, n_jobs, repeats)
    losses, held = _repeat(plan, progress, keep)
    # The seed whose errors of the full and reduced subsets are nearest to their means.
    errors = losses.table()[:, : CONDITIONS.index("reduced") + 1, :, 0]
    distance = np.abs(errors - errors.mean(axis=2, keepdims=True)).sum(axis=(0, 1))
    # The first of ties: two seeds are equally far from their mean.
    chosen = int(np.argmax(distance <= distance.min() + SAME_DISTANCE))
    if chosen not in held:
        trial = plan.trial(chosen)
        held[chosen] = trial, outcomes(plan, [trial])[0]
    trial, fits = held[chosen]
    return _study(plan, losses, trial, fits)


def _repeat(
    plan: Plan,
    progress: Progress | None,
    keep: Callable[[BalanceStudy], None] | None,
) -> tuple[Losses, dict[int, tuple[Trial, Fits]]]:
    """Run all seeds; return their losses, and the fits kept in memory."""
    held: dict[int, tuple[Trial, Fits]] = {}
    losses = Losses(plan)
    for trial, fits in _fit_trials(plan):
        repeat = len(losses.means)
        losses.add(trial_losses(plan, trial, fits))
        if not _fits_in_memory(plan, trial):
            held.clear()
        held[repeat] = trial, fits
        if keep is not None:
            keep(_study(plan, losses, trial, fits))
        if (
            progress is not None
            and progress(repeat + 1, plan.repeats, plan.step_name(repeat)) is False
        ):
            break
    return losses, held


def _fit_trials(plan: Plan) -> Iterator[tuple[Trial, Fits]]:
    """Yield the trials with their fits: first one, then several at a time."""
    done = 0
    while done < plan.repeats:
        trials = [plan.trial(done)]
        if done:
            n_values = len(SOURCES) * n_values_of(plan, trials[0])
            number = min(at_once(plan, n_values), MOST_AT_ONCE, plan.repeats - done)
            trials += [plan.trial(done + i) for i in range(1, number)]
        fits = outcomes(plan, trials)
        if not plan.alive:
            raise DataError(
                "No method can be fitted on all subsets: "
                + " ".join(f"{name}: {why}" for name, why in plan.failures.items()),
                where=f"training set of {plan.data.name}",
                remedy="Keep more rows, use fewer components, or another method.",
            )
        yield from zip(trials, fits, strict=True)
        done += len(trials)


def _fits_in_memory(plan: Plan, trial: Trial) -> bool:
    """Return whether all fits are kept, so that the example can be chosen at the end."""
    n_values = n_values_of(plan, trial)
    n_values += len(trial.split.test) * plan.data.n_classes * len(plan.methods)
    return len(SOURCES) * n_values * plan.repeats <= LARGEST_HELD


def _study(plan: Plan, losses: Losses, trial: Trial, fits: Fits) -> BalanceStudy:
    """Return the study of the seeds so far, with one of them as example."""
    return BalanceStudy(
        classes=plan.data.classes,
        methods=tuple(method.name for method in plan.alive),
        loss_names=loss_names(plan.data.classes),
        losses=losses.table(),
        seeds=plan.seed + np.arange(len(losses.means)),
        counts=dict(trial.sizes),
        totals=dict(trial.totals),
        n_test=len(trial.split.test),
        new_splits=plan.new_splits,
        example=_example(plan, trial, fits),
        failures=dict(plan.failures),
        notices=tuple(plan.notices),
        settings=study_settings(plan),
        variances=losses.variances(trial),
    )


def _example(plan: Plan, trial: Trial, fits: Fits) -> Example:
    names = [method.name for method in plan.alive]
    pairs = [(name, condition) for name in names for condition in CONDITIONS]
    # Lazy, because most studies returned during a run are never looked at.
    return Example(
        seed=trial.seed,
        split=trial.split,
        rows={
            subset: trial.nested.take(trial.sizes[subset])
            for subset in ("full", "reduced", "control")
        },
        pipelines=LazyMapping(
            pairs, lambda pair: fits[condition_sample(pair[1])][pair[0]].pipeline
        ),
        shifts=LazyMapping(pairs, lambda pair: shift_of(fits, trial, pair[1], pair[0])),
        results=LazyMapping(
            CONDITIONS, lambda condition: _results(plan, names, trial, fits, condition)
        ),
    )


def _results(plan: Plan, methods: list[str], trial: Trial, fits: Fits, name: str) -> Results:
    data = plan.data
    predictions = [predict_condition(fits, trial, name, method) for method in methods]
    source = name if name in fits else "reduced"
    rows = trial.nested.take(trial.sizes[source])
    folds = plan_settings(data, [Fold(0, 0, rows, trial.split.test)])
    return Results(
        methods=tuple(methods),
        classes=data.classes,
        rows=trial.split.test,
        truth=data.codes[trial.split.test],
        predicted=np.stack([predicted for predicted, _ in predictions]),
        log_proba=np.stack([log_proba for _, log_proba in predictions]),
        seconds=np.array([fits[source][method].seconds for method in methods]),
        n_train=np.full(len(trial.split.test), len(rows)),
        settings=replace(study_settings(plan, folds), seed=trial.seed, repeats=1),
    )


def study_settings(plan: Plan, folds: Settings | None = None) -> Settings:
    """Return the settings needed to reproduce the results of a plan, by default of all splits."""
    data = plan.data
    base = folds or Settings(data=data.name, digest=data.digest, rows=data.kind.rows)
    return replace(
        method_settings(base, plan.methods, plan.data, plan.steps),
        scheme=describe(plan.scheme),
        test_size=plan.test_size,
        seed=plan.seed,
        repeats=plan.repeats,
        streamed={method.name: data.n_streamed for method in plan.alive} if plan.streams else {},
    )


class TrialLosses(NamedTuple):
    """Losses of one method in a trial."""

    means: Array  # (C, L); losses on the test rows, in every condition
    rows: SplitLosses  # error and log loss of each test row, in all `CONDITIONS` and `MODELS`


def trial_losses(plan: Plan, trial: Trial, fits: Fits) -> dict[str, TrialLosses]:
    """Return the losses of each method that has not failed."""
    codes, by_method = plan.data.codes, {}
    test, trained = trial.split.test, trained_rows(plan, trial)
    truth, weight = codes[test], plan.data.weights_of(test)
    losses, n_classes = study_losses(plan.data.classes), plan.data.n_classes
    training_fits = {name: fits[fit_name] for name, fit_name in TRAINED.items()}
    for method in plan.alive:
        predicted, log_proba = _predict_conditions(fits, trial, method.name, CONDITIONS)
        rows = [predicted != truth, log_losses(log_proba, truth)]
        means = mean_losses(losses, truth, np.stack(rows), n_classes, weight=weight)
        by_model = _predict_conditions(fits, trial, method.name, MODELS)
        on_training = _predict_conditions(training_fits, trial, method.name, MODELS)
        softened = _softened(*by_model, truth), _softened(*on_training, codes[trained])
        split = SplitLosses(test, rows, softened[0], trained, softened[1])
        by_method[method.name] = TrialLosses(means, split)
    return by_method


def _softened(predicted: NDArray[np.intp], log_proba: Array, truth: NDArray[np.intp]) -> Array:
    """Return softened errors and log losses, (2, D, m)."""
    return np.stack([softened_errors(predicted, log_proba, truth), log_losses(log_proba, truth)])


def _predict_conditions(
    fits: Fits, trial: Trial, method: str, names: Iterable[str]
) -> tuple[NDArray[np.intp], Array]:
    """Return codes (C, m) and log posteriors (C, m, K) of a method in some conditions."""
    names = tuple(names)
    if any(by_method[method].learned is None for by_method in fits.values()):
        codes, posteriors = zip(
            *(predict_condition(fits, trial, name, method) for name in names), strict=True
        )
        return np.stack(codes), np.stack(posteriors)
    sources = [source_of(name) for name in names]
    chosen = [fits[source][method] for source, _ in sources]
    learned = np.stack([fit.learned for fit in chosen if fit.learned is not None])
    priors = np.stack([trial.shares(subset) for _, subset in sources])
    log_proba = exchange_priors(
        np.stack([fit.log_proba for fit in chosen]), learned[:, None], priors[:, None]
    )
    predicted = log_proba.argmax(axis=-1)
    if "moved threshold" in names:
        moved, shifts = names.index("moved threshold"), fits["reduced"][method].shifts
        if shifts is not None:
            predicted[moved] = (chosen[moved].log_proba + shifts).argmax(axis=-1)
    return predicted, log_proba
