"""The stopping reason of an iterative fit, as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


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
        Of the coordinates that it sees, to name those that separate the classes.

    Examples
    --------
    >>> from lincore import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [1.4], [1.6]], [0, 0, 1, 1, 1, 0]
    >>> termination_reason(LogisticRegression(solver="newton").fit(X, y)).sentence
    'Converged after 5 iterations: the gradient reached the tolerance.'
    """
    # Iterative classifiers, including third-party ones, are recognised by their attributes.
    if hasattr(model, "estimators_") and hasattr(model, "design_"):
        return _of_several([termination_reason(part, names) for part in model.estimators_])
    if hasattr(model, "reason_"):
        return _of_descent(model, names)
    if hasattr(model, "mistakes_"):
        return _of_perceptron(model)
    return NOTHING


def _of_descent(model: Any, names: Sequence[str]) -> Ending:
    rounds = _count(model.n_iter_, "iteration")
    if model.separation_ is not None:
        leading = _leading(model.separation_, names)
        return Ending(
            f"The classes are separable ({model.separation_.kind} separation), so the "
            f"likelihood has no maximum: the coefficients diverge{leading}. The values shown are "
            f"those at which the solver stopped, after {rounds}.",
            False,
            "Choose Firth's penalty or a finite C, or check why these coordinates determine the "
            "class.",
        )
    if model.converged_:
        return Ending(f"Converged after {rounds}: {model.reason_.words}.", True)
    return Ending(
        f"Not converged: stopped after {rounds} because {model.reason_.words}.",
        False,
        model.reason_.remedy,
    )


def _leading(found: Any, names: Sequence[str]) -> str:
    places = list(found.leading_features())
    named = [names[j] for j in places if j < len(names)][:3]
    return f", led by {', '.join(named)}" if named else ""


def _of_perceptron(model: Any) -> Ending:
    epochs, last = _count(model.n_iter_, "epoch"), int(model.mistakes_[-1])
    if model.converged_:
        return Ending(f"Converged after {epochs}: the last had no mistakes.", True)
    return Ending(
        f"Not converged: the last of {epochs} still had {_count(last, 'mistake')}. If the classes "
        f"are not linearly separable, it never converges.",
        False,
        "Keep the pocket or the averaged weights, or allow more epochs.",
    )


def _of_several(parts: Sequence[Ending]) -> Ending:
    bad = [part for part in parts if not part.is_fine]
    with_sentence = [part for part in parts if part.sentence]
    if not with_sentence:
        return NOTHING
    if not bad:
        return Ending(f"All {len(parts)} binary models converged.", True)
    return Ending(
        f"{len(bad)} of {len(parts)} binary models did not converge. {bad[0].sentence}",
        False,
        bad[0].remedy,
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
