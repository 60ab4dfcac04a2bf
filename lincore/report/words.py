"""One sentence that says what came out, computed from the results and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lincore.experiments import scores
from lincore.experiments.results import Results


def percent(share: float) -> str:
    """Write a share as a percentage with one decimal.

    Examples
    --------
    >>> percent(0.8767)
    '87.7 %'
    """
    return f"{100 * share:.1f} %"


def interval(estimate: scores.Interval) -> str:
    """Write the ends of an interval of shares, in per cent: '83.5–91.0'."""
    return f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f}"


def classification_finding(results: Results, method: str, *, rows: str = "rows") -> str:
    """Say how much of the test part a method gets right, and what it mostly gets wrong.

    Parameters
    ----------
    results : Results
        Of one test set.
    method : str
    rows : str
        What a row is: "rows" or "pictures".

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 1])
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(4), codes, codes[None],
    ...             np.log(np.full((1, 4, 2), 0.5)), np.zeros(1))
    >>> classification_finding(r, "LDA")
    'LDA gets 100.0 % (51.0–100.0) of 4 test rows, and none wrong.'
    """
    right = scores.accuracy(results, method)
    text = f"{method} gets {percent(right.value)} ({interval(right)}) of "
    text += f"{len(results.rows):,} test {rows}"
    errors = scores.confusion(results, method)
    np.fill_diagonal(errors, 0)
    if not errors.any():
        return f"{text}, and none wrong."
    taken, given = np.unravel_index(errors.argmax(), errors.shape)
    share = "most" if errors.max() > errors.sum() / 2 else "the commonest"
    noun = "errors are" if errors.sum() > 1 else "error is"
    if errors.sum() == 1:
        share = "its one"
    return f"{text}; {share} {noun} {_name(results, taken)} taken for {_name(results, given)}."


def _name(results: Results, code: np.intp) -> str:
    """Return a label as it stands in a sentence: a number in quotation marks."""
    label = results.classes[code]
    return str(label) if isinstance(label, str) else f"“{label}”"


def against_baseline(results: Results, method: str) -> str:
    """Say whether a method beats always guessing the largest class of the test part."""
    right, guess = scores.accuracy(results, method), scores.baseline(results)
    largest = _name(results, np.bincount(results.truth).argmax())
    always = f"always guessing {largest} ({percent(guess)})"
    if right.low > guess:
        return f"That is better than {always}."
    if right.high < guess:
        return f"That is worse than {always}."
    return f"That cannot be told apart from {always}."


def variance_finding(
    variances: NDArray[np.float64], n_rows: int, *, rows: str = "rows", share: float = 0.95
) -> str:
    """Say how few components hold most of the variance of the training rows.

    Parameters
    ----------
    variances : ndarray of shape (rank,)
        Of every component, in decreasing order.
    n_rows : int
        How many rows it was fitted on.
    rows : str
        What a row is.
    share : float
        What "most" means.
    """
    ratio = variances / variances.sum()
    first = percent(float(ratio[:2].sum()))
    needed = int(np.argmax(np.cumsum(ratio) >= share - 1e-12)) + 1
    if len(ratio) == 1:
        return f"One component holds all the variance of {n_rows:,} training {rows}."
    return (
        f"Two components hold {first} of the variance of {n_rows:,} training {rows}; "
        f"{100 * share:.0f} % take {needed} of {len(ratio)}."
    )
