"""Methods ranked by a score, baselines, and tables of scores, methods and predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincore.metrics import scores
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.estimates import SCORES, estimate
from lincore.metrics.intervals import Interval
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import per_results

#: Scores of each class, by name.
CLASS_SCORES = ("recall", "precision", "F1")
_COLUMNS = ["method", "score", "class", "value", "low", "high"]


@per_results  # scores are cached with the object, so it must be the same on every access
def rank_methods(results: Results, score: str | None = None) -> Results:
    """Return the results with the best method first; methods without such a score come last.

    Parameters
    ----------
    score : str, optional
        By default the leading one, see `lincore.metrics.class_ratio.leading_score`.

    Raises
    ------
    KeyError
        If there is no such score.

    Examples
    --------
    >>> truth = np.array([0, 0, 1, 1])
    >>> guesses = np.array([[0, 1, 1, 0], [0, 0, 1, 1]])
    >>> r = Results(("LDA", "QDA"), np.array(["a", "b"]), np.arange(4), truth, guesses,
    ...             np.full((2, 4, 2), np.nan), np.zeros(2))
    >>> rank_methods(r).methods
    ('QDA', 'LDA')
    """
    score = score or leading_score(results.class_counts)
    sign = -1 if SCORES[score].greater_is_better else 1
    values = sign * np.array([estimate(results, m, score).value for m in results.methods])
    order = np.argsort(values, kind="stable")  # NaN is sorted to the end
    return results.select(*(results.methods[i] for i in order))


def available_scores(results: Results) -> tuple[str, ...]:
    """Return the names of the scores that at least one method has."""
    return tuple(
        name
        for name in SCORES
        if any(not np.isnan(estimate(results, m, name).value) for m in results.methods)
    )


def baseline_scores(results: Results, score: str | None = None) -> dict[str, float]:
    """Return the scores of baselines that do not use the features, by the leading score.

    "Majority class" always predicts the most frequent training class, "Prior only" assigns the
    class shares as posteriors to all rows, and "Chance" guesses all classes equally often, if that
    differs.

    Parameters
    ----------
    score : str, optional
        One of `SCORES`. Default: the leading score.

    Returns
    -------
    dict of str to float
        Baseline to its score on the same test rows, in the unit of the score.

    Raises
    ------
    KeyError
        If there is no such score.

    Examples
    --------
    >>> truth = np.array([0, 0, 0, 1])
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(4), truth, truth[None],
    ...             np.full((1, 4, 2), np.nan), np.zeros(1))
    >>> baseline_scores(r, "accuracy")
    {'Majority class': 0.75, 'Chance': 0.5}
    """
    score = score or leading_score(results.class_counts)
    if SCORES[score].needs_posteriors:
        guesses = scores.baseline_results(results)
        baselines = {"Prior only": estimate(guesses, "Prior only", score).value}
    elif score == "AUC":
        baselines = {"Chance": 0.5}
    else:
        baselines = {"Majority class": scores.majority_baseline_score(results, score)}
    chance = 1 / len(results.classes)
    if score == "accuracy" and not np.isclose(baselines["Majority class"], chance):
        baselines["Chance"] = chance
    return {name: value for name, value in baselines.items() if np.isfinite(value)}


def score_table(results: Results, names: Sequence[str] = tuple(SCORES)) -> pd.DataFrame:
    """Return scores with their 95 % intervals, a line for each method, score and class.

    Parameters
    ----------
    names : sequence of str
        Of `SCORES`, and "recall", "precision" and "F1" for those of each class.

    Returns
    -------
    DataFrame
        Columns "method", "score", "class" ("" for a score of all classes), "value", "low" and
        "high"; NaN for a score that a method does not have, or an interval that it does not have.

    Raises
    ------
    KeyError
        If there is no such score.

    Examples
    --------
    >>> import lincore
    >>> results = lincore.compare(lincore.sample("iris"), ["lda", "qda"])
    >>> score_table(results, ["accuracy", "recall"]).head(2).round(3)
      method     score   class  value    low  high
    0    lda  accuracy            1.0  0.921   1.0
    1    lda    recall  setosa    1.0  0.796   1.0
    """
    return _score_table(results, tuple(names)).copy()


@per_results
def _score_table(results: Results, names: tuple[str, ...]) -> pd.DataFrame:
    lines = [
        (method, name, label, *interval)
        for method in results.methods
        for name in names
        for label, interval in _values(results, method, name)
    ]
    return pd.DataFrame(lines, columns=_COLUMNS)


def _values(results: Results, method: str, name: str) -> Iterable[tuple[str, Interval]]:
    """Return the class and the value of a score, for each class if it has one for each."""
    if name not in CLASS_SCORES:
        return [("", scores.score(results, method, name))]
    if name == "F1":
        intervals = [Interval(value, np.nan, np.nan) for value in scores.f1(results, method)]
    else:
        intervals = {"recall": scores.recall, "precision": scores.precision}[name](results, method)
    return zip(map(str, results.classes), intervals, strict=True)


def method_table(results: Results) -> pd.DataFrame:
    """Return one line per method: label, options, preprocessing, seconds, notes of fits."""
    settings = results.settings
    lines = []
    for j, method in enumerate(results.methods):
        lines.append(
            {
                "method": method,
                "label": settings.label(method),
                "options": _listed(settings.options.get(method, {})),
                "steps": _listed(settings.steps.get(method, {})),
                "notes": _listed(settings.notes.get(method, {})),
                "seconds": results.seconds[j],
            }
        )
    columns = ["method", "label", "options", "steps", "notes", "seconds"]
    return pd.DataFrame(lines, columns=columns).set_index("method")


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{k}={v}" for k, v in values.items() if v not in (None, False))


def prediction_table(results: Results) -> pd.DataFrame:
    """Return one line per prediction, with the posterior of each class if available."""
    frames = []
    for j, method in enumerate(results.methods):
        frame = pd.DataFrame(
            {
                "method": method,
                "row": results.rows,
                "repetition": results.repetition,
                "fold": results.fold,
                "truth": results.classes[results.truth],
                "predicted": results.classes[results.predicted[j]],
            }
        )
        proba = np.exp(results.log_proba[j])
        for k, label in enumerate(results.classes.tolist()):
            frame[f"p({label})"] = proba[:, k]
        frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def results_summary(results: Results) -> str:
    """Describe the comparison and the scores, the best first, without intervals.

    Examples
    --------
    >>> truth = np.array([0, 0, 1, 1])
    >>> guesses = np.array([[0, 1, 1, 0], [0, 0, 1, 1]])
    >>> r = Results(("LDA", "QDA"), np.array(["a", "b"]), np.arange(4), truth, guesses,
    ...             np.full((2, 4, 2), np.nan), np.zeros(2))
    >>> results_summary(r)
    '2 methods, 4 rows of 2 classes; accuracy: QDA 1.000, LDA 0.500'
    """
    score = leading_score(results.class_counts)
    where = [name for name in (results.settings.data, results.settings.scheme) if name]
    n, rows = len(results.methods), len(np.unique(results.rows))
    scored = [
        f"{m} {estimate(results, m, score).value:.3f}" for m in rank_methods(results, score).methods
    ]
    named = ", ".join(scored[:8] + ([f"{n - 8} more"] if n > 8 else []))
    return (
        f"{n} method{'s' * (n != 1)}{' on ' * bool(where)}{', '.join(where)}, {rows:,} rows of "
        f"{len(results.classes)} classes{f'; {score}: {named}' if scored else ''}"
    )
