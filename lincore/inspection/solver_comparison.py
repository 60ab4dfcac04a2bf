"""Solvers of logistic regression compared on the same rows from the same start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.linalg.optimize import OptimizerStep, Reason, iteration_callback
from lincore.model_selection.fitting import TrainingInputs, fit_classifier
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array, Progress

# A fixed rate is given so many iterations: enough to see where it goes.
MOST_ITERATIONS = 2_000
#: Solvers by the words that `LogisticRegression` knows them by.
SOLVER_NAMES: Mapping[str, str] = {
    "newton": "Newton",
    "newton-cg": "Newton, conjugate gradients",
    "fixed-hessian": "Fixed Hessian",
    "gradient": "Gradient, rate 1/L",
    "sgd": "Stochastic gradient",
}


class Line(NamedTuple):
    """Trace and result of one solver.

    Attributes
    ----------
    solver : str
    rate : float or None
        Its learning rate, where that was given.
    trace : tuple of Step
    reason : Reason
        Why it ended.
    """

    solver: str
    rate: float | None
    trace: tuple[OptimizerStep, ...]
    reason: Reason

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
        Empty for one that does not descend.

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
        f"model {i}": part.trace_
        for i, part in enumerate(getattr(classifier, "estimators_", []), 1)
        if hasattr(part, "trace_")
    }


def compare_solvers(
    rows: Any,
    codes: NDArray[np.intp],
    *,
    solvers: Sequence[str],
    rates: Sequence[float] = (),
    C: float = np.inf,
    sample_weight: Array | None = None,
    progress: Progress | None = None,
    keep: Callable[[list[Line]], None] | None = None,
    seed: int = 0,
) -> list[Line]:
    """Fit logistic regression by each solver, and by gradient descent at each fixed rate.

    Parameters
    ----------
    rows : array-like of shape (n, q)
        As the classifier sees them.
    codes : ndarray of shape (n,)
    solvers : sequence of str
        As `LogisticRegression` calls them.
    rates : sequence of float
    C : float
    sample_weight : ndarray of shape (n,), optional
    progress : callable, optional
        ``progress(done, total, what) -> bool``; after False what is finished is returned.
    keep : callable, optional
        Given the lines that are finished, whenever there is one more.
    seed : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 2))
    >>> lines = compare_solvers(X, (X[:, 0] + rng.standard_normal(60) > 0).astype(int),
    ...              solvers=["newton"], rates=[1.0])
    >>> [(line.solver, line.rate, line.reason.value) for line in lines]
    [('newton', None, 'gradient'), ('gradient', 1.0, 'oscillates')]
    """
    # The classifier itself refuses a solver that does not exist.
    wanted: list[tuple[Any, float | None]] = [(solver, None) for solver in solvers]
    wanted += [("gradient", rate) for rate in rates]
    lines: list[Line] = []
    for i, (solver, rate) in enumerate(wanted):
        what = solver if rate is None else f"gradient at rate {rate:g}"

        def goes_on(step: OptimizerStep, max_iter: int, done: int = i, what: str = what) -> bool:
            description = f"{what}, iteration {step.iteration:,}, error {step.objective:.6g}"
            return progress is None or progress(done, len(wanted), description) is not False

        model = LogisticRegression(
            C=C,
            solver=solver,
            learning_rate=rate,
            max_iter=MOST_ITERATIONS if solver == "gradient" else None,
            random_state=seed,
        )
        with captured_warnings(), iteration_callback(goes_on):
            fit_classifier(model, TrainingInputs(codes, int(codes.max()) + 1, rows, sample_weight))
        lines.append(Line(solver, rate, model.trace_, model.reason_))
        if keep is not None:
            keep(list(lines))
        if model.reason_ is Reason.STOPPED:
            break
    return lines
