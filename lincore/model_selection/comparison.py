"""Comparison of several methods on the same splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from threadpoolctl import threadpool_limits

from lincore.data.dataset import Dataset, Split
from lincore.data.magnitudes import require_squares
from lincore.data.splits import Fold
from lincore.errors import DataError
from lincore.io.loading import as_dataset
from lincore.metrics.results import FeatureSelections, Results
from lincore.metrics.settings import Settings
from lincore.metrics.training_variance import training_variance_rows
from lincore.model_selection.engine import Completed, method_steps, run
from lincore.model_selection.fitted_model import FittedModel
from lincore.model_selection.fitting import Predicted, TrainingSample, training_sample
from lincore.model_selection.fold_moments import fold_moments
from lincore.model_selection.methods import Method, Spec, as_methods
from lincore.model_selection.methods import yardsticks as flexible_classifiers
from lincore.model_selection.pipeline import PLAIN, Steps, classifier_input_names
from lincore.model_selection.splitters import (
    Scheme,
    default_scheme,
    describe,
    plan_folds,
    plan_settings,
)
from lincore.model_selection.stages import Failure, Outcome, Task
from lincore.model_selection.streamed_rows import n_learned_from_streamed, streamed_blocks
from lincore.utils.thread_warnings import warn
from lincore.utils.typing import Array, Flags, Progress
from lincore.utils.versions import package_versions

if TYPE_CHECKING:
    from lincore.io.loading import Source


def compare(
    data: Dataset | Source,
    methods: Spec,
    scheme: Scheme | None = None,
    *,
    target: str | int | None = None,
    steps: Steps = PLAIN,
    seed: int = 0,
    test_size: float = 0.3,
    progress: Progress | None = None,
    keep: Callable[[Results], Any] | None = None,
    keep_models: bool = False,
    yardsticks: bool = False,
    preselection: bool = True,
    n_jobs: int | None = None,
) -> Results:
    """Fit several methods on the same training sets and predict the same test sets.

    Everything is fitted on training rows only: imputation and encoding, means and standard
    deviations, basis, principal components, classifier. Methods fitted from moments by class (LDA,
    QDA, naive Bayes, Fisher, least squares, and the steps before them) take one pass over the rows
    for all folds of a repetition together. If some rows are not in memory (``data.blocks``),
    logistic regression and multinomial naive Bayes take passes over them, which all folds share;
    how many rows each method learned from in addition is in ``settings.streamed``.

    Parameters
    ----------
    data : Dataset
        Or any source for `lincore.load`: a DataFrame, a path, (X, y).
    methods : str, classifier, or several, or a mapping from names to them
        "lda"; "logistic(C=inf, solver=newton)"; any classifier with scikit-learn's interface. See
        `lincore.model_selection.methods`.
    scheme : str, splitter or Split, optional
        "holdout", "given", "last", "10-fold", "10x10-fold", "leave-one-out", "by-group", "5-fold
        by group", or any splitter. See `lincore.model_selection.splitters.plan_folds`. Default:
        "holdout by group" if the data have groups, otherwise "holdout".
    target : str or int, optional
        The column of the classes, if `data` is a table.
    steps : Steps
        Preprocessing before every classifier. Methods for counts (multinomial naive Bayes) use the
        prepared rows without further steps.
    seed : int, default 0
        For splits, and for every method whose `random_state` is None.
    test_size : float, default 0.3
        Test fraction of a hold-out.
    progress : callable, optional
        ``progress(done, total, what)``, called after every step. If it returns False the comparison
        stops, and the results contain the finished methods.
    keep : callable, optional
        ``keep(results)``, called with the results so far whenever a method is finished.
    keep_models : bool, default False
        Also fit each method on all rows, for ``results.model(name)``, which predicts rows of a new
        file. Scores refer to the models of the folds, not to these.
    yardsticks : bool, default False
        Also fit gradient boosting and a random forest on the same splits, as references that are
        not ranked: their results are in ``results.yardsticks``, and
        ``results.against_yardsticks()`` compares the methods with them.
    preselection : bool, default True
        Whether to fit methods with stepwise selection also to the features that they select from
        all rows, before the splits: ``results.selection_optimism()`` shows how much better they
        then seem.
    n_jobs : int, optional
        Number of processes in which methods that need rows are fitted, for fits of several seconds;
        -1 uses all cores. None means 1 unless in a `joblib.parallel_config` context, which may also
        name a Dask cluster: ``joblib.parallel_config("dask", scatter=[data])``. Methods fitted from
        moments share the cores of this process.

    Returns
    -------
    Results
        A method that could not be fitted is omitted with a warning; the reason is in
        ``settings.failed``. Warnings of lincore's own classifiers are counted in
        ``settings.notes``. ``seconds`` includes shared steps for each method.

    Raises
    ------
    DataError
        If the scheme is not possible with the data, no method could be fitted, or the squares of a
        feature overflow.
    ValueError, TypeError
        For unknown methods.

    Examples
    --------
    >>> import lincore
    >>> results = compare(lincore.sample("iris"), ["lda", "qda"], "5-fold")
    >>> results.methods, results.predicted.shape
    (('lda', 'qda'), (2, 150))
    >>> float((results.predicted == results.truth).mean(axis=1).round(2)[0])
    0.98
    """
    data = as_dataset(data, target)
    chosen = as_methods(methods)
    require_squares(data)
    scheme = default_scheme(data) if scheme is None else scheme
    plan = plan_folds(data, scheme, seed, test_size=test_size)
    settings = replace(
        method_settings(plan_settings(data, plan), chosen, data, steps),
        scheme=describe(scheme),
        test_size=test_size,
        seed=seed,
        streamed={
            m.name: n_learned_from_streamed(
                data, plan, m.from_blocks, method_steps(m, data, steps).basis
            )
            for m in chosen
        },
    )
    predictions = _Predictions(data, plan, chosen)
    stopped = False
    for step in run(
        predictions.tasks(),
        chosen,
        data,
        steps=steps,
        seed=seed,
        moments=partial(fold_moments, data, plan),
        n_jobs=n_jobs,
    ):
        predictions.add(step)
        if keep is not None and step.outcomes and step.task == len(plan) - 1:
            keep(predictions.results(replace(settings, stopped=True)))
        label = f"{step.label}: fold {step.task + 1} of {len(plan)}"
        if progress is not None and progress(step.done, step.total, label) is False:
            stopped = len(predictions.finished) < len(chosen)
            break
    results = predictions.results(replace(settings, stopped=stopped))
    failed = results.settings.failed
    if failed and not results.methods and not stopped:
        name, reason = next(iter(failed.items()))
        raise DataError(f"{name}: {reason}", where=data.name)
    for name, reason in failed.items():
        warn(f"{name} is left out: {reason}", FitFailedWarning, stacklevel=2)
    if keep_models:
        fitted = [method for method in chosen if method.name in results.methods]
        results = replace(results, models=_models(data, fitted, steps, seed, n_jobs))
    compare_on_same_splits = partial(
        compare,
        data,
        scheme=scheme,
        steps=steps,
        seed=seed,
        test_size=test_size,
        n_jobs=n_jobs,
    )
    if preselection and results.selections and not stopped:
        preselected = _preselected(data, chosen, results, steps, seed, n_jobs)
        if preselected:
            again = compare_on_same_splits(preselected, preselection=False)
            results = replace(results, preselected=again)
    if not yardsticks or stopped:
        return results
    # Boosting's threads wait for each other if other work shares the cores, which takes 30 times as
    # long.
    with threadpool_limits(1, user_api="openmp"):
        try:
            flexible = compare_on_same_splits(flexible_classifiers(), progress=progress)
        except DataError as error:  # the comparison is complete without yardsticks
            warn(f"There are no yardsticks: {error}", FitFailedWarning, stacklevel=2)
            return results
    return replace(results, yardsticks=flexible)


def _models(
    data: Dataset, methods: Sequence[Method], steps: Steps, seed: int, n_jobs: int | None
) -> dict[str, FittedModel]:
    """Fit methods on all rows; one that fails is omitted with a warning."""
    outcomes = _fit_all_rows(data, methods, steps, seed, n_jobs)
    models = {}
    for method in methods:
        outcome = outcomes[method.name]
        if isinstance(outcome, Failure):
            reason = f"No model of {method.name}: {outcome.reason}"
            warn(reason, FitFailedWarning, stacklevel=3)
        else:  # its warnings are in the notes of the folds
            models[method.name] = FittedModel.of(data, outcome.pipeline, method.label)
    return models


def _fit_all_rows(
    data: Dataset, methods: Sequence[Method], steps: Steps, seed: int, n_jobs: int | None
) -> dict[str, Outcome]:
    no_rows = np.arange(0)
    task = Task(training_sample(data, Split(np.arange(data.n_rows), no_rows)), no_rows)
    outcomes: dict[str, Outcome] = {}
    for step in run([task], methods, data, steps=steps, seed=seed, n_jobs=n_jobs):
        outcomes |= step.outcomes
    return outcomes


def _preselected(
    data: Dataset,
    methods: Sequence[Method],
    results: Results,
    steps: Steps,
    seed: int,
    n_jobs: int | None,
) -> list[Method]:
    """Return the methods that select, with the features that they select from all rows."""
    selecting = [method for method in methods if method.name in results.selections]
    outcomes, preselected = _fit_all_rows(data, selecting, steps, seed, n_jobs), []
    for method in selecting:
        outcome = outcomes[method.name]
        if isinstance(outcome, Failure):
            continue
        names = classifier_input_names(outcome.pipeline, data)
        in_folds = results.selections[method.name]
        if not in_folds.same_inputs or names != in_folds.features:
            continue
        params = method.estimator.get_params(deep=True)
        option = next((name for name in params if name.rpartition("__")[2] == "selection"), "")
        if not isinstance(params.get(option), str):  # fixed positions
            continue
        positions = np.flatnonzero(outcome.pipeline.steps[-1][1].selected_)
        estimator = clone(method.estimator).set_params(**{option: tuple(positions.tolist())})
        label = f"{method.label}, selected on all rows"
        preselected.append(Method(f"{method.name} on all rows", estimator, label, method.word))
    return preselected


class _Predictions:
    """The predictions of the methods of a comparison so far."""

    # `rows` are the rows that each fold predicts, `common` those that the models of several folds
    # predict, to compare the models.

    def __init__(self, data: Dataset, plan: Sequence[Fold], methods: Sequence[Method]) -> None:
        self.data, self.plan, self.names = data, plan, [method.name for method in methods]
        self.common = training_variance_rows(data.codes, plan, data.n_classes)
        n_common = len(self.common.rows)
        self.tested = _Collected(len(methods), [len(f.test) for f in plan], data.n_classes)
        self.compared = _Collected(
            len(methods), [n_common] * len(self.common.folds), data.n_classes
        )
        self.seconds = np.zeros(len(methods))
        self.failed: dict[str, str] = {}
        self.notes: dict[str, Counter[str]] = {name: Counter() for name in self.names}
        self.finished: set[str] = set()
        self.selected: dict[str, dict[int, tuple[tuple[str, ...], Flags]]] = {}

    def tasks(self) -> list[Task]:
        """Return the task of each fold: to predict its test rows, then common ones."""
        return [
            Task(
                TrainingSample(
                    fold.train, blocks=streamed_blocks(self.data, fold.train, fold.test)
                ),
                np.concatenate([fold.test, self.common.rows])
                if i in self.common.folds
                else fold.test,
            )
            for i, fold in enumerate(self.plan)
        ]

    def add(self, step: Completed) -> None:
        """Store the outcomes of some methods on one fold."""
        fold, folds = step.task, self.common.folds
        if fold == len(self.plan) - 1:
            self.finished |= step.outcomes.keys()
        for name, outcome in step.outcomes.items():
            self.notes[name].update({type(warning).__name__ for warning in outcome.warnings})
            if isinstance(outcome, Failure):
                where = f" (training set of fold {fold + 1})" if len(self.plan) > 1 else ""
                self.failed.setdefault(name, outcome.reason + where)
                continue
            method, n_tested = self.names.index(name), len(self.plan[fold].test)
            self.seconds[method] += outcome.seconds
            chosen = getattr(outcome.pipeline.steps[-1][1], "selected_", None)
            if chosen is not None:
                names = classifier_input_names(outcome.pipeline, self.data)
                self.selected.setdefault(name, {})[fold] = names, chosen
            self.tested.put(method, fold, outcome.predicted.take(slice(n_tested)))
            if fold in folds:
                others = outcome.predicted.take(slice(n_tested, None))
                self.compared.put(method, folds.index(fold), others)

    def results(self, settings: Settings) -> Results:
        """Return the results of the finished methods, none of which failed."""
        settings = replace(
            settings,
            failed=dict(self.failed),
            notes={name: dict(notes) for name, notes in self.notes.items() if notes},
        )
        results = self._results(self.tested, self.plan, [f.test for f in self.plan], settings)
        selections = {
            name: _join_selections(by_fold)
            for name, by_fold in self.selected.items()
            if name in results.methods
        }
        results = replace(results, selections=selections)
        if not self.common.folds:
            return results
        plan = [self.plan[i] for i in self.common.folds]
        rows = [self.common.rows] * len(plan)
        own_settings = Settings(row_weights=self.data.weights_of(np.concatenate(rows)))
        return replace(results, common=self._results(self.compared, plan, rows, own_settings))

    def _results(
        self,
        collected: _Collected,
        plan: Sequence[Fold],
        rows_by_fold: list[NDArray[np.intp]],
        settings: Settings,
    ) -> Results:
        names = self.names
        completed = [
            j for j, name in enumerate(names) if name in self.finished and name not in self.failed
        ]
        # A slice makes no copy.
        indices: Any = slice(None) if len(completed) == len(names) else completed
        rows, sizes = np.concatenate(rows_by_fold), [len(rows) for rows in rows_by_fold]
        return Results(
            methods=tuple(names[j] for j in completed),
            classes=self.data.classes,
            rows=rows,
            truth=self.data.codes[rows],
            predicted=collected.predicted[indices],
            log_proba=collected.log_proba[indices],
            decision={
                names[j]: collected.decision[j] for j in completed if j in collected.decision
            },
            seconds=self.seconds[indices],
            fold=np.repeat([fold.fold for fold in plan], sizes),
            repetition=np.repeat([fold.repetition for fold in plan], sizes),
            n_train=np.repeat([len(fold.train) for fold in plan], sizes),
            settings=settings,
        )


class _Collected:
    """Predictions of M methods for the rows of J folds, given their sizes, concatenated."""

    # `predicted` is (M, m), `log_proba` (M, m, K); `decision` has the scores (m, K) of methods
    # without posteriors.

    def __init__(self, n_methods: int, sizes: Sequence[int], n_classes: int) -> None:
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.intp)])
        shape = (n_methods, int(self._starts[-1]))
        self.predicted = np.zeros(shape, dtype=np.intp)
        self.log_proba = np.full((*shape, n_classes), np.nan)
        self.decision: dict[int, Array] = {}

    def put(self, method: int, fold: int, predicted: Predicted) -> None:
        """Store the predictions of one fold."""
        rows = slice(self._starts[fold], self._starts[fold + 1])
        self.predicted[method, rows] = predicted.codes
        self.log_proba[method, rows] = predicted.log_proba
        if predicted.decision is not None:
            self.decision.setdefault(method, np.full_like(self.log_proba[method], np.nan))
            self.decision[method][rows] = predicted.decision


def _join_selections(by_fold: Mapping[int, tuple[tuple[str, ...], Flags]]) -> FeatureSelections:
    """Join the selections of all folds, whose inputs may differ where levels are missing."""
    folds = [by_fold[fold] for fold in sorted(by_fold)]
    features = tuple(dict.fromkeys(name for names, _ in folds for name in names))
    selected = [set(compress(names, flags)) for names, flags in folds]
    flags = np.array([[name in selection for name in features] for selection in selected])
    return FeatureSelections(features, flags, all(names == features for names, _ in folds))


def method_settings(
    settings: Settings, methods: Sequence[Method], data: Dataset, steps: Steps
) -> Settings:
    """Add methods with their steps and options to settings, and the versions of the libraries."""
    described = {}
    for method in methods:
        own = method_steps(method, data, steps)
        # A basis is described by its representation.
        basis = None if own.basis is None else " ".join(str(own.basis).split())
        described[method.name] = own._replace(basis=basis)._asdict()
    return replace(
        settings,
        steps=described,
        options={m.name: dict(m.options) for m in methods},
        labels={m.name: m.label for m in methods},
        versions=package_versions(),
    )
