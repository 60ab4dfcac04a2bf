"""The stopping reason of an iterative fit, as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lincore.utils.formatting import count


class Ending(NamedTuple):
    """How a fit ended."""

    sentence: str  # empty for a classifier without iterations
    is_fine: bool  # whether it is a solution
    remedy: str = ""  # what to do otherwise


NOTHING = Ending("", True)


def termination_reason(model: Any, names: Sequence[str] = ()) -> Ending:
    """Describe how the fit of a classifier ended.

    Parameters
    ----------
    model : classifier
        Fitted: logistic regression, perceptron, or one made of these; others are not described.
    names : sequence of str
        Names of the classifier's inputs, to name those that separate the classes.

    Examples
    --------
    >>> from lincore import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [1.4], [1.6]], [0, 0, 1, 1, 1, 0]
    >>> termination_reason(LogisticRegression(solver="newton").fit(X, y)).sentence
    'Converged after 5 iterations: the gradient reached the tolerance.'
    """
    # Iterative classifiers, including third-party ones, are recognised by their attributes.
    if hasattr(model, "estimators_") and hasattr(model, "design_"):
        return _combine([termination_reason(binary, names) for binary in model.estimators_])
    if hasattr(model, "reason_"):
        return _logistic_ending(model, names)
    if hasattr(model, "mistakes_"):
        return _perceptron_ending(model)
    return NOTHING


def _logistic_ending(model: Any, names: Sequence[str]) -> Ending:
    iterations = count(model.n_iter_, "iteration")
    if model.separation_ is not None:
        leading = _leading(model.separation_, names)
        return Ending(
            f"The classes are separable ({model.separation_.kind} separation), so the "
            f"likelihood has no maximum: the coefficients diverge{leading}. The values shown are "
            f"those at which the solver stopped, after {iterations}.",
            False,
            "Choose Firth's penalty or a finite C, or check why these coordinates determine the "
            "class.",
        )
    if model.converged_:
        return Ending(f"Converged after {iterations}: {model.reason_.words}.", True)
    return Ending(
        f"Not converged: stopped after {iterations} because {model.reason_.words}.",
        False,
        model.reason_.remedy,
    )


def _leading(separation: Any, names: Sequence[str]) -> str:
    named = [names[j] for j in separation.leading_features() if j < len(names)]
    return f", led by {', '.join(named)}" if named else ""


def _perceptron_ending(model: Any) -> Ending:
    epochs, n_mistakes = count(model.n_iter_, "epoch"), int(model.mistakes_[-1])
    if model.converged_:
        return Ending(f"Converged after {epochs}: the last had no mistakes.", True)
    return Ending(
        f"Not converged: the last of {epochs} still had {count(n_mistakes, 'mistake')}. If the "
        "classes are not linearly separable, it never converges.",
        False,
        "Keep the pocket or the averaged weights, or allow more epochs.",
    )


def _combine(endings: Sequence[Ending]) -> Ending:
    """Describe how the fits of several binary models ended."""
    if not any(ending.sentence for ending in endings):
        return NOTHING
    failed = [ending for ending in endings if not ending.is_fine]
    if not failed:
        return Ending(f"All {len(endings)} binary models converged.", True)
    return Ending(
        f"{len(failed)} of {len(endings)} binary models did not converge. {failed[0].sentence}",
        False,
        failed[0].remedy,
    )
