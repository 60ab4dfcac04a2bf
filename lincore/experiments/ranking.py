"""The order of methods by a score, what guessing would reach, and the table of both for a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lincore.experiments.class_ratio import leading_score
from lincore.experiments.estimates import SCORES, estimate
from lincore.experiments.evidence import per_results
from lincore.experiments.results import Results
from lincore.experiments.scores import baseline, baselines, table
from lincore.files.spreadsheet import spreadsheet_safe

if TYPE_CHECKING:
    import pandas as pd


@per_results  # scores are remembered with the object: it must be the same at every look
def ranked(results: Results, score: str | None = None) -> Results:
    """Return the results with the best method first; those without such a score come last.

    Parameters
    ----------
    results : Results
    score : str, optional
        By default the leading one, see `lincore.experiments.class_ratio.leading_score`.

    Raises
    ------
    KeyError
        When there is no such score.

    Examples
    --------
    >>> truth = np.array([0, 0, 1, 1])
    >>> guesses = np.array([[0, 1, 1, 0], [0, 0, 1, 1]])
    >>> r = Results(("LDA", "QDA"), np.array(["a", "b"]), np.arange(4), truth, guesses,
    ...             np.full((2, 4, 2), np.nan), np.zeros(2))
    >>> ranked(r).methods
    ('QDA', 'LDA')
    """
    score = score or leading_score(results.class_counts)
    sign = -1 if SCORES[score].higher_is_better else 1
    values = sign * np.array([estimate(results, m, score).value for m in results.methods])
    order = np.argsort(values, kind="stable")  # NaN is sorted to the end
    return results.select([results.methods[i] for i in order])


def known(results: Results) -> tuple[str, ...]:
    """Return the names of the scores that at least one method has."""
    return tuple(
        name
        for name in SCORES
        if any(not np.isnan(estimate(results, m, name).value) for m in results.methods)
    )


def guesses(results: Results, score: str | None = None) -> dict[str, float]:
    """Return what guessing without looking at the features would score, by the leading score.

    "Majority class" always guesses the class commonest in training, "Prior only" gives all rows
    the shares of the classes as posteriors, "Chance" guesses every class equally often, where
    that is something else.

    Raises
    ------
    KeyError
        When there is no such score.

    Examples
    --------
    >>> truth = np.array([0, 0, 0, 1])
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(4), truth, truth[None],
    ...             np.full((1, 4, 2), np.nan), np.zeros(1))
    >>> guesses(r, "accuracy")
    {'Majority class': 0.75, 'Chance': 0.5}
    """
    score = score or leading_score(results.class_counts)
    if SCORES[score].needs_posteriors:
        found = {"Prior only": estimate(baselines(results), "Prior only", score).value}
    elif score == "AUC":
        found = {"Chance": 0.5}
    else:
        found = {"Majority class": baseline(results, score)}
    chance = 1 / len(results.classes)
    if score == "accuracy" and not np.isclose(found["Majority class"], chance):
        found["Chance"] = chance
    return {name: value for name, value in found.items() if np.isfinite(value)}


def for_file(results: Results) -> pd.DataFrame:
    """Return the table of scores with names that are safe to open in a spreadsheet."""
    found = table(results)
    labels = results.settings.get("labels", {})
    found.insert(0, "label", [spreadsheet_safe(labels.get(m, m)) for m in found.index])
    found.index = found.index.map(spreadsheet_safe)
    return found
