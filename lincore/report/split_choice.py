"""Sentences on the winners under two splits, with the reason where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lincore.utils.formatting import percent

if TYPE_CHECKING:
    from lincore.imbalance.study import BalanceStudy
    from lincore.model_selection.split_choice import SplitVariation

# Test means so many times as far from the training means as chance makes them (squared) are not
# those of rows at random.
FAR = 3.0
# A model that is ahead in so many of the random test sets is ahead.
OFTEN = 0.7
# The remedy whose priors are the shares of the test rows.
EQUAL = "corrected priors"
#: What the text on faces reports of its generative model with one class reduced.
FACES_TEXT = 0.773


def split_choice_finding(found: SplitVariation) -> str:
    """Say which model wins on the last rows of each class, which at random, and why they differ.

    Parameters
    ----------
    found : SplitVariation

    Examples
    --------
    >>> from lincore.model_selection import SplitVariation
    >>> random = np.array([[0.84, 0.86], [0.85, 0.87]])
    >>> last = np.array([0.88, 0.82])
    >>> print(split_choice_finding(SplitVariation(("LDA", "Logistic"), last, random, 9.0, 1.0)))
    The split decides the winner: on the last of each class LDA is best (88.0 %, ...
    """
    last, wins = int(found.last.argmax()), found.random.argmax(axis=1)
    usual = int(np.bincount(wins, minlength=len(found.labels)).argmax())
    n_wins, mean = int((wins == usual).sum()), found.random.mean(axis=0)
    of = f"in {n_wins} of {len(found.random)} test sets"
    if last == usual:
        text = (
            f"{found.labels[last]} is best on the last of each class "
            f"({percent(found.last[last])}) and, {of}, on rows at random "
            f"({percent(mean[last])} on average)."
        )
    else:
        text = (
            f"The split decides the winner: on the last of each class {found.labels[last]} is "
            f"best ({percent(found.last[last])}, {found.labels[usual]} "
            f"{percent(found.last[usual])}), on rows at random {found.labels[usual]} {of} "
            f"({percent(mean[usual])} on average, {found.labels[last]} {percent(mean[last])})."
        )
    return f"{text} {_change_of_places(found, last, usual)}{_why(found)}"


def split_choice_rows(found: SplitVariation) -> tuple[dict[str, str], ...]:
    """Return the accuracy of every model on the last rows of each class and on random ones.

    Parameters
    ----------
    found : SplitVariation

    Returns
    -------
    tuple of dict of column to str
        In per cent.
    """
    return tuple(
        {
            "model": label,
            "last of each class": percent(found.last[i]),
            "at random, mean": percent(found.random[:, i].mean()),
            "from": percent(found.random[:, i].min()),
            "to": percent(found.random[:, i].max()),
        }
        for i, label in enumerate(found.labels)
    )


def _change_of_places(found: SplitVariation, last: int, usual: int) -> str:
    """Name the two models whose order the split turns most clearly, besides the winners."""
    mean = found.random.mean(axis=0)
    ahead = found.last[:, None] - found.last
    often = (found.random[:, None, :] > found.random[:, :, None]).mean(axis=0) >= OFTEN
    turned = np.where(often, np.minimum(ahead, mean - mean[:, None]), -np.inf)
    turned[last, usual] = -np.inf
    one, other = (int(i) for i in np.unravel_index(turned.argmax(), turned.shape))
    if not turned[one, other] > 0:
        return ""
    return (
        f"{found.labels[one]} and {found.labels[other]} change places: "
        f"{percent(found.last[one])} and {percent(found.last[other])} on the last, "
        f"{percent(mean[one])} and {percent(mean[other])} at random. "
    )


def _why(found: SplitVariation) -> str:
    if not found.last_shift > FAR:
        return (
            "The last rows are like the others: their class means lie no further from those of the "
            "training rows than chance places them."
        )
    return (
        "The last rows are not as the others: the means of their classes lie "
        f"{found.last_shift:.1f} times as far (squared) from those of the training rows as "
        f"chance would place them, at random {found.random_shift:.1f} times. Rows that follow "
        "each other, as images of one subject or session do, are alike: such a test set asks "
        "for what the training set has not shown, and it is one, not many."
    )


def equal_priors_note(study: BalanceStudy, method: str) -> str:
    """Say what equal priors bring to a model of the reduced set, beside the text's number.

    Parameters
    ----------
    study : BalanceStudy
    method : str
        A classifier with priors: its corrected priors are the shares of the test rows.

    Returns
    -------
    str
        Empty where test rows are not equally many in every class, or nothing was corrected.

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("iris"), {"virginica": 12}, "lda", repeats=1)
    >>> print(equal_priors_note(study, "lda"))
    With equal priors LDA reaches ... % on the reduced set, with the estimated ones ... %...
    """
    results = study.example.results
    if EQUAL not in results or method not in results[EQUAL].methods:
        return ""
    counts = np.bincount(results[EQUAL].truth, minlength=len(study.classes))
    if np.ptp(counts):
        return ""
    equal, learned = (_accuracy(study, name, method) for name in (EQUAL, "reduced"))
    return (
        f"With equal priors {study.settings.label(method)} reaches {percent(equal)} on the "
        f"reduced set, with the estimated ones {percent(learned)}. The text on faces reports "
        f"{percent(FACES_TEXT)} of its generative model: it seems to have held the priors equal."
    )


def _accuracy(study: BalanceStudy, condition: str, method: str) -> float:
    results = study.example.results[condition]
    place = results.methods.index(method)
    return float((results.predicted[place] == results.truth).mean())
