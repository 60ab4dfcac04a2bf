"""Comparison of several methods on the same splits."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import FitFailedWarning

from lincore.data.dataset import Dataset
from lincore.data.frames import is_frame
from lincore.data.magnitudes import require_squares
from lincore.data.splits import Fold
from lincore.errors import DataError
from lincore.io.loading import load
from lincore.metrics.results import Results
from lincore.metrics.settings import Settings
from lincore.model_selection._folds import execute
from lincore.model_selection.engine import fit_pipeline, fresh_model, method_steps
from lincore.model_selection.fitted_model import FittedModel
from lincore.model_selection.methods import Method, Spec, as_methods
from lincore.model_selection.pipeline import PLAIN, Steps, pipeline_for
from lincore.model_selection.run import Collected, Run
from lincore.model_selection.splitters import (
    Scheme,
    default_scheme,
    describe,
    plan_folds,
    plan_settings,
)
from lincore.model_selection.streamed_rows import n_learned_from_streamed, with_streamed
from lincore.utils.thread_warnings import captured_warnings, warn
from lincore.utils.typing import Progress
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
) -> Results:
    """Fit several methods on the same training sets and predict the same test sets.

    Everything is fitted on training rows only: imputation and encoding, means and standard
    deviations, basis, principal components, classifier. Methods fitted from moments by class (LDA,
    QDA, naive Bayes, Fisher, least squares, and the steps before them) take one pass over the rows
    for all folds of a repetition together. They also use the streamed rows of a large file
    (``data.streamed``), counted in ``settings.streamed``.

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
                data, plan, m.from_moments, method_steps(m, data, steps).basis
            )
            for m in chosen
        },
    )
    run = Run(data, plan, chosen, seed, progress)
    if keep is not None:
        run.heed = lambda: keep(_results(run, replace(settings, stopped=True)))
    stopped = execute(run, steps)
    results = _results(run, replace(settings, stopped=stopped))
    failed = results.settings.failed
    if failed and not results.methods and not stopped:
        name, reason = next(iter(failed.items()))
        raise DataError(f"{name}: {reason}", where=data.name)
    for name, reason in failed.items():
        warn(f"{name} is left out: {reason}", FitFailedWarning, stacklevel=2)
    if not keep_models:
        return results
    kept = [method for method in chosen if method.name in results.methods]
    return replace(results, models=models_of(data, kept, steps, seed))


def as_dataset(data: Any, target: str | int | None = None) -> Dataset:
    """Return a data set unchanged, or load one by `lincore.load`."""
    if isinstance(data, Dataset):
        if target not in (None, data.target_name):
            raise DataError(
                f"The classes of {data.name} have already been chosen: {data.target_name!r}.",
                where=f"target={target!r}",
                remedy=f"Load it again: lincore.load(source, target={target!r}).",
            )
        return data
    pair = isinstance(data, tuple) and len(data) == 2
    if pair or isinstance(data, (str, bytes, os.PathLike)) or is_frame(data):
        return load(data, target=target)
    raise DataError(
        f"Methods are compared on a data set, not on {type(data).__name__}.",
        where="compare",
        remedy="Create one with lincore.load(file or DataFrame, target=...), lincore.load((X, y)) "
        "or lincore.sample(name).",
    )


def models_of(
    data: Dataset, methods: Sequence[Method], steps: Steps, seed: int
) -> dict[str, FittedModel]:
    """Fit methods on all rows; one that fails is omitted with a warning."""
    found = {}
    rows, none = np.arange(data.n_rows), np.arange(0)
    for method in methods:
        own = method_steps(method, data, steps)
        pipeline = pipeline_for(data, fresh_model(method, data, seed), own, seed=seed)
        moments = with_streamed(data, rows, none) if own.basis is None else None
        try:
            with captured_warnings():  # the notes of the folds report missing convergence
                fit_pipeline(pipeline, data, rows, moments=moments)
        except DataError as error:
            warn(f"No model of {method.name}: {error}", FitFailedWarning, stacklevel=3)
            continue
        found[method.name] = FittedModel.of(data, pipeline, method.label)
    return found


def _results(run: Run, settings: Settings) -> Results:
    """Return the results of the finished methods, none of which failed."""
    kept = [j for j in range(len(run.methods)) if j in run.finished and j not in run.failures]
    names = [method.name for method in run.methods]
    settings = replace(
        settings,
        failed={names[j]: reason for j, reason in run.failures.items()},
        notes={names[j]: dict(notes) for j, notes in run.notes.items() if notes},
    )
    rows = [fold.test for fold in run.plan]
    results = _collected(run, kept, run.tested, run.plan, rows, settings)
    if not run.common.folds:
        return results
    plan = [run.plan[i] for i in run.common.folds]
    every = [run.common.rows] * len(plan)
    own = run.data.weights_of(np.concatenate(every))
    common = _collected(run, kept, run.compared, plan, every, Settings(row_weights=own))
    return replace(results, common=common)


def _collected(
    run: Run,
    kept: list[int],
    found: Collected,
    plan: list[Fold],
    rows: list[NDArray[np.intp]],
    settings: Settings,
) -> Results:
    # A slice makes no copy.
    lines: Any = slice(None) if len(kept) == len(run.methods) else kept
    every, sizes = np.concatenate(rows), [len(part) for part in rows]
    names = [method.name for method in run.methods]
    return Results(
        methods=tuple(names[j] for j in kept),
        classes=run.data.classes,
        rows=every,
        truth=run.data.codes[every],
        predicted=found.predicted[lines],
        log_proba=found.log_proba[lines],
        decision={names[j]: found.decision[j] for j in kept if j in found.decision},
        seconds=run.seconds[lines],
        fold=np.repeat([fold.fold for fold in plan], sizes),
        repetition=np.repeat([fold.repetition for fold in plan], sizes),
        n_train=np.repeat([len(fold.train) for fold in plan], sizes),
        settings=settings,
    )


def method_settings(
    settings: Settings, methods: Sequence[Method], data: Dataset, steps: Steps
) -> Settings:
    """Add methods with their steps and options to settings, and the versions of the libraries."""
    described = {}
    for method in methods:
        own = method_steps(method, data, steps)
        # A basis as the text that names it.
        basis = None if own.basis is None else " ".join(str(own.basis).split())
        described[method.name] = own._replace(basis=basis)._asdict()
    return replace(
        settings,
        steps=described,
        options={m.name: dict(m.options) for m in methods},
        labels={m.name: m.label for m in methods},
        versions=package_versions(),
    )
