"""Solvers of logistic regression compared on the same rows from the same start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lincore.errors import DataError
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.linalg.optimize import OptimizerStep, Reason, iteration_callback
from lincore.model_selection.engine import run
from lincore.model_selection.fitted_classifier import FittedClassifier
from lincore.model_selection.fitting import TrainingSample
from lincore.model_selection.methods import as_method
from lincore.model_selection.stages import Failure, Task
from lincore.utils.typing import Progress

# Iteration limit of gradient descent with a fixed rate.
MOST_ITERATIONS = 2_000
#: Display names of the solvers of `LogisticRegression`.
SOLVER_NAMES: Mapping[str, str] = {
    "newton": "Newton",
    "newton-cg": "Newton, conjugate gradients",
    "fixed-hessian": "Fixed Hessian",
    "gradient": "Gradient, rate 1/L",
    "sgd": "Stochastic gradient",
}


class Line(NamedTuple):
    """Trace and result of one solver."""

    solver: str
    rate: float | None  # learning rate, if it was given
    trace: tuple[OptimizerStep, ...]
    reason: Reason  # reason for stopping

    @property
    def title(self) -> str:
        """Name of the solver, with its rate."""
        return SOLVER_NAMES[self.solver] if self.rate is None else f"Gradient, rate {self.rate:g}"


def fit_traces(classifier: Any) -> dict[str, tuple[OptimizerStep, ...]]:
    """Return the traces of a fitted classifier by its solver, or by its binary models.

    Parameters
    ----------
    classifier : classifier
        Fitted.

    Returns
    -------
    dict of str to tuple of OptimizerStep
        Empty if the classifier is not fitted iteratively.

    Examples
    --------
    >>> model = LogisticRegression(solver="newton").fit([[0.0], [1.0], [0.5]], [0, 1, 1])
    >>> list(fit_traces(model))
    ['Newton']
    """
    if hasattr(classifier, "trace_"):
        name = SOLVER_NAMES[classifier.solver]
        if classifier.learning_rate is not None and classifier.solver in ("gradient", "sgd"):
            name = f"{name.split(',')[0]}, rate {classifier.learning_rate:g}"
        return {name: classifier.trace_}
    return {
        f"model {i}": binary.trace_
        for i, binary in enumerate(getattr(classifier, "estimators_", []), 1)
        if hasattr(binary, "trace_")
    }


def compare_solvers(
    model: FittedClassifier,
    solvers: Sequence[str],
    rates: Sequence[float] = (),
    *,
    progress: Progress | None = None,
    keep: Callable[[tuple[Line, ...]], Any] | None = None,
) -> tuple[Line, ...]:
    """Fit a logistic regression by each solver, and by gradient descent at each fixed rate.

    Parameters
    ----------
    model : FittedClassifier
        A logistic regression: its training rows, steps and penalty are used.
    solvers : sequence of str
        Values of the option `solver` of `LogisticRegression`.
    rates : sequence of float
    progress : callable, optional
        ``progress(done, total, what) -> bool``; after False, the finished lines are returned.
    keep : callable, optional
        Called with the finished lines after each fit.

    Raises
    ------
    DataError
        If the model is no logistic regression.

    Examples
    --------
    >>> import lincore
    >>> model = lincore.fit(lincore.sample("iris"), "logistic")
    >>> lines = compare_solvers(model, ["newton"], [1.0])
    >>> [(line.solver, line.rate, line.reason.value) for line in lines]
    [('newton', None, 'gradient'), ('gradient', 1.0, 'oscillates')]
    """
    if not isinstance(model.classifier, LogisticRegression):
        raise DataError(
            "Only logistic regression has several solvers.",
            where=model.name,
            remedy="Fit logistic regression.",
        )
    # The classifier rejects unknown solvers.
    wanted: list[tuple[Any, float | None]] = [(solver, None) for solver in solvers]
    wanted += [("gradient", rate) for rate in rates]
    steps = tuple(model.pipeline.steps[:-1])
    plan = [Task(TrainingSample(model.split.train, fitted=steps), np.empty(0, dtype=np.intp))]
    lines: list[Line] = []
    for i, (solver, rate) in enumerate(wanted):
        name = solver if rate is None else f"gradient at rate {rate:g}"

        def should_continue(
            step: OptimizerStep, max_iter: int, done: int = i, name: str = name
        ) -> bool:
            description = f"{name}, iteration {step.iteration:,}, loss {step.objective:.6g}"
            return progress is None or progress(done, len(wanted), description) is not False

        method = as_method(
            LogisticRegression(
                C=model.classifier.C,
                solver=solver,
                learning_rate=rate,
                max_iter=MOST_ITERATIONS if solver == "gradient" else None,
            )
        )
        with iteration_callback(should_continue):
            *_, step = run(plan, [method], model.data)
        outcome = step.outcomes[method.name]
        if isinstance(outcome, Failure):
            raise outcome.error
        fitted = outcome.pipeline.steps[-1][1]
        lines.append(Line(solver, rate, fitted.trace_, fitted.reason_))
        if keep is not None:
            keep(tuple(lines))
        if fitted.reason_ is Reason.STOPPED:
            break
    return tuple(lines)
