"""Class-size sweep: every method on nested subsets, from all training rows to a few."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset, Split
from lincore.data.magnitudes import require_squares
from lincore.errors import DataError
from lincore.imbalance.losses import loss_names, mean_losses, study_losses
from lincore.imbalance.run_study import study_settings
from lincore.imbalance.sample_predictions import Prediction
from lincore.imbalance.size_curves import CURVES, Sweep
from lincore.imbalance.subsets import NestedSubsets, wanted_sizes
from lincore.imbalance.trials import Plan, at_once, moments_serve
from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.priors import exchange_priors
from lincore.model_selection.fitting import TrainingSample
from lincore.model_selection.methods import Method, as_methods
from lincore.model_selection.pipeline import PLAIN, Steps
from lincore.model_selection.splitters import default_scheme
from lincore.model_selection.stages import Task
from lincore.moments.moments import Moments
from lincore.utils.threads import WORTHWHILE, n_threads
from lincore.utils.typing import Array, Counts, Progress

# Maximum number of values in the rows for which iterative methods are fitted at every size.
FEW_VALUES = 500_000
# With more, they are fitted at every fourth size.
STRIDE = 4
# Small sizes fitted together, after which the sweep can be stopped.
TOGETHER = 4

NO_ROWS = np.empty(0, dtype=np.intp)
#: Random splits of a sweep.
SWEEP_REPEATS = 10


def sweep(
    data: Dataset,
    classes: Sequence[Any],
    sizes: Sequence[float] | None = None,
    methods: Any = ("lda", "qda", "logistic"),
    *,
    steps: Steps = PLAIN,
    split: str | Split | None = None,
    test_size: float = 0.3,
    seed: int = 0,
    repeats: int = SWEEP_REPEATS,
    exact: bool = True,
    progress: Progress | None = None,
    keep: Callable[[Sweep], None] | None = None,
    n_jobs: int | None = None,
) -> Sweep:
    """Reduce some classes of the training set step by step and record the losses of all methods.

    Smaller sets are subsets of larger ones, so methods fitted from moments need only one pass over
    the training rows. Other methods are fitted at each size, or at every fourth size if there are
    many rows. Sampling weights are used as in `lincore.balance`.

    Parameters
    ----------
    data : Dataset
        As for `lincore.balance`.
    classes : sequence of labels
        Classes that are reduced together.
    sizes : sequence of int or float, optional
        Training rows of each of these classes, as numbers or as shares (floats up to 1.0); the size
        with all rows is always added. Default: 20 sizes from all rows down to a few, in equal
        ratios.
    methods, steps, split, test_size, seed
        As for `lincore.balance`.
    repeats : int
        Number of random choices of the rows.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after every few sizes and after each repetition,
        with the number of finished repetitions. Returning False stops the sweep, which returns the
        finished repetitions; during the first, the finished sizes and NaN for the others.
    keep : callable, optional
        Called with the sweep so far: after each size in the first repetition, then after each
        repetition.
    exact : bool
        Also compute curves in which the classes are rarer but estimated from all rows
        (`Moments.scale`), without noise from the choice of rows.
    n_jobs : int, optional
        Processes, as in `lincore.compare`.

    Raises
    ------
    DataError
        If classes or sizes are invalid.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("gaussian")
    >>> curves = sweep(data, ["class 3"], [5, 10, 20, 40], ["lda", "qda"], repeats=3)
    >>> curves.rows.tolist()
    [5.0, 10.0, 20.0, 40.0, 53.0]
    >>> curve = curves.curve("lda", "recall of class 3")
    >>> bool(curve.mean[0] < curve.mean[-1])
    True
    """
    if repeats < 1:
        raise ValueError(f"At least one repetition is needed, got {repeats}.")
    labels = tuple(classes)
    if not labels:
        raise DataError("No class to reduce.", remedy="Name at least one.")
    require_squares(data)
    split = default_scheme(data, "stratified") if split is None else split
    least = dict.fromkeys(labels, 1)
    plan = Plan(data, least, as_methods(methods), steps, split, test_size, seed, n_jobs, repeats)
    first_split, nested = plan.draw(0)
    counts = nested.counts
    subsets = _subset_sizes(data, labels, sizes, counts)
    by_seed: list[Array] = []

    def make_sweep(losses: list[Array]) -> Sweep:
        return Sweep(
            classes=data.classes,
            swept=labels,
            sizes=np.array(subsets),
            methods=tuple(method.name for method in plan.methods),
            loss_names=loss_names(data.classes),
            losses=np.stack(losses, axis=3),
            seeds=seed + np.arange(len(losses)),
            test_ratio=len(first_split.test) / len(first_split.train) if plan.new_splits else 0.0,
            failures=dict(plan.failures),
            settings=study_settings(plan),
            n_test=len(first_split.test),
        )

    def report(losses: Array, n_sizes: int) -> bool:
        if keep is not None and not by_seed:
            keep(make_sweep([losses]))
        step = f"{plan.step_name(len(by_seed))}, {n_sizes} of {len(subsets)} sizes"
        return progress is None or progress(len(by_seed), repeats, step) is not False

    for repeat in range(repeats):
        losses, is_whole = _fit_seed(plan, subsets, repeat, exact, report)
        if is_whole or not by_seed:
            by_seed.append(losses)
        if keep is not None:
            keep(make_sweep(by_seed))
        step = plan.step_name(repeat)
        if not is_whole or (progress is not None and progress(repeat + 1, repeats, step) is False):
            break
    return make_sweep(by_seed)


def _fit_seed(
    plan: Plan,
    subsets: list[Counts],
    repeat: int,
    exact: bool,
    report: Callable[[Array, int], bool],
) -> tuple[Array, bool]:
    """Return the losses of a seed (M, A, 4, L), NaN if not fitted, and whether it is finished."""
    # `report` is called with the losses and the number of sizes after every few sizes; False stops.
    data, (split, nested) = plan.data, plan.draw(repeat)
    # Group splits have different sizes each time.
    subsets = [np.minimum(subset, nested.counts) for subset in subsets]
    serve = moments_serve(plan, len(split.train))
    losses = np.full((len(plan.methods), len(subsets), len(CURVES), 3 + data.n_classes), np.nan)
    target = _shares(nested.totals(nested.counts, data.weights))
    samples = nested.growing(data, subsets, summed=serve)
    last = None

    def task_of(size: tuple[int, Counts, TrainingSample], methods: tuple[Method, ...]) -> Task:
        _, subset, sample = size
        solved = serve and all(method.from_moments for method in methods)
        if not solved or plan.steps.chooses_components:
            sample = sample._replace(rows=nested.take(subset))
        return Task(sample, split.test)

    def fit(batch: list[tuple[int, Counts, TrainingSample]]) -> None:
        by_scope: dict[bool, list[tuple[int, Counts, TrainingSample]]] = {}
        for size in batch:
            every_method = _fits_every_method(plan, size[0], len(subsets), int(size[1].sum()))
            by_scope.setdefault(every_method, []).append(size)
        for every_method, chosen in by_scope.items():
            methods = tuple(m for m in plan.methods if every_method or m.from_moments)
            # Largest first: if a method fails at several sizes, the largest is reported.
            chosen.reverse()
            reasons: dict[str, str] = {}
            # Convergence and separation warnings are expected at small sizes.
            predictions, _ = plan.fit([task_of(size, methods) for size in chosen], reasons, methods)
            plan.failures.update(reasons)
            entries = [
                Entry(
                    losses[:, i, :2], fits, (_shares(nested.totals(subset, data.weights)), target)
                )
                for (i, subset, _), fits in zip(chosen, predictions, strict=True)
            ]
            _store_losses(plan, split, entries)

    sizes = zip(range(len(subsets)), subsets, samples, strict=True)
    n_values = len(split.train) * data.n_features
    # Small sizes are solved together, except the first few, so that the user sees results soon.
    # Larger ones are limited to one per thread, because the moments of all sizes would not fit into
    # memory.
    small = n_values < WORTHWHILE
    number = max(TOGETHER, at_once(plan, n_values)) if small and repeat else n_threads()
    while batch := list(islice(sizes, number)):
        last = batch[-1][2].moments
        fit(batch)
        start, stop = batch[0][0], batch[-1][0] + 1
        for n_sizes in (*range(start + TOGETHER, stop, TOGETHER), stop):
            if not report(losses.copy(), n_sizes):
                return losses, False
    if exact and serve:
        _fit_exact(plan, losses[:, :, 2:], subsets, last, split, nested)
    return losses, True


def _fit_exact(
    plan: Plan,
    losses: Array,
    subsets: list[Counts],
    moments: Moments | None,
    split: Split,
    nested: NestedSubsets,
) -> None:
    """Store the losses (M, A, 2, L) of fits to all rows with the class weights of each size."""
    methods = tuple(method for method in plan.methods if method.from_moments)
    counts, tasks, priors, rows = subsets[-1], [], [], NO_ROWS
    if plan.steps.chooses_components and not plan.streams:
        rows = nested.take(counts)
    totals = nested.totals(counts, plan.data.weights)
    for subset in subsets:
        weight = np.ones(len(subset))
        np.divide(subset, counts, out=weight, where=counts > 0)
        priors.append(_shares(totals * weight))
        sample = TrainingSample(rows, weight, moments)
        tasks.append(Task(sample, split.test))
    # Large models of all sizes would not fit into memory.
    small = len(split.train) * plan.data.n_features < WORTHWHILE
    number = len(tasks) if small else n_threads()
    for start in range(0, len(tasks), number):
        predictions, _ = plan.fit(tasks[start : start + number], plan.failures, methods)
        entries = [
            Entry(losses[:, i], fits, (priors[i], priors[-1]))
            for i, fits in enumerate(predictions, start)
        ]
        _store_losses(plan, split, entries)


def _shares(totals: Array) -> Array:
    return np.asarray(totals / totals.sum())


class Entry(NamedTuple):
    """Destination of the losses (M, 2, L) of some fits under two priors."""

    losses: Array
    fits: dict[str, Prediction]
    priors: tuple[Array, Array]


def _store_losses(plan: Plan, split: Split, entries: list[Entry]) -> None:
    """Store the losses of sizes that were fitted together."""
    truth, n_classes = plan.data.codes[split.test], plan.data.n_classes
    weight = plan.data.weights_of(split.test)
    for i, method in enumerate(plan.methods):
        chosen = [entry for entry in entries if method.name in entry.fits]
        if not chosen:
            continue
        predictions = [entry.fits[method.name] for entry in chosen]
        learned = [fit.learned for fit in predictions if fit.learned is not None]
        log_proba = np.stack([fit.log_proba for fit in predictions])[:, None]
        if len(learned) == len(predictions):
            priors = np.array([entry.priors for entry in chosen])
            old = np.stack(learned)[:, None, None]
            log_proba = exchange_priors(log_proba, old, priors[:, :, None])
            predicted = log_proba.argmax(axis=-1)
        else:
            pairs = [
                [fit.under(prior) for prior in entry.priors]
                for fit, entry in zip(predictions, chosen, strict=True)
            ]
            predicted = np.array([[codes for codes, _ in pair] for pair in pairs])
            log_proba = np.array([[logs for _, logs in pair] for pair in pairs])
        rows = np.stack([predicted != truth, log_losses(log_proba, truth)])
        losses = study_losses(np.arange(n_classes))
        means = mean_losses(losses, truth, rows, n_classes, weight=weight)
        for entry, values in zip(chosen, means, strict=True):
            entry.losses[i] = values


def _fits_every_method(plan: Plan, i: int, n_sizes: int, n_rows: int) -> bool:
    """Return whether iterative methods are fitted too at a size."""
    width = plan.steps.n_components
    p = width if isinstance(width, int) else plan.data.n_features
    return n_rows * p <= FEW_VALUES or (n_sizes - 1 - i) % STRIDE == 0


def _subset_sizes(
    data: Dataset, labels: tuple[Any, ...], sizes: Sequence[float] | None, counts: Counts
) -> list[Counts]:
    """Return the class counts (K,) of all subsets in increasing order; the last has all rows."""
    known = data.classes.tolist()
    smallest = wanted_sizes(data, counts, dict.fromkeys(labels, 1))
    available = counts[[known.index(label) for label in labels]]
    if sizes is None:
        least = min(3.0, float(available.min())) / float(available.min())
        sizes = list(np.geomspace(least, 1, 20)[:-1])
    subsets = {tuple(counts.tolist()): counts}
    for size in sizes:
        subset = wanted_sizes(data, counts, dict.fromkeys(labels, size))
        subsets[tuple(subset.tolist())] = subset
    return sorted(subsets.values(), key=lambda subset: int((subset - smallest).sum()))
