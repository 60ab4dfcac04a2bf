"""Which models learned from streamed rows, as sentences."""

from __future__ import annotations

from lincore.metrics.results import Results
from lincore.utils.formatting import listed

_MOST_NAMED = 4


def learned(results: Results) -> str:
    """Report which methods also used streamed rows; empty if none."""
    counts = results.settings.streamed
    names = [name for name in results.methods if counts.get(name)]
    if not names:
        return ""
    who = listed([results.settings.label(name) for name in names], most=_MOST_NAMED)
    return f"{who} also learned from {counts[names[0]]:,} streamed rows."


def training_rows_note(rows: str, took: str, n_steps: int = 0, n_classifier: int = 0) -> str:
    """Report the training rows of steps and classifier, and the fitting time of the classifier.

    Parameters
    ----------
    rows : str
        The training rows in memory: "140 training rows".
    took : str
    n_steps, n_classifier : int
        Streamed rows, from which the steps and the classifier learned as well.

    Examples
    --------
    >>> training_rows_note("105 training rows", "3 ms")
    'Every step was fitted on the 105 training rows only, the classifier in 3 ms.'
    >>> training_rows_note("105 training rows", "3 s", 9_000, 9_000)
    'Every step was fitted on the 105 training rows and 9,000 streamed rows, the classifier in 3 s.'
    """
    if n_classifier:
        on = f"the {rows} and {n_classifier:,} streamed rows"
        return f"Every step was fitted on {on}, the classifier in {took}."
    if n_steps:
        on = f"the {rows} and {n_steps:,} streamed rows"
        return f"The steps before it were fitted on {on}, the classifier on the former in {took}."
    return f"Every step was fitted on the {rows} only, the classifier in {took}."
