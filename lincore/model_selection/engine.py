"""Fitting methods on the folds of a plan: from moments where possible, else from rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from sklearn.base import clone

from lincore.data.dataset import Dataset
from lincore.data.splits import Fold
from lincore.estimators.batched_moments import MomentStack
from lincore.model_selection._fold_moments import (
    leaves_parts_out,
    of_fold,
    summarise_parts,
    training_moments,
)
from lincore.model_selection.batched_fits import fit_moment_stack, moment_stack, solved_together
from lincore.model_selection.fitting import (
    TrainingInputs,
    categorical_columns,
    fit_classifier,
    fit_preprocessor,
    predict_codes,
    through,
)
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import Steps, pipeline_for, steps_before
from lincore.model_selection.run import Outcome, Run, StoppedError
from lincore.model_selection.streamed_rows import with_streamed
from lincore.moments.moments import Moments
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.threads import WORTHWHILE, part_mapper

Preprocessor: TypeAlias = Sequence[tuple[str, Any]]

# Singular vectors that sparse rows are projected on, for methods that need dense ones.
SPARSE_COMPONENTS = 100
# Numbers in the fitted steps of all folds that are kept for the methods that need rows (240 MB).
LARGEST_FRONTS = 30_000_000
# Numbers in moments and test rows of the folds that are solved together (2 MB).
CACHED_VALUES = 250_000
# Features from which on folds are fitted on both cores: below, Python's own work decides.
WIDE = 200


class Group(NamedTuple):
    """Methods behind the same steps, as positions among the methods of a run.

    Attributes
    ----------
    steps : Steps
    solved : tuple of int
        Those that are functions of the moments by class.
    iterated : tuple of int
        Those that need the rows.
    preprocessors : dict
        Steps as fitted on the training rows, and the seconds that took, by position of the fold.
    """

    steps: Steps
    solved: tuple[int, ...]
    iterated: tuple[int, ...]
    preprocessors: dict[int, tuple[Preprocessor, float]]


class Ready(NamedTuple):
    """A fold behind its fitted steps.

    Attributes
    ----------
    training : Training
    rows : (m, q) array or None
        To predict; None where no method is solved from moments.
    seconds : float
        Spent on it.
    """

    training: TrainingInputs
    rows: Any
    seconds: float


def execute(run: Run, steps: Steps) -> bool:
    """Fit and predict; return whether the progress callback stopped it.

    The methods that are solved from moments come first, together; then the others, one by one.
    """
    groups = _grouped(run, steps)
    shared = [group for group in groups if group.solved or _is_costly(group, run.data)]
    n_iterated = sum(len(group.iterated) for group in groups)
    run.total = len(run.plan) * (len(shared) + n_iterated)
    try:
        # Small products are done before a second thread of BLAS has woken up.
        with part_mapper(run.data.X.size if run.data.X.size < WORTHWHILE else 0):
            for group in shared:
                _solve(run, group)
        for group in groups:
            for method in group.iterated:
                _iterate(run, group, method)
    except StoppedError:
        return len(run.finished) < len(run.methods)
    return False


def method_steps(method: Method, data: Dataset, steps: Steps) -> Steps:
    """Return the steps before a method: those asked for, as far as it allows them.

    Counts are neither standardised nor projected. Sparse rows are projected for a method that
    takes only dense ones.
    """
    if method.counts:
        return Steps(standardize=False)
    steps = steps_before(method.estimator, data, steps)
    if data.kind.is_sparse and steps.n_components is None and not method.takes_sparse:
        return steps._replace(n_components=min(SPARSE_COMPONENTS, *(s - 1 for s in data.X.shape)))
    return steps


def _grouped(run: Run, steps: Steps) -> list[Group]:
    wanted = [method_steps(method, run.data, steps) for method in run.methods]
    groups = []
    for chosen in dict.fromkeys(map(_key, wanted)):
        members = [j for j, own in enumerate(wanted) if _key(own) == chosen]
        solved = tuple(j for j in members if run.methods[j].from_moments)
        iterated = tuple(j for j in members if not run.methods[j].from_moments)
        groups.append(Group(wanted[members[0]], solved, iterated, {}))
    return groups


def _key(steps: Steps) -> str:
    # A basis may be any transformer, which cannot be hashed.
    return repr(steps)


def _is_costly(group: Group, data: Dataset) -> bool:
    """Return whether steps before methods that need rows are worth fitting once for all of them."""
    return group.steps != Steps(standardize=False) or data.needs_preparation


def _solve(run: Run, group: Group) -> None:
    """Fit the steps of a group, and what is solved from moments behind them, on every fold."""
    data = run.data
    what = ", ".join(run.methods[j].label for j in group.solved) or "steps before the methods"
    wanted = bool(group.solved) or group.steps.n_components is not None
    for _, members in groupby(enumerate(run.plan), key=lambda item: item[1].repetition):
        numbers, plan = zip(*members, strict=True)
        simple = wanted and not data.needs_preparation and group.steps.basis is None
        if simple and leaves_parts_out(plan, data.X, data.codes):
            outcomes = _from_one_pass(run, group, numbers, plan)
        else:
            outcomes = (_solve_folds(run, group, [(i, None, 0.0)])[0] for i in numbers)
        for i, found in zip(numbers, outcomes, strict=True):
            for method, outcome in found.items():
                run.keep(method, i, outcome)
            if i == len(run.plan) - 1:
                run.finish(group.solved)
            run.report(f"{what}: fold {i + 1} of {len(run.plan)}")


def _from_one_pass(
    run: Run, group: Group, numbers: Sequence[int], plan: Sequence[Fold]
) -> Iterator[dict[int, Outcome]]:
    data = run.data
    start = time.perf_counter()
    known = _training(data, plan)
    shared = (time.perf_counter() - start) / len(plan)
    stopped = False
    with part_mapper(data.X.size if data.n_features >= WIDE else 0) as mapper:
        n_values = data.n_features * (data.n_classes * data.n_features + len(plan[0].test))
        length = max(1, CACHED_VALUES // n_values)

        def solve(first: int) -> list[dict[int, Outcome]]:
            if stopped:
                return []
            positions = range(first, min(first + length, len(plan)))
            return _solve_folds(run, group, [(numbers[i], known(i), shared) for i in positions])

        try:
            for found in mapper(solve, range(0, len(plan), length)):
                yield from found
        finally:
            stopped = True  # what waits in the threads' queue is left undone


def _training(data: Dataset, plan: Sequence[Fold]) -> Callable[[int], Moments]:
    """Make the one pass; return what gives the training rows of each fold."""
    parts = summarise_parts(data.X, data.codes, data.n_classes, plan)
    with part_mapper(data.X.size if data.n_features >= WIDE else 0) as mapper:
        moments = training_moments(parts, len(plan), mapper)
    return lambda fold: of_fold(moments, fold)


def _solve_folds(
    run: Run, group: Group, folds: Sequence[tuple[int, Moments | None, float]]
) -> list[dict[int, Outcome]]:
    """Fit steps and methods on some folds.

    Parameters
    ----------
    run : Run
    group : Group
    folds : sequence of (number, Moments or None, float)
        The training rows, where they are known, and the seconds that took.

    Returns
    -------
    list of dict
        Of each fold, by position of the method.
    """
    prepared = [_prepare(run, group, *fold) for fold in folds]
    found: list[dict[int, Outcome]] = [
        {} if isinstance(one, Ready) else dict.fromkeys((*group.solved, *group.iterated), one)
        for one in prepared
    ]
    ready = [one for one in prepared if isinstance(one, Ready)]
    places = [place for place, one in zip(found, prepared, strict=True) if isinstance(one, Ready)]
    stack = moment_stack([one.training for one in ready])
    # Method by method: what one fold has brought into the cache, the code above all, serves all.
    for j in group.solved:
        for place, outcome in zip(places, _fit_folds(run, j, ready, stack), strict=True):
            place[j] = outcome
    return found


def _fit_folds(
    run: Run, method: int, folds: Sequence[Ready], stack: MomentStack | None
) -> Iterator[Outcome]:
    """Fit a method on some folds, on all at once if their moments stand together and decide."""
    start = time.perf_counter()
    every: Sequence[Any] = [None] * len(folds)
    trainings = [ready.training for ready in folds]
    if stack is not None and solved_together(run.methods[method].estimator, trainings):
        every = fit_moment_stack(run.prototypes[method], stack, [[ready.rows] for ready in folds])
    each = (time.perf_counter() - start) / max(1, len(folds))
    for ready, predictions in zip(folds, every, strict=True):
        if predictions is None:
            yield _fit_and_predict(run, method, *ready)
        else:
            yield Outcome(predictions[0], ready.seconds + each)


def _prepare(
    run: Run, group: Group, number: int, known: Moments | None, shared: float
) -> Ready | Outcome:
    """Fit the steps on one fold, from moments of its training rows where they are given.

    Their time is counted for every method, as if it had been fitted alone.

    Returns
    -------
    Ready or Outcome
        The latter if it failed.
    """
    data, fold = run.data, run.plan[number]
    start = time.perf_counter()
    preprocessor = pipeline_for(data, None, group.steps, seed=run.seed).steps
    try:
        training = _fit_steps(data, fold, preprocessor, known, group)
    except ValueError as error:
        return Outcome(None, 0.0, str(error))
    shared += time.perf_counter() - start
    if group.iterated and _may_keep(run, group):
        group.preprocessors[number] = preprocessor, shared
    rows = None
    if group.solved:
        rows = through(preprocessor, data.X[run.asked(number)])
    return Ready(training, rows, shared)


def _fit_steps(
    data: Dataset, fold: Fold, preprocessor: Preprocessor, known: Moments | None, group: Group
) -> TrainingInputs:
    """Fit steps on one fold."""
    codes = data.codes[fold.train]
    if group.steps.basis is None:
        known = with_streamed(data, fold.train, fold.test, known)
    X = None if known is not None else data.X[fold.train]
    summary = bool(group.solved)
    return fit_preprocessor(
        preprocessor, X, codes, data.n_classes, moments=known, rows=False, summary=summary
    )


def _iterate(run: Run, group: Group, method: int) -> None:
    """Fit one method that needs rows on every fold."""
    data, label = run.data, run.methods[method].label
    for i, fold in enumerate(run.plan):
        if method not in run.failures:
            X, codes = data.X[fold.train], data.codes[fold.train]
            start = time.perf_counter()
            try:
                preprocessor, shared = group.preprocessors.get(i, (None, 0.0))
                if preprocessor is None:
                    preprocessor = pipeline_for(data, None, group.steps, seed=run.seed).steps
                    plain = group.steps.basis is None
                    moments = with_streamed(data, fold.train, fold.test) if plain else None
                    training = fit_preprocessor(
                        preprocessor, X, codes, data.n_classes, moments=moments, summary=False
                    )
                else:
                    groups = categorical_columns(preprocessor)
                    training = TrainingInputs(
                        codes, data.n_classes, through(preprocessor, X), categorical_columns=groups
                    )
                rows = through(preprocessor, data.X[run.asked(i)])
                shared += time.perf_counter() - start
                outcome = _fit_and_predict(run, method, training, rows, shared)
            except ValueError as error:
                outcome = Outcome(None, 0.0, str(error))
            run.keep(method, i, outcome)
        if i == len(run.plan) - 1:
            run.finish([method])
        run.report(f"{label}: fold {i + 1} of {len(run.plan)}")


def _fit_and_predict(
    run: Run, method: int, training: TrainingInputs, rows: Any, shared: float
) -> Outcome:
    start = time.perf_counter()
    try:
        if training.moments is not None:
            # Nothing is written into what it shares with the prototype.
            model = fit_classifier(_same(run.prototypes[method]), training)
        else:
            model = _fit_watched(run, method, training)
        seconds = shared + time.perf_counter() - start
        return Outcome(predict_codes(model, rows, training.n_classes), seconds)
    except ValueError as error:
        return Outcome(None, 0.0, str(error))
    except Exception as error:  # a classifier from elsewhere may raise anything
        if run.methods[method].word is not None:
            raise
        return Outcome(None, 0.0, f"{type(error).__name__}: {error}")


def _same(prototype: Any) -> Any:
    """Return a shallow copy, without the detour of `copy.copy` through pickling's protocol."""
    model = object.__new__(type(prototype))
    model.__dict__.update(prototype.__dict__)
    return model


def _fit_watched(run: Run, method: int, training: TrainingInputs) -> Any:
    """Fit from rows; note warnings (no convergence, separation) instead of showing them."""
    with captured_warnings() as warned:
        model = fit_classifier(clone(run.prototypes[method]), training)
    notes = run.notes.setdefault(method, {})
    for category in {type(warning).__name__ for warning in warned}:
        notes[category] = notes.get(category, 0) + 1
    return model


def _may_keep(run: Run, group: Group) -> bool:
    n_components = group.steps.n_components
    width = n_components if isinstance(n_components, int) else run.data.n_features
    wide = run.data.n_features * (width if n_components is not None else 1)
    return len(run.plan) * wide <= LARGEST_FRONTS
