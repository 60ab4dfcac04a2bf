"""Fitting methods on one sample of the training rows, weighted, and asking under other priors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.datasets import Dataset
from lincore.experiments.fitting import Training, fit_classifier, fit_front, predictions
from lincore.experiments.methods import Method
from lincore.experiments.pipeline import Steps, pipeline_for
from lincore.experiments.priors import adjust, move_threshold
from lincore.experiments.running import steps_of
from lincore.experiments.stacked_fits import fit_stack, stackable
from lincore.moments import Moments

Array = NDArray[np.float64]


class Sample(NamedTuple):
    """Rows to be fitted on, what a row of each class weighs, and moments where there are any.

    Attributes
    ----------
    rows : ndarray of row numbers
        A row may stand there several times. Nobody looks at them where all methods are solved
        from the moments, and no threshold is moved.
    class_weight : ndarray of shape (K,) or None
    moments : Moments or None
        By class, not weighted.
    """

    rows: NDArray[np.intp]
    class_weight: Array | None = None
    moments: Moments | None = None

    def shares(self, codes: NDArray[np.intp], n_classes: int) -> Array:
        """Return the share of each class in the total weight: the priors that training learns."""
        if self.moments is not None:
            weight = self.moments.count
        else:
            weight = np.bincount(codes[self.rows], minlength=n_classes).astype(float)
        if self.class_weight is not None:
            weight = weight * self.class_weight
        return np.asarray(weight / weight.sum())


class Prediction(NamedTuple):
    """What one fit says about the test rows, under the priors that it learned.

    Attributes
    ----------
    predicted : ndarray of shape (m,)
    log_proba : ndarray of shape (m, K)
    learned : ndarray of shape (K,) or None
        Priors behind the posteriors; None where they do not come from the rows, or there are no
        posteriors: such a method stays as it is.
    shifts : ndarray of shape (K,) or None
        A moved threshold.
    pipeline : Pipeline or None
        None for a model that was solved together with others, see `fit_samples`.
    seconds : float
    """

    predicted: NDArray[np.intp]
    log_proba: Array
    learned: Array | None
    shifts: Array | None
    pipeline: Pipeline | None
    seconds: float

    def under(self, priors: Array) -> tuple[NDArray[np.intp], Array]:
        """Return codes and log posteriors with these priors in the place of the learned ones."""
        if self.learned is None:
            return self.predicted, self.log_proba
        # By the posteriors and never by votes, so that one rule holds under all priors.
        log_proba = adjust(self.log_proba, self.learned, priors)
        return log_proba.argmax(axis=1), log_proba

    def moved(self, priors: Array) -> tuple[NDArray[np.intp], Array]:
        """Return codes by the moved threshold; the posteriors are those under `priors`."""
        predicted, log_proba = self.under(priors)
        if self.shifts is None:
            return predicted, log_proba
        return (self.log_proba + self.shifts).argmax(axis=1), log_proba


class Job(NamedTuple):
    """What a method is fitted to, and what is wanted of it.

    Attributes
    ----------
    data : Dataset
    sample : Sample
    test : ndarray of row numbers
        To predict.
    steps : Steps
    seed : int
        Of whatever is random in a method.
    threshold : ndarray of shape (K,) or None
        Class shares to which a threshold is moved on the rows of the sample.
    """

    data: Dataset
    sample: Sample
    test: NDArray[np.intp]
    steps: Steps
    seed: int
    threshold: Array | None = None


def fit_sample(
    job: Job, methods: Sequence[Method], failures: dict[str, str]
) -> dict[str, Prediction]:
    """Fit methods on a sample, the steps that they share once, and predict the test rows.

    Parameters
    ----------
    job : Job
    methods : sequence of Method
    failures : dict of method name to reason
        Filled for methods that cannot be fitted.

    Returns
    -------
    dict of method name to Prediction
        Without those that failed.
    """
    found = {}
    for members in _groups(job, methods, failures):
        prepared = _prepared(job, members)
        for method in members:
            prediction = _predicted(prepared, method, failures)
            if prediction is not None:
                found[method.name] = prediction
    return found


def fit_samples(
    jobs: Sequence[Job], methods: Sequence[Method], failures: dict[str, str]
) -> list[dict[str, Prediction]]:
    """Do what `fit_sample` does with several samples of the same data, small models all at once.

    Predictions of models that were solved together have no pipeline, and their log posteriors
    agree with those of `fit_sample` to as many digits as that solves for: about eight.
    """
    found: list[dict[str, Prediction]] = [{} for _ in jobs]
    for members in _groups(jobs[0], methods, failures) if jobs else ():
        group = [_prepared(job, members) for job in jobs]
        trainings = [prepared.training for prepared in group]
        for method in members:
            if stackable(method, trainings):
                predictions = _predicted_together(group, method, failures)
            else:
                predictions = [_predicted(prepared, method, failures) for prepared in group]
            for place, prediction in zip(found, predictions, strict=True):
                if prediction is not None:
                    place[method.name] = prediction
    return found


class _Prepared(NamedTuple):
    """A job behind the steps that some methods share; the test rows behind them, and the time."""

    job: Job
    front: Pipeline
    training: Training
    seen: Any
    shares: Array
    seconds: float


def _groups(job: Job, methods: Sequence[Method], failures: dict[str, str]) -> list[list[Method]]:
    """Return methods that have the same steps before them together, without those that weigh."""
    groups: dict[str, list[Method]] = {}
    for method in methods:
        name = _own_weights(method.estimator)
        if name is not None:
            failures[method.name] = (
                f"It weighs the classes itself ({name}): leave that to the study."
            )
            continue
        # A basis may be any transformer, which cannot be hashed.
        groups.setdefault(repr(steps_of(method, job.data, job.steps)), []).append(method)
    return list(groups.values())


def _own_weights(estimator: Any) -> str | None:
    """Return the option by which an estimator weighs the classes itself, if it does."""
    for name, value in estimator.get_params(deep=True).items():
        if name.rpartition("__")[2] == "class_weight" and value is not None:
            return str(name)
    return None


def _prepared(job: Job, methods: list[Method]) -> _Prepared:
    data, sample = job.data, job.sample
    start = time.perf_counter()
    steps = steps_of(methods[0], data, job.steps)
    front = pipeline_for(data, None, steps, seed=job.seed)
    needs_rows = any(not method.from_moments for method in methods)
    training = fit_front(
        front.steps,
        None if sample.moments is not None and not needs_rows else data.X[sample.rows],
        data.codes[sample.rows],
        data.n_classes,
        class_weight=sample.class_weight,
        moments=sample.moments,
        rows=needs_rows,
        summary=any(method.from_moments for method in methods),
    )
    seen = _through(front, data.X[job.test])
    if job.threshold is not None and training.rows is None:
        training = training._replace(rows=_through(front, data.X[sample.rows]))
    shares = sample.shares(data.codes, data.n_classes)
    return _Prepared(job, front, training, seen, shares, time.perf_counter() - start)


def _predicted(prepared: _Prepared, method: Method, failures: dict[str, str]) -> Prediction | None:
    """Fit one method; None after noting why that cannot be done."""
    job, training = prepared.job, prepared.training
    start = time.perf_counter()
    model = _fitted(job, method, training, failures)
    if model is None:
        return None
    seconds = prepared.seconds + time.perf_counter() - start
    predicted, log_proba = predictions(model, prepared.seen, training.n_classes)
    silent = bool(np.isnan(log_proba).any())
    shifts = None
    if job.threshold is not None and not silent:
        own = predictions(model, training.rows, training.n_classes)[1]
        shifts = _threshold(prepared, own)
    return Prediction(
        predicted,
        log_proba,
        learned=None if silent or has_fixed_priors(method.estimator) else prepared.shares,
        shifts=shifts,
        pipeline=Pipeline([*prepared.front.steps, ("classify", model)]),
        seconds=seconds,
    )


def _predicted_together(
    group: Sequence[_Prepared], method: Method, failures: dict[str, str]
) -> list[Prediction | None]:
    """Fit one method to several samples at once, and by themselves those that do not converge."""
    start = time.perf_counter()
    asked = [
        [one.seen] if one.job.threshold is None else [one.seen, one.training.rows] for one in group
    ]
    every = fit_stack(method, [one.training for one in group], asked)
    each = (time.perf_counter() - start) / len(group)
    found: list[Prediction | None] = []
    for prepared, said in zip(group, every, strict=True):
        if said is None:
            found.append(_predicted(prepared, method, failures))
            continue
        (predicted, log_proba), *own = said
        found.append(
            Prediction(
                predicted,
                log_proba,
                learned=prepared.shares,
                shifts=_threshold(prepared, own[0][1]) if own else None,
                pipeline=None,
                seconds=prepared.seconds + each,
            )
        )
    return found


def _threshold(prepared: _Prepared, log_proba: Array) -> Array:
    """Move the threshold on the training rows, whose log posteriors are given."""
    wanted, shares = prepared.job.threshold, prepared.shares
    codes = prepared.training.codes
    costs = wanted / np.where(shares > 0, shares, 1.0)
    return move_threshold(log_proba, codes, costs[codes])


def has_fixed_priors(estimator: Any) -> bool:
    """Whether a classifier's options say what its priors are, so that it learns none from rows."""
    for name, value in estimator.get_params(deep=True).items():
        option = name.rpartition("__")[2]
        if option in ("priors", "class_prior") and value is not None:
            return True
        if option == "fit_prior" and value is False:
            return True
    return False


def _fitted(job: Job, method: Method, training: Training, failures: dict[str, str]) -> Any:
    """Return a fitted classifier, or None after noting why there is none."""
    try:
        return fit_classifier(method.fresh(job.data.n_classes, job.seed), training)
    except ValueError as error:
        failures[method.name] = str(error)
        return None


def _through(front: Pipeline, X: Any) -> Any:
    for _, step in front.steps:
        X = step.transform(X)
    return X
