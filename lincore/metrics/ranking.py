"""Methods ranked by a score, with baselines and tables for display and export."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lincore.metrics import scores
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.differences import groups
from lincore.metrics.estimates import SCORES, estimate
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import per_results


@per_results  # scores are cached with the object, so it must be the same on every access
def rank_methods(results: Results, score: str | None = None) -> Results:
    """Return the results with the best method first; methods without such a score come last.

    Parameters
    ----------
    results : Results
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
    return results.select([results.methods[i] for i in order])


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
    results : Results
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
        found = {"Prior only": estimate(guesses, "Prior only", score).value}
    elif score == "AUC":
        found = {"Chance": 0.5}
    else:
        found = {"Majority class": scores.majority_baseline_score(results, score)}
    chance = 1 / len(results.classes)
    if score == "accuracy" and not np.isclose(found["Majority class"], chance):
        found["Chance"] = chance
    return {name: value for name, value in found.items() if np.isfinite(value)}


def score_table(results: Results, leading: str | None = None) -> pd.DataFrame:
    """Return one line for each method: every score with its interval, seconds, and the group.

    Columns are the names of `SCORES`, the leading one first, each followed by "<name> from" and
    "<name> to"; then "seconds", "group", the number of the group of methods not shown to
    be worse than its best by the leading score (see `lincore.metrics.differences.groups`),
    and "never predicts", the classes with rows that the method never predicts.

    Parameters
    ----------
    results : Results
    leading : str, optional
        See `lincore.metrics.class_ratio.leading_score`.
    """
    leading = leading or leading_score(results.class_counts)
    group = groups(results, leading)
    names = sorted(SCORES, key=lambda name: name != leading)
    columns = [f"{name}{end}" for name in names for end in ("", " from", " to")]
    lines = []
    for method in results.methods:
        line: dict[str, object] = {"method": method}
        for name in SCORES:
            found = scores.score(results, method, name)
            line |= {name: found.value, f"{name} from": found.low, f"{name} to": found.high}
        seconds = float(results.seconds[results.position(method)])
        unseen = results.classes[scores.never_predicted(results, method)]
        blind = ", ".join(str(label) for label in unseen)
        lines.append(line | {"seconds": seconds, "group": group[method], "never predicts": blind})
    # Included even if a comparison was stopped before a method was finished.
    columns = ["method", *columns, "seconds", "group", "never predicts"]
    return pd.DataFrame(lines, columns=columns).set_index("method")


def readable_score_table(results: Results, score: str | None = None) -> pd.DataFrame:
    """Return the scores as text with their intervals, the best method first.

    Parameters
    ----------
    results : Results
    score : str, optional
        By default the leading one, see `lincore.metrics.class_ratio.leading_score`.

    Returns
    -------
    DataFrame
        Columns are that score, "group", the other scores that a method has, "seconds", and
        "never predicts" if there is such a class.
    """
    score = score or leading_score(results.class_counts)
    found = score_table(rank_methods(results, score), score)
    names = sorted(available_scores(results), key=lambda name: name != score)
    columns = {name: [_with_ends(found, method, name) for method in found.index] for name in names}
    lines = pd.DataFrame(columns, index=found.index)
    lines.insert(min(1, len(names)), "group", found["group"])
    lines["seconds"] = found["seconds"].round(3)
    if found["never predicts"].any():
        lines["never predicts"] = found["never predicts"]
    return lines


def _with_ends(found: pd.DataFrame, method: str, name: str) -> str:
    value, low, high = (float(found.loc[method, f"{name}{end}"]) for end in ("", " from", " to"))  # type: ignore[arg-type]
    if np.isnan(value):
        return "–"
    return f"{value:.3f}" if np.isnan(low + high) else f"{value:.3f} ({low:.3f}–{high:.3f})"


def method_table(results: Results) -> pd.DataFrame:
    """Return one line per method: label, options, preprocessing, seconds, notes of fits."""
    settings = results.settings
    lines = []
    for j, method in enumerate(results.methods):
        parts = {
            "options": settings.options.get(method, {}),
            "steps": settings.steps.get(method, {}),
            "notes": settings.notes.get(method, {}),
        }
        options = {name: ", ".join(f"{k}={v}" for k, v in part.items() if v not in (None, False))
                for name, part in parts.items()}  # fmt: skip
        line = {"method": method, "label": settings.label(method), **options}
        lines.append(line | {"seconds": results.seconds[j]})
    columns = ["method", "label", "options", "steps", "notes", "seconds"]
    return pd.DataFrame(lines, columns=columns).set_index("method")


def prediction_table(results: Results) -> pd.DataFrame:
    """Return one line per prediction, with the posterior of each class if available."""
    parts = []
    for j, method in enumerate(results.methods):
        part = pd.DataFrame(
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
            part[f"p({label})"] = proba[:, k]
        parts.append(part)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


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
    where = [part for part in (results.settings.data, results.settings.scheme) if part]
    n, rows = len(results.methods), len(np.unique(results.rows))
    scored = [
        f"{m} {estimate(results, m, score).value:.3f}" for m in rank_methods(results, score).methods
    ]
    named = ", ".join(scored[:8] + ([f"{n - 8} more"] if n > 8 else []))
    return (
        f"{n} method{'s' * (n != 1)}{' on ' * bool(where)}{', '.join(where)}, {rows:,} rows of "
        f"{len(results.classes)} classes{f'; {score}: {named}' if scored else ''}"
    )
